"""What pyhf has as `pyhf.contrib`: limit plots (`viz.brazil`) and downloads of published likelihoods (`utils.download`)."""
