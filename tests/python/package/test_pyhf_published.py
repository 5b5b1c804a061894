"""Numbers that pyhf's documentation and tests state, asked of nextstat.pyhf. Where a stored number carries the error of
pyhf's optimizer the tolerance is 2e-4."""

import numpy as np
import pytest

pyhf = pytest.importorskip("nextstat.pyhf")

HISTOSYS = {"hi_data": [102, 190], "lo_data": [98, 100]}


def two_bins(modifier):
    strength = {"name": "mu", "type": "normfactor", "data": None}
    samples = [
        {"name": "signal", "data": [30, 95], "modifiers": [strength]},
        {"name": "background", "data": [100, 150], "modifiers": [modifier]},
    ]
    return pyhf.Model({"channels": [{"name": "singlechannel", "samples": samples}]})


def test_rates_of_a_histosys_are_exact():
    model = two_bins({"name": "bkg_norm", "type": "histosys", "data": HISTOSYS})
    order = model.config.par_order
    for (mu, alpha), expected in {(0, 1): [102, 190], (0, 2): [104, 230], (0, -1): [98, 100], (0, -2): [96, 50], (1, 1): [132, 285]}.items():
        point = [{"mu": mu, "bkg_norm": alpha}[name] for name in order]
        assert model.expected_data(point, include_auxdata=False).tolist() == expected


def test_rates_of_a_shapesys_are_exact():
    model = two_bins({"name": "bkg_norm", "type": "shapesys", "data": [10, 10]})
    assert model.expected_data([0.0, 1.1, 0.9], include_auxdata=False).tolist() == [100 * 1.1, 150 * 0.9]
    assert float(model.logpdf(model.config.suggested_init(), [120, 180, *model.config.auxdata])[0]) == pytest.approx(-23.579605171119738, abs=5e-5)


def test_densities():
    model = pyhf.simplemodels.uncorrelated_background([10.0], [50.0], [7.0])
    start = model.config.suggested_init()
    assert model.logpdf(start, [55.0, *model.config.auxdata]).tolist() == pytest.approx([-6.025179228209936], abs=1e-8)
    assert model.expected_data(start).tolist() == pytest.approx([60.0, 51.02040863], rel=1e-7)


def test_toys_with_seed_zero():
    model = pyhf.simplemodels.uncorrelated_background([12.0, 11.0], [50.0, 52.0], [3.0, 7.0])
    np.random.seed(0)
    calculator = pyhf.infer.calculators.ToyCalculator([51, 48, *model.config.auxdata], model, ntoys=10, track_progress=False)
    _, background = calculator.distributions(1.0)
    assert background.samples.tolist()[:4] == pytest.approx([5.64295686, 0.375813643, 4.87536769, 3.42990061], abs=2e-6)


def test_fits_behind_a_test():
    model = pyhf.simplemodels.uncorrelated_background([1.0], [1.0], [1.0])
    calculator = pyhf.infer.calculators.AsymptoticCalculator([2, *model.config.auxdata], model)
    calculator.teststatistic(1.0)
    np.testing.assert_allclose(calculator.fitted_pars.fixed_poi_fit_to_asimov, [1, 1.15138782], atol=1e-6)
    np.testing.assert_allclose(calculator.fitted_pars.free_fit_to_asimov, [0, 1.5], atol=1e-6)


def test_no_nan_where_signal_and_background_are_the_same():
    model = pyhf.simplemodels.uncorrelated_background([1.0], [1.0], [1.0])
    data = [2, *model.config.auxdata]
    settings = (model.config.suggested_init(), model.config.suggested_bounds(), model.config.suggested_fixed())
    assert float(pyhf.infer.test_statistics.qmu_tilde(0.0, data, model, *settings)) == 0.0
    assert np.isfinite(pyhf.infer.hypotest(0.0, data, model))


def test_clipped_rates_and_their_fits():
    pytest.importorskip("scipy")

    def channel(name, data, high, low):
        variations = [{"data": {"hi_data": high, "lo_data": low}, "name": f"np_{index}", "type": "histosys"} for index in (1, 2)]
        strength = {"data": None, "name": "mu_sig", "type": "normfactor"}
        return {"name": name, "samples": [{"name": "signal", "data": data, "modifiers": [strength, *variations]}]}

    spec = {"channels": [channel("ch1", [100.0, 100.0], [125.0, 75.0], [175.0, 10.0]), channel("ch2", [15000.0], [15500.0], [1200.0])]}
    model = pyhf.Model(spec, poi_name="mu_sig")
    point = [-0.6 if "np" in name else 1.0 for name in model.config.par_names]
    assert model.expected_actualdata(point).tolist() == pytest.approx([183.0496, -0.00704, -635.5968], abs=1e-3)
    for clip in ("clip_sample_data", "clip_bin_data"):
        clipped = pyhf.Model(spec, poi_name="mu_sig", **{clip: 0.0})
        assert clipped.expected_actualdata(point).tolist() == pytest.approx([183.0496, 0, 0], abs=1e-3)
        pyhf.infer.mle.fit(np.array([100.0, 100.0, 10.0, 0.0, 0.0]), clipped)
    pyhf.infer.mle.fit(np.array([100.0, 100.0, 10.0, 0.0, 0.0]), model)


def test_interpolations():
    histograms, alphas = [[[[0.5], [1.0], [2.0]]]], np.array([[-2.0, -1.0, 0.0, 1.0, 2.0]])
    assert (1 + pyhf.interpolators.code0(histograms)(alphas)).ravel().tolist() == [0, 0.5, 1, 2, 3]
    assert (1 + pyhf.interpolators.code2(histograms)(alphas)).ravel().tolist() == [1.0 - 0.25, 0.5, 1, 2, 2.25]


def test_interpolations_are_pyhfs():
    theirs = pytest.importorskip("pyhf")
    random = np.random.default_rng(2)
    histograms = random.uniform(0.5, 2.0, size=(3, 2, 3, 4))
    alphas = random.uniform(-3, 3, size=(3, 5))
    for code in (0, 1, 2, 4, "4p"):
        # the slow form is the one that pyhf documents; the quick one of code 2 differs from it below alpha = -1
        expected = theirs.interpolators.get(code, do_tensorized_calc=False)(histograms.tolist())(alphas)
        np.testing.assert_allclose(pyhf.interpolators.get(code)(histograms)(alphas), expected, rtol=1e-10)
    with pytest.raises(pyhf.exceptions.InvalidInterpCode):
        pyhf.interpolators.get(3)


def test_a_model_that_is_not_pyhfs_runs_through_hypotest():
    pytest.importorskip("scipy")

    class Config:
        poi_index, npars = 0, 2

        def suggested_init(self):
            return [1.0, 1.0]

        def suggested_bounds(self):
            return [[0.0, 10.0], [0.0, 10.0]]

        def suggested_fixed(self):
            return [False, False]

    class Counting:
        """5 signal events over 50 +- 7 background events."""

        config = Config()
        tau = (50 / 7) ** 2

        def expected_data(self, pars):
            mu, gamma = pars
            return np.array([50 * gamma + 5 * mu, gamma * self.tau])

        def logpdf(self, pars, data):
            return np.array([np.sum(pyhf.probability.Poisson(self.expected_data(pars)).log_prob(data))])

    model = Counting()
    cls = pyhf.infer.hypotest(1.0, model.expected_data([1.0, 1.0]), model)
    assert float(cls) == pytest.approx(0.7267836451638846, abs=2e-4)
