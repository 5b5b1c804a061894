"""Numbers that pyhf published for small models, recomputed independently to 1e-8 or better, and published CLs of real analyses.

pyhf's own figures carry its minimizer's error, so these are the recomputed ones; the source of each stands with it. Small models
that are not written out here are those of pyhf's tests/test_validation.py, read from the folder "validation" in NEXTSTAT_DATA.
"""

import pytest

from conftest import DATA, NO_DATA, answer, needs_program, references, write
from small_workspaces import histosys, shapesys, two_bins, workspace

pytestmark = needs_program

PRECISE = 1e-7  # relative, absolute below 1
LIMITS = 1e-6
PUBLISHED_CLS = 2e-4  # what pyhf's minimizer leaves
KINKED = ["--interp-defaults", "pyhf"]  # code1 and code0, as those tests of pyhf use


def near(value, tolerance=PRECISE):
    return pytest.approx(value, rel=tolerance, abs=tolerance)


@pytest.fixture
def hello(tmp_path):
    """uncorrelated_background(signal=[12, 11], bkg=[50, 52], bkg_uncertainty=[3, 7]), data [51, 48]: pyhf's documentation."""
    return write(tmp_path / "workspace.json", two_bins())


@pytest.fixture
def validation():
    if DATA is None or not (DATA / "validation").is_dir():
        pytest.skip(NO_DATA)

    def find(row):
        (path,) = (DATA / "validation").glob(f"row-{row:02}-*.json")
        return path

    return find


# --- the two-bin model of pyhf's documentation ----------------------------------------------------------------------


def test_row_1_nll_at_the_start(hello):
    assert answer("evaluate", hello)["twice_nll"] == near(30.7752543463, 1e-10)


@pytest.mark.parametrize("options, bestfit, twice_nll", [
    ([], [0, 1.00305085, 0.96268088], 24.9839352003),  # row 2
    (["--fixed", "mu=1"], [1, 0.97224658, 0.87553584], 28.9221801337),  # row 3
    (["--bounds", "mu=-10:10"], [-0.06687000, 1.00557436, 0.96931302], None),  # row 5
], ids=["2", "3", "5"])
def test_rows_2_3_5_fits(options, bestfit, twice_nll, hello):
    fitted = answer("fit", hello, *options)
    assert fitted["bestfit"] == near(bestfit)
    if twice_nll is not None:
        assert fitted["twice_nll"] == near(twice_nll, 1e-10)


def test_row_4_test_statistics(hello):
    assert answer("hypotest", hello)["q_mu"] == near(3.9382449334, 1e-9)
    assert answer("hypotest", hello, "--test-stat", "q", "--bounds", "mu=-10:10")["q_mu"] == near(3.9549892296, 1e-9)


def test_row_6_discovery(hello, tmp_path):
    data = write(tmp_path / "data.json", {"c": [60, 65]})
    found = answer("significance", hello, "--data", data)
    assert found["q0"] == near(2.9833948110, 1e-9)
    assert found["mu_hat"] == near(0.952430687797)  # found with 30 digits
    assert found["z_obs"] == near(2.9833948110**0.5)


def test_row_7_tail_probabilities(hello):
    found = answer("hypotest", hello)
    assert found["teststat"] == near(0.14044637)
    assert found["clsb"] == near(0.02332496)
    assert found["clb"] == near(0.44415366)
    assert found["cls"] == pytest.approx(0.0525155251, rel=PRECISE)


def test_row_8_expected_band(hello):
    expected = [0.00260640458, 0.0138206400, 0.0644551548, 0.235260903, 0.573041655]
    assert answer("hypotest", hello)["expected_set"] | {"clsb": 0, "clb": 0} == {
        "nsigma_order": [-2, -1, 0, 1, 2], "cls": pytest.approx(expected, rel=PRECISE), "clsb": 0, "clb": 0}
    assert answer("cls", hello)["CLs_exp"] == pytest.approx(expected, rel=PRECISE)


