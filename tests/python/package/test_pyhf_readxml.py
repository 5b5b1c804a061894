"""HistFactory's XML and ROOT files read as pyhf reads them."""

import sys

import numpy as np
import pytest

ours = pytest.importorskip("nextstat.pyhf.readxml")

TOP = """<!DOCTYPE Combination SYSTEM 'HistFactorySchema.dtd'>
<Combination OutputFilePrefix="./results/example">
  <Input>./config/channel.xml</Input>
  <Measurement Name="Gauss" Lumi="1." LumiRelErr="0.1" ExportOnly="True">
    <POI>SigXsecOverSM</POI>
    <ParamSetting Const="True">Lumi alpha_syst1</ParamSetting>
    <ParamSetting Const="False" Val="0.9">SigXsecOverSM</ParamSetting>
  </Measurement>
  <Measurement Name="Other" Lumi="2." LumiRelErr="0.05"><POI>SigXsecOverSM</POI></Measurement>
</Combination>
"""
CHANNEL = """<!DOCTYPE Channel SYSTEM '../HistFactorySchema.dtd'>
<Channel Name="channel1" InputFile="./data/example.root">
  <Data HistoName="data" HistoPath="" />
  <Sample Name="signal" HistoPath="" HistoName="signal">
    <OverallSys Name="syst1" High="1.05" Low="0.95"/>
    <NormFactor Name="SigXsecOverSM" Val="1" Low="0." High="3." Const="True" />
  </Sample>
  <Sample Name="background1" HistoPath="" NormalizeByTheory="True" HistoName="background1">
    <StatError Activate="True" HistoName="relative" />
    <HistoSys Name="shape" HistoNameLow="low" HistoNameHigh="high" />
    <ShapeFactor Name="free" />
  </Sample>
  <Sample Name="background2" HistoPath="" HistoName="background2">
    <StatError Activate="True" />
    <StatError Activate="False" />
    <ShapeSys Name="bins" HistoName="relative" ConstraintType="Poisson" />
    <NormFactor Name="scale" Val="1" Low="0." High="5." />
  </Sample>
</Channel>
"""
CONTENTS = {
    "data": [122.0, 112.0], "signal": [20.0, 10.0], "background1": [100.0, 5.0], "background2": [8.0, 100.0],
    "relative": [0.05, 0.1], "low": [90.0, 4.0], "high": [110.0, 6.0],
}


@pytest.fixture
def folder(tmp_path):
    uproot = pytest.importorskip("uproot")
    (tmp_path / "config").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "config/example.xml").write_text(TOP)
    (tmp_path / "config/channel.xml").write_text(CHANNEL)
    with uproot.recreate(tmp_path / "data/example.root") as file:
        for name, contents in CONTENTS.items():
            file[name] = (np.array(contents), np.array([1.0, 1.5, 2.0]))
    return tmp_path


def test_the_xml_without_root(tmp_path, monkeypatch):
    """The XML alone, histograms from a table: what runs where uproot is not installed."""
    read = lambda resolver, file, place, name: (CONTENTS[name], [1.0, 2.0])  # noqa: E731
    monkeypatch.setattr(ours, "import_root_histogram", read)
    (tmp_path / "config").mkdir()
    (tmp_path / "config/example.xml").write_text(TOP)
    (tmp_path / "config/channel.xml").write_text(CHANNEL)
    spec = ours.parse(tmp_path / "config/example.xml", tmp_path)
    samples = {sample["name"]: sample for sample in spec["channels"][0]["samples"]}
    assert [modifier["type"] for modifier in samples["background1"]["modifiers"]] == ["lumi", "staterror", "histosys", "shapefactor"]
    assert samples["background1"]["modifiers"][1]["data"] == [5.0, 0.5]  # relative to the contents
    assert samples["background2"]["modifiers"][0]["data"] == [1.0, 2.0]  # of the histogram itself
    assert samples["background2"]["modifiers"][1] == {"name": "bins", "type": "shapesys", "data": [0.4, 10.0]}
    gauss, other = (measurement["config"]["parameters"] for measurement in spec["measurements"])
    assert gauss[0] == {"name": "lumi", "auxdata": [1.0], "bounds": [[0.5, 1.5]], "inits": [1.0], "sigmas": [0.1], "fixed": True}
    assert gauss[1:] == [
        {"name": "scale", "bounds": [[0.0, 5.0]], "inits": [1.0]}, {"name": "syst1", "fixed": True},
        {"name": "SigXsecOverSM", "bounds": [[0.0, 3.0]], "inits": [0.9], "fixed": False},
    ]
    assert other[0]["sigmas"] == [0.1] and other[0]["bounds"] == [[1.5, 2.5]]


def test_without_uproot_the_error_names_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "uproot", None)
    (tmp_path / "config").mkdir()
    (tmp_path / "config/example.xml").write_text(TOP)
    (tmp_path / "config/channel.xml").write_text(CHANNEL)
    with pytest.raises(ImportError, match="pip install uproot"):
        ours.parse(tmp_path / "config/example.xml", tmp_path)


def test_the_workspace_is_pyhfs(folder):
    theirs = pytest.importorskip("pyhf.readxml")
    theirs.clear_filecache()
    expected = theirs.parse(folder / "config/example.xml", folder)
    assert ours.parse(folder / "config/example.xml", folder) == expected


