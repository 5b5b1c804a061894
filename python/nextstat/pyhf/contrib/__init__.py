"""The counterpart of `pyhf.contrib`: limit plots (`viz.brazil`) and downloads of published likelihoods (`utils.download`)."""
