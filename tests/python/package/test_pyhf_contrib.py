"""nextstat.pyhf.contrib: the plot of CLs over the tested values, and downloads (from a host that this test plays)."""

import io
import sys
import tarfile
import types
import zipfile

import numpy as np
import pytest

pyhf = pytest.importorskip("nextstat.pyhf")
from nextstat.pyhf.contrib import utils
from nextstat.pyhf.exceptions import InvalidArchive, InvalidArchiveHost

HEPDATA = "https://www.hepdata.net/record/resource/1?view=true"
VALUES = np.linspace(0, 3, 7)


@pytest.fixture(scope="module")
def results():
    model = pyhf.simplemodels.uncorrelated_background([12.0, 11.0], [50.0, 52.0], [3.0, 7.0])
    data = [51, 48] + model.config.auxdata
    return [pyhf.infer.hypotest(mu, data, model, return_tail_probs=True, return_expected_set=True) for mu in VALUES]


@pytest.fixture
def axes():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    return figure.subplots()


def test_brazil(results, axes):
    from nextstat.pyhf.contrib.viz import brazil

    drawn = brazil.plot_results(VALUES, [(test[0], test[2]) for test in results], ax=axes, xlabel="strength")
    assert drawn.axes is axes and drawn.clsb is None and len(drawn.cls_exp) == 5
    assert drawn.cls_obs.get_ydata() == pytest.approx([float(test[0]) for test in results])
    assert drawn.cls_exp[2].get_ydata() == pytest.approx([float(test[2][2]) for test in results])
    assert axes.get_xlabel() == "strength" and axes.get_legend() is not None
    assert dir(brazil) == ["BrazilBandCollection", "plot_brazil_band", "plot_cls_components", "plot_results"]


@pytest.mark.parametrize("hidden", [(), ("no_cls",), ("no_clsb",), ("no_clb",)])
def test_brazil_with_components(results, axes, hidden):
    from nextstat.pyhf.contrib.viz import brazil

    drawn = brazil.plot_results(VALUES, results, ax=axes, components=True, **{name: True for name in hidden})
    assert (drawn.clsb is None) == ("no_clsb" in hidden) and (drawn.clb is None) == ("no_clb" in hidden)
    assert (drawn.cls_obs is None) == ("no_cls" in hidden)
    if drawn.clsb:
        assert drawn.clsb.get_ydata() == pytest.approx([float(test[1][0]) for test in results])


def test_brazil_says_what_it_needs(results, axes):
    from nextstat.pyhf.contrib.viz import brazil

    with pytest.raises(ValueError, match="return_tail_probs=True, return_expected_set=True"):
        brazil.plot_results(VALUES, [(test[0], test[2]) for test in results], ax=axes, components=True)
    with pytest.raises(ValueError, match="return_expected_set=True"):
        brazil.plot_results(VALUES, [(test[0], test[0]) for test in results], ax=axes)
    with pytest.raises(ValueError, match="empty"):
        brazil.plot_results([], [], ax=axes)
    with pytest.warns(UserWarning, match="no effect: kolor"):
        brazil.plot_results(VALUES, [(test[0], test[2]) for test in results], ax=axes, kolor="k", test_size_color="k")


def test_brazil_on_a_logarithmic_axis(results, axes):
    from nextstat.pyhf.contrib.viz import brazil

    axes.set_yscale("log")
    parts = brazil.plot_brazil_band(VALUES, [test[0] for test in results], np.array([test[2] for test in results]).T, 0.05, axes)
    assert len(parts) == 5 and axes.get_ylim() == pytest.approx((0.005, 1))
    assert len(brazil.plot_cls_components(VALUES, [test[1] for test in results], axes)) == 2


def packed(kind, names=("likelihoods/BkgOnly.json", "likelihoods/patchset.json")):
    buffer = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(buffer, "w") as archive:
            for name in names:
                archive.writestr(name, "{}")
    else:
        with tarfile.open(fileobj=buffer, mode=kind) as archive:
            for name in names:
                member = tarfile.TarInfo(name)
                member.size = 2
                archive.addfile(member, io.BytesIO(b"{}"))
    return buffer.getvalue()


@pytest.fixture
def host(monkeypatch):
    """A module `requests` that answers with what the test puts there."""
    answer = types.SimpleNamespace(status_code=200, reason="OK", content=b"")
    fake = types.ModuleType("requests")
    fake.get = lambda address, headers, timeout: answer if "zip" in headers["Accept"] else None
    monkeypatch.setitem(sys.modules, "requests", fake)
    return answer


@pytest.mark.parametrize("kind, found", [
    ("w:gz", "likelihoods/BkgOnly.json"), ("w", "likelihoods/BkgOnly.json"), ("zip", "BkgOnly.json"),
])  # fmt: skip
def test_download(tmp_path, host, kind, found):
    host.content = packed(kind)
    for _ in range(2):
        utils.download(HEPDATA, tmp_path / "published")
        assert (tmp_path / "published" / found).read_text() == "{}"
    assert [path.name for path in tmp_path.iterdir()] == ["published"]


def test_download_leaves_the_folder_its_permissions(tmp_path, host):
    (tmp_path / "published").mkdir(mode=0o755)
    host.content = packed("zip", ["likelihoods/BkgOnly.json", "__MACOSX/likelihoods/BkgOnly.json"])
    utils.download(HEPDATA, tmp_path / "published")
    assert (tmp_path / "published").stat().st_mode & 0o777 == 0o755
    assert [path.name for path in (tmp_path / "published").iterdir()] == ["BkgOnly.json"]


def test_download_stays_in_its_folder(tmp_path, host):
    host.content = packed("w:gz", ["../outside.json"])
    with pytest.raises(tarfile.TarError):
        utils.download(HEPDATA, tmp_path / "deep" / "published")
    host.content = packed("zip", ["../outside.json", "inside.json"])
    utils.download(HEPDATA, tmp_path / "deep" / "published")
    assert not list(tmp_path.glob("outside.json")) and not list((tmp_path / "deep").glob("outside.json"))


def test_download_packed(tmp_path, host):
    host.content = packed("w:gz")
    utils.download(HEPDATA, tmp_path / "published.tar.gz", compress=True)
    assert (tmp_path / "published.tar.gz").read_bytes() == host.content


def test_download_errors(tmp_path, host, monkeypatch):
    with pytest.raises(InvalidArchiveHost, match="somewhere.org is not an approved archive host.*force"):
        utils.download("https://somewhere.org/archive", tmp_path / "published")
    host.content = b"neither"
    with pytest.raises(InvalidArchive, match="neither a tar file nor a zip file"):
        utils.download("https://somewhere.org/archive", tmp_path / "published", force=True)
    host.status_code, host.reason = 404, "NOT FOUND"
    with pytest.raises(InvalidArchive, match="response code of 404, no archive: NOT FOUND"):
        utils.download(HEPDATA, tmp_path / "published")
    monkeypatch.setitem(sys.modules, "requests", None)
    with pytest.raises(ImportError, match="pip install requests"):
        utils.download(HEPDATA, tmp_path / "published")


def test_the_command(tmp_path, host, capsys):
    from nextstat.pyhf.cli import main

    host.content = packed("w:gz")
    assert main(["contrib", "download", "--verbose", HEPDATA, str(tmp_path / "published")]) == 0
    assert "holds 2 files:" in capsys.readouterr().out