def test_the_workspace_makes_a_model(folder):
    import nextstat.pyhf

    workspace = nextstat.pyhf.Workspace(ours.parse(folder / "config/example.xml", folder))
    model = workspace.model(measurement_name="Gauss")
    assert model.config.poi_name == "SigXsecOverSM" and model.config.suggested_fixed().count(True) == 2
    assert nextstat.pyhf.infer.mle.fit(workspace.data(model), model).shape == (model.config.npars,)


def test_files_can_be_mounted_elsewhere(folder):
    moved = CHANNEL.replace("./data/", "/absolute/elsewhere/")
    (folder / "config/channel.xml").write_text(moved)
    spec = ours.parse(folder / "config/example.xml", folder, mounts=[(folder / "data", "/absolute/elsewhere")])
    assert spec["observations"] == [{"name": "channel1", "data": CONTENTS["data"]}]


@pytest.mark.parametrize("old,new,error", [
    ('HistoName="data"', 'HistoName="nothing"', KeyError),
    ('<Data HistoName="data" HistoPath="" />', "", RuntimeError),
    ('HistoName="data"', 'HistoName=""', NotImplementedError),
    ('<NormFactor Name="scale" Val="1" Low="0." High="5." />', '<NormFactor Name="SigXsecOverSM" Val="2" Low="0." High="3." />', RuntimeError),
])
def test_what_is_missing_is_said(folder, old, new, error):
    (folder / "config/channel.xml").write_text(CHANNEL.replace(old, new))
    with pytest.raises(error):
        ours.parse(folder / "config/example.xml", folder)


@pytest.mark.parametrize("old,new,error", [
    ("<POI>SigXsecOverSM</POI>", "", RuntimeError),
    ("alpha_syst1", "gamma_stat_channel1_bin_0", ValueError),
])
def test_wrong_measurements_are_said(folder, old, new, error):
    (folder / "config/example.xml").write_text(TOP.replace(old, new))
    with pytest.raises(error):
        ours.parse(folder / "config/example.xml", folder)


def test_what_is_written_reads_back_the_same(folder):
    from nextstat.pyhf import Workspace, infer, writexml

    before = ours.parse(folder / "config/example.xml", folder)
    for name in ("written", "written/config", "written/data"):
        (folder / name).mkdir()
    top = writexml.writexml(before, folder / "written/config", folder / "written/data", "FitConfig")
    (folder / "written/FitConfig.xml").write_bytes(top)
    after = ours.parse(folder / "written/FitConfig.xml", folder / "written")
    assert before["observations"] == after["observations"]
    for old, new in zip(before["measurements"], after["measurements"]):
        assert {key: old["config"]["parameters"][0][key] for key in ("auxdata", "sigmas")} == {
            key: new["config"]["parameters"][0][key] for key in ("auxdata", "sigmas")
        }
    results = []
    for spec in (before, after):
        workspace = Workspace(spec)
        model = workspace.model(measurement_name="Gauss")
        _, value = infer.mle.fit(workspace.data(model), model, return_fitted_val=True)
        results.append([*model.expected_data(model.config.suggested_init()), float(value)])
    np.testing.assert_allclose(results[0], results[1], rtol=1e-9)


def test_pyhf_reads_what_is_written(folder):
    theirs = pytest.importorskip("pyhf.readxml")
    from nextstat.pyhf import writexml

    before = ours.parse(folder / "config/example.xml", folder)
    top = writexml.writexml(before, folder / "config", folder / "data", "Again")
    (folder / "Again.xml").write_bytes(top)
    theirs.clear_filecache()
    assert theirs.parse(folder / "Again.xml", folder) == ours.parse(folder / "Again.xml", folder)


def test_the_parts_one_by_one(folder):
    """The functions that code outside pyhf calls, as pyhf's have them."""
    pytest.importorskip("uproot")
    import xml.etree.ElementTree as ElementTree

    from nextstat.pyhf import writexml

    resolver = ours.resolver_factory(folder, [])
    contents, uncertainties = ours.import_root_histogram(resolver, "data/example.root", "", "data")
    assert contents == CONTENTS["data"] and uncertainties == pytest.approx(np.sqrt(contents))
    with pytest.raises(KeyError, match="nothing"):
        ours.import_root_histogram(resolver, "data/example.root", "", "nothing")
    name, data, samples, settings = ours.process_channel(ElementTree.parse(folder / "config/channel.xml"), resolver)
    assert (name, data) == ("channel1", CONTENTS["data"]) and [entry["name"] for entry in settings] == ["SigXsecOverSM", "scale"]
    channel = writexml.build_channel({"measurements": [{"config": {"parameters": settings}}]}, {"name": name, "samples": samples}, [])
    assert [tag.attrib["Name"] for tag in channel.findall("Sample")] == [sample["name"] for sample in samples]
    assert channel.find("Sample/NormFactor").attrib["High"] == "3.0"
    written = writexml._ROOT_DATA_FILE
    assert written["histchannel1_signal"][0].tolist() == samples[0]["data"]
    written.clear()
    assert writexml.build_modifier({}, {"name": "new", "type": "unheard"}, "c", "s", []) is None


def test_mounts_are_pairs(capsys):
    from nextstat.pyhf.cli import main

    for wrong in ("here::there", "nothing", ":there", "a:b:c"):
        with pytest.raises(SystemExit):
            main(["xml2json", "-v", wrong, "top.xml"])
        assert "is not a valid colon-separated option" in capsys.readouterr().err