def test_row_9_asimov_data_at_signal_one(hello, tmp_path):
    fitted = answer("fit", hello, "--fixed", "mu=1")
    point = write(tmp_path / "point.json", dict(zip(fitted["parameter_names"], fitted["bestfit"])))
    expected = answer("evaluate", hello, "--parameters", point, "--expected")["expected_data"]
    known = [60.612329, 56.527863, 270.068493, 48.315284]  # six decimals
    assert expected["main"]["c"] + expected["auxiliary"] == pytest.approx(known, abs=1e-6)


@pytest.mark.parametrize("options, observed, expected", [
    (["--rtol", "1e-6"], 1.01157188, [0.55988426, 0.75702902, 1.06235500, 1.50118083, 2.05080202]),  # row 10
    ([], 1.01157188, [0.55988426, 0.75702902, 1.06235500, 1.50118083, 2.05080202]),
    (["--scan-points", "11"], 1.02627597, [0.65766486, 0.88000085, 1.12455337, 1.50245835, 2.09235547]),  # row 11
    (["--scan-points", "21"], 1.01764459, [0.59577451, 0.76170088, 1.08505724, 1.50172168, 2.06656875]),  # row 12
], ids=["10", "10 with the default precision", "11", "12"])
def test_rows_10_11_12_upper_limits(options, observed, expected, hello):
    found = answer("upper-limit", hello, *options)
    assert found["obs_limit"] == near(observed, LIMITS)
    assert found["exp_limits"] == near(expected, LIMITS)


# --- other models ---------------------------------------------------------------------------------------------------


def test_rows_13_14_the_example_of_pyhfs_command_line(data_dir):
    path = data_dir / "pyhf-2bin-1channel.json"
    fitted = answer("fit", path)
    assert fitted["twice_nll"] == near(23.1963658575, 1e-10)
    assert fitted["bestfit"][fitted["poi_index"]] == near(0)
    found = answer("cls", path)
    assert found["CLs_obs"] == pytest.approx(0.359984123, rel=PRECISE)
    assert found["CLs_exp"] == pytest.approx([0.0780738835, 0.174725083, 0.359984123, 0.634356077, 0.880994342], rel=PRECISE)


VALIDATION = {  # row: (statistic, options, observed, expected)
    17: ("q", [], 0.454186530, [0.0637179827, 0.150965015, 0.327960668, 0.604608705, 0.866262747]),
    19: ("q", [], 0.0104728292, [0.0106035061, 0.0402230840, 0.136143004, 0.370784541, 0.711042323]),
    20: ("q", KINKED, 6.73534130e-4, [7.47279961e-10, 5.74188176e-8, 3.69019776e-6, 1.69671661e-4, 0.00439299097]),
    21: ("q", KINKED, 0.100146235, [7.13399555e-6, 1.25463557e-4, 0.00187992341, 0.0207889449, 0.136921917]),
    22: ("q", [], 0.0563326292, [4.34913838e-4, 0.00342230185, 0.0233742418, 0.121865454, 0.403820801]),
    23: ("q", KINKED, 0.590627643, [0.0552292608, 0.136141944, 0.306885883, 0.583960902, 0.855479960]),
    24: ("q", [*KINKED, "--starts", "1"], 0.0796739908, [1.76537464e-5, 2.62656446e-4, 0.00334003611, 0.0315223529, 0.179077429]),
    25: ("q", [], 0.542167914, [0.0137533009, 0.0488874026, 0.155552968, 0.400756142, 0.735716970]),
    26: ("qtilde", [], 0.00436063442, [2.70219797e-5, 3.70999180e-4, 0.00436063442, 0.0381503153, 0.202030276]),
}


@pytest.mark.parametrize("row", VALIDATION)
def test_rows_17_and_19_to_26_cls(row, validation):
    statistic, options, observed, expected = VALIDATION[row]
    found = answer("hypotest", validation(row), "--test-stat", statistic, *options)
    assert found["cls"] == pytest.approx(observed, rel=PRECISE)
    assert found["expected_set"]["cls"] == pytest.approx(expected, rel=PRECISE)


def test_row_18_discovery(validation):
    found = answer("hypotest", validation(18), "--test-stat", "q0")
    assert found["clsb"] == pytest.approx(0.00393687844, rel=PRECISE)
    assert found["expected_set"]["clsb"] == pytest.approx(
        [1.22087697e-5, 6.40691097e-4, 0.0132054080, 0.111210233, 0.412889958], rel=PRECISE)
    assert found["cls"] is None and found["mu_test"] == 0
    assert answer("significance", validation(18))["p0"] == found["clsb"]


def test_row_24_stays_on_its_branch(validation):
    """Two minima at mu = 1: where the fit starts, alpha = 0, leads to alpha > 0, as in pyhf; the other is lower (30.8717)."""
    fitted = answer("fit", validation(24), "--fixed", "mu=1", "--starts", "1", *KINKED)
    alpha = dict(zip(fitted["parameter_names"], fitted["bestfit"]))["coupled_histosys"]
    assert alpha > 0
    assert fitted["twice_nll"] == pytest.approx(31.3751, abs=5e-5)
    other = answer("fit", validation(24), "--fixed", "mu=1", *KINKED)
    assert other["twice_nll"] == pytest.approx(30.8717, abs=5e-5)
    assert dict(zip(other["parameter_names"], other["bestfit"]))["coupled_histosys"] == pytest.approx(-0.359, abs=5e-4)


def test_row_30_cls_of_one_bin(tmp_path):
    """test_infer's model of its own: signal 5, background 50 +- 7, data as expected at signal strength 1."""
    path = write(tmp_path / "workspace.json", workspace([5.0], [50.0], [55.0], [shapesys(7.0)]))
    assert answer("hypotest", path)["cls"] == pytest.approx(0.7267805483, rel=PRECISE)


def test_row_31_fits_of_asimov_data(tmp_path):
    """test_calculator: signal 1, background 1 +- 1, data 2, auxiliary datum 1."""
    path = write(tmp_path / "workspace.json", workspace([1.0], [1.0], [2.0], [shapesys(1.0)]))
    background = answer("fit", path, "--fixed", "mu=0")
    assert background["bestfit"] == near([0, 1.5])
    asimov = ["--asimov", "mu=0", "gamma[0]=1.5"]
    assert answer("fit", path, "--fixed", "mu=1", *asimov)["bestfit"] == near([1, 1.15138782])
    assert answer("fit", path, *asimov)["bestfit"] == near([0, 1.5])


def test_rows_32_33_34_logpdf_at_the_start(tmp_path):
    one_bin = write(tmp_path / "32.json", workspace([10.0], [50.0], [55.0], [shapesys(7.0)]))
    shown = answer("evaluate", one_bin, "--expected")
    assert -shown["nll"] == pytest.approx(-6.02517922820991, rel=1e-12)
    assert shown["expected_data"]["main"]["c"] + shown["expected_data"]["auxiliary"] == pytest.approx([60, 51.02040863], rel=1e-8)
    shape = write(tmp_path / "33.json", workspace([30, 95], [100, 150], [120, 180], [histosys("alpha", [98, 100], [102, 190])]))
    assert -answer("evaluate", shape)["nll"] == pytest.approx(-17.648827643136, rel=1e-12)
    gammas = write(tmp_path / "34.json", workspace([30, 95], [100, 150], [120, 180], [shapesys(10, 10)]))
    assert -answer("evaluate", gammas)["nll"] == pytest.approx(-23.579605171119, rel=1e-12)
    assert answer("fit", shape, "--fixed", "mu=1")["twice_nll"] == near(17.5295496324, 1e-10)  # row 35


# --- published CLs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name, values", references("cls"))
def test_published_cls(name, values):
    analysis, point = name.split("/")
    background = DATA / f"{analysis}.bkg.json"
    patch = (["--patchset", DATA / f"{analysis}.patchset.json", "--patch-name", point] if (DATA / f"{analysis}.patchset.json").exists()
             else ["--patch", DATA / f"{analysis}-{point}.patch.json"])
    found = answer("cls", background, *patch)
    assert found["CLs_obs"] == pytest.approx(values["obs"], rel=PUBLISHED_CLS)
    assert found["CLs_exp"] == pytest.approx(values["exp"], rel=PUBLISHED_CLS)
