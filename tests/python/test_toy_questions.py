"""significance, goodness-of-fit, upper-limit and feldman-cousins with toys: against sums of Poisson probabilities, the asymptotic
formulae and pyhf's toys, the same bytes whatever the threads, and what is refused."""

import json
import math
import signal
import time

import pytest

from conftest import SIMPLE, answer, run_program, start_program, write
from small_workspaces import two_bins, workspace
from toy_verbs import bytes_of

TOYS = ["--n-toys", "2000", "--seed", "5"]
QUESTIONS = {
    "significance-toys": ["significance", SIMPLE, "--calctype", "toys", *TOYS],
    "goodness-of-fit-toys": ["goodness-of-fit", SIMPLE, "--toys", "1000"],
    "upper-limit-toys": ["upper-limit", SIMPLE, "--calctype", "toys", "--n-toys", "300", "--toy-error", "0.05"],
    "feldman-cousins": ["feldman-cousins", SIMPLE, "--n-toys", "200", "--refine", "2"],
}


def counting(folder, signal, background, observed, low=0.0, high=100.0):
    """One bin with a known background."""
    return write(folder / "counting.json", workspace([signal], [background], [observed], parameters=[{"name": "mu", "bounds": [[low, high]]}]))


def poisson(n, nu):
    return math.exp(n * math.log(nu) - nu - math.lgamma(n + 1))


def cumulative(n, nu):
    return sum(poisson(k, nu) for k in range(n + 1))


@pytest.mark.parametrize("name", QUESTIONS)
def test_results_are_as_their_schema_says(name, schema):
    shown = answer(*QUESTIONS[name])
    assert shown["schema"] == f"nextstat/{name}/1"
    schema(name, shown)


@pytest.mark.parametrize("name", QUESTIONS)
def test_same_bytes_for_any_threads_and_batch(name):
    question = QUESTIONS[name]
    first = bytes_of(*question, "--threads", "1", "--batch", "1000")
    assert bytes_of(*question, "--threads", "2", "--batch", "1") == first
    assert bytes_of(*question, "--threads", "2") == first


@pytest.mark.parametrize("name", QUESTIONS)
def test_another_seed_gives_other_numbers_and_the_same_fits(name):
    question = [word for word in QUESTIONS[name] if word not in ("--seed", "5")]
    one, other = (answer(*question, "--seed", seed) for seed in ("1", "2"))
    assert (one["seed"], other["seed"]) == (1, 2)
    same = {"feldman-cousins": "bestfit", "goodness-of-fit-toys": "chi2"}.get(name, "mu_hat")
    assert one[same] == other[same]
    assert one != other


# Significance

def test_p0_is_that_of_the_poisson_distribution(tmp_path):
    shown = answer("significance", counting(tmp_path, 10.0, 50.0, 62, low=-5.0), "--calctype", "toys", "--n-toys", "20000")
    p0 = 1 - cumulative(61, 50)
    assert abs(shown["p0"] - p0) < 3 * shown["p0_error"]
    assert shown["p0_error"] == pytest.approx(math.sqrt(p0 * (1 - p0) / 20000), rel=0.1)
    assert shown["n_toys"] == {"b": 20000, "sb": 20000}
    assert shown["n_error"] == shown["n_nonconverged"] == {"b": 0, "sb": 0}


def test_with_many_counts_the_significance_is_the_asymptotic_one(tmp_path):
    workspace = write(tmp_path / "large.json", two_bins([300.0, 280.0], [5000.0, 5200.0], [60.0, 70.0], [5200, 5350]))
    asymptotic = answer("significance", workspace)
    toys = answer("significance", workspace, "--calctype", "toys", "--n-toys", "20000")
    for key in ("z_obs", "z_exp"):
        assert abs(toys[key] - asymptotic[key]) < 3 * toys[key + "_error"] + 0.01, key
    assert toys["q0"] == asymptotic["q0"] and toys["q0_asimov"] == asymptotic["q0_asimov"]


def test_where_no_toy_is_beyond_there_is_a_bound(tmp_path):
    shown = answer("significance", counting(tmp_path, 10.0, 50.0, 120), "--calctype", "toys", "--n-toys", "1000")
    assert shown["p0"] == 0 and shown["p0_error"] == 1e-3 and shown["z_obs"] is None
    # 0.05^(1/1000): none of 1000 is seen in 1 of 20 cases.
    assert math.erfc(shown["z_obs_bound"] / math.sqrt(2)) / 2 == pytest.approx(1 - 0.05 ** 1e-3, rel=1e-6)
    assert any("none of 1000 toys" in warning for warning in shown["warnings"])


@pytest.mark.parametrize("observed", [0, 40])
def test_a_deficit_has_no_significance(tmp_path, observed):
    shown = answer("significance", counting(tmp_path, 10.0, 50.0, observed, low=-4.9), "--calctype", "toys", "--n-toys", "500")
    assert shown["mu_hat"] < 0 and shown["p0"] == 1 and shown["z_obs"] == 0


# Goodness of fit

def test_goodness_of_fit_counts_deviances(tmp_path):
    shown = answer("goodness-of-fit", counting(tmp_path, 10.0, 50.0, 62), "--fixed", "mu=0", "--toys", "20000")

    def chi2(n):
        return 2 * (50 - n + (n * math.log(n / 50) if n else 0))

    p = sum(poisson(n, 50) for n in range(200) if chi2(n) >= chi2(62) - 1e-9)
    assert abs(shown["p_value_toys"] - p) < 3 * shown["p_value_toys_error"]


def test_with_many_counts_the_p_value_is_the_asymptotic_one(tmp_path):
    workspace = write(tmp_path / "large.json", two_bins([300.0, 10.0], [5000.0, 5200.0], [200.0, 100.0], [5000, 5450]))
    wide = ["--bounds", "mu=-20:20"]
    shown = answer("goodness-of-fit", workspace, *wide, "--toys", "10000")
    assert shown["p_value"] == answer("goodness-of-fit", workspace, *wide)["p_value"]
    assert abs(shown["p_value_toys"] - shown["p_value"]) < 3 * shown["p_value_toys_error"]
    assert shown["mean_chi2_toys"] == pytest.approx(shown["ndof"], abs=0.05)


def test_goodness_of_fit_needs_no_parameter_of_interest(tmp_path):
    document = two_bins()
    document["measurements"][0]["config"]["poi"] = ""
    assert answer("goodness-of-fit", write(tmp_path / "no_poi.json", document), "--toys", "100")["n_toys"] == 100


# Upper limits

def exact_limit(observed, signal=10.0, background=50.0, alpha=0.05):
    low, high = 0.0, 30.0
    for _ in range(60):
        mu = (low + high) / 2
        cls = cumulative(observed, background + signal * mu) / cumulative(observed, background)
        low, high = (mu, high) if cls > alpha else (low, mu)
    return low


@pytest.mark.parametrize("observed", [0, 45, 60])
def test_limits_are_the_exact_ones_of_a_counting_experiment(tmp_path, observed):
    signal, background, error = (1.0, 3.0, 0.05) if observed == 0 else (10.0, 50.0, 0.02)
    shown = answer("upper-limit", counting(tmp_path, signal, background, observed), "--calctype", "toys", "--seed", "7",
                   "--toy-error", error)
    assert shown["converged"] and shown["toy_error_reached"]
    assert shown["obs_limit_error"] <= error * shown["obs_limit"]
    assert abs(shown["obs_limit"] - exact_limit(observed, signal, background)) < 3 * shown["obs_limit_error"]
    assert shown["n_toys_total"] == sum(n["b"] + n["sb"] for n in shown["n_toys"]) <= 200000


def test_with_many_counts_the_limits_are_the_asymptotic_ones(tmp_path):
    workspace = write(tmp_path / "large.json", two_bins([300.0, 280.0], [5000.0, 5200.0], [60.0, 70.0], [5050, 5230]))
    shown = answer("upper-limit", workspace, "--calctype", "toys", "--toy-error", "0.02")
    asymptotic = answer("upper-limit", workspace)
    assert abs(shown["obs_limit"] - asymptotic["obs_limit"]) < 3 * shown["obs_limit_error"]
    for limit, error, other in zip(shown["exp_limits"], shown["exp_limit_errors"], asymptotic["exp_limits"]):
        assert abs(limit - other) < 3 * error


def test_cls_of_given_values_is_that_of_pyhf_toys(tmp_path):
    pyhf = pytest.importorskip("pyhf")
    np = pytest.importorskip("numpy")
    document = two_bins()
    shown = answer("upper-limit", write(tmp_path / "w.json", document), "--calctype", "toys", "--scan-start", "0.5",
                   "--scan-stop", "2", "--scan-points", "4", "--n-toys", "2000")
    assert shown["poi_values"] == [0.5, 1.0, 1.5, 2.0] and shown["n_toys"] == [{"b": 2000, "sb": 2000}] * 4
    model = pyhf.Workspace(document).model()
    data = document["observations"][0]["data"] + model.config.auxdata
    np.random.seed(0)
    toys = 250
    calculator = pyhf.infer.calculators.ToyCalculator(data, model, ntoys=toys, test_stat="qtilde", track_progress=False)
    tested, background = calculator.distributions(1.0)
    _, _, cls = calculator.pvalues(calculator.teststatistic(1.0), tested, background)
    spread = math.hypot(shown["observed_cls_errors"][1], math.sqrt(float(cls) / toys) * 2)
    assert abs(shown["observed_cls"][1] - float(cls)) < 3 * spread


def test_a_search_that_runs_out_of_toys_says_so(tmp_path):
    shown = answer("upper-limit", counting(tmp_path, 10.0, 50.0, 55), "--calctype", "toys", "--toy-error", "0.001",
                   "--max-toys", "5000", code=1)
    assert shown["n_toys_total"] <= 5000 and not shown["toy_error_reached"] and not shown["converged"]
    assert shown["obs_limit_error"] > 0.001 * shown["obs_limit"]
    assert any("maximum number of toys" in warning for warning in shown["warnings"])


# Feldman-Cousins

def feldman_cousins(n, background, level, step=0.005):
    """The outermost values whose acceptance region holds n, counts ordered by the likelihood ratio."""
    def t(k, mu):
        nu, best = mu + background, max(background, float(k))
        return 2 * (nu - best + (k * math.log(best / nu) if k else 0))

    def accepted(mu):
        mine = t(n, mu)
        return sum(poisson(k, mu + background) for k in range(60) if t(k, mu) < mine - 1e-12) < level

    inside = [i * step for i in range(int(20 / step)) if accepted(i * step)]
    return inside[0], inside[-1]


@pytest.mark.parametrize("n, level", [(0, 0.6827), (0, 0.9), (4, 0.9), (8, 0.95)])
def test_feldman_cousins_is_the_exact_construction(tmp_path, n, level):
    lower, upper = feldman_cousins(n, 3.0, level)
    shown = answer("feldman-cousins", counting(tmp_path, 1.0, 3.0, n), "--cl", level, "--n-toys", "3000")
    assert abs(shown["upper"] - upper) < 3 * shown["upper_error"] + 0.01
    if lower == 0:
        assert shown["lower"] == 0 and shown["lower_end"] == "bound" and shown["lower_error"] is None
    else:
        assert abs(shown["lower"] - lower) < 3 * shown["lower_error"] + 0.01


def gaussian_with_boundary(x, level):
    """A measurement x of mu >= 0 with sigma 1 (table X of the paper): upper end by the same ordering."""
    def cdf(z):
        return math.erfc(-z / math.sqrt(2)) / 2

    def coverage(mu, t):
        # t(x') = (x' - mu)^2 for x' >= 0, mu^2 - 2 mu x' below; {t(x') <= t} = [low, mu + sqrt(t)].
        root = math.sqrt(t)
        low = mu - root if root <= mu else (mu * mu - t) / (2 * mu)
        return cdf(root) - cdf(low - mu)

    low, high = max(x, 1e-9), max(x, 0) + 5
    for _ in range(60):
        mu = (low + high) / 2
        t = (x - mu) ** 2 if x >= 0 else mu * mu - 2 * mu * x
        low, high = (mu, high) if coverage(mu, t) < level else (low, mu)
    return low


@pytest.mark.parametrize("x", [-1.0, 0.5])
def test_feldman_cousins_is_the_published_one_of_a_gaussian_with_a_boundary(tmp_path, x):
    # Table X of the paper, 90% CL: 0.81 for x = -1, 2.14 for x = 0.5.
    assert gaussian_with_boundary(x, 0.9) == pytest.approx({-1.0: 0.81, 0.5: 2.14}[x], abs=0.006)
    background = 1e6
    workspace = counting(tmp_path, 1000.0, background, round(background + 1000 * x))
    shown = answer("feldman-cousins", workspace, "--cl", "0.9", "--n-toys", "3000")
    assert abs(shown["upper"] - gaussian_with_boundary(x, 0.9)) < 3 * shown["upper_error"]
    assert shown["lower"] == 0 and shown["lower_end"] == "bound"


def test_an_interval_that_is_open_is_no_number(tmp_path):
    shown = answer("feldman-cousins", counting(tmp_path, 10.0, 50.0, 60, low=-4.0), "--n-toys", "200", "--start", "0.9",
                   "--stop", "1.1", "--points", "3", code=1)
    assert shown["lower"] is None and shown["upper"] is None
    assert shown["lower_end"] == shown["upper_end"] == "open"
    assert any("test larger values" in warning for warning in shown["warnings"])


# Ctrl-C

@pytest.mark.alone
@pytest.mark.parametrize("words", [["significance", "--calctype", "toys", "--n-toys", "100000000"],
                                   ["goodness-of-fit", "--toys", "100000000"],
                                   ["upper-limit", "--calctype", "toys", "--toy-error", "1e-6", "--max-toys", "1000000000"],
                                   ["feldman-cousins", "--n-toys", "2000", "--refine", "100", "--start", "0.1", "--stop", "3",
                                    "--points", "20000"]], ids=lambda words: words[0])
def test_ctrl_c_keeps_what_is_counted(words, schema):
    for seconds in (1.5, 6, 24):  # a busy machine begins with toys later
        process = start_program(words[0], SIMPLE, *words[1:], "--format", "json")
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        try:
            out, _ = process.communicate(timeout=30)
        finally:
            process.kill()
        assert process.returncode == 4
        shown = json.loads(out)
        schema(shown["schema"].split("/")[1], shown)
        assert shown["interrupted"]
        done = shown["n_toys_total"] if "n_toys_total" in shown else shown["n_toys"]
        if (done["b"] if isinstance(done, dict) else done) > 0:
            return
    pytest.fail("no toy was counted")


# What is refused

@pytest.mark.parametrize("words, parts", [
    (["significance", SIMPLE, "--n-toys", "10"], ["--n-toys", "--calctype toys"]),
    (["significance", SIMPLE, "--calctype", "toy"], ["--calctype", "toys"]),
    (["significance", SIMPLE, "--calctype", "toys", "--n-toys", "0"], ["--n-toys", "'0'"]),
    (["goodness-of-fit", SIMPLE, "--seed", "1"], ["--seed", "--toys N"]),
    (["goodness-of-fit", SIMPLE, "--toys", "-3"], ["--toys", "-3"]),
    (["upper-limit", SIMPLE, "--toy-error", "0.1"], ["--toy-error", "--calctype toys"]),
    (["upper-limit", SIMPLE, "--calctype", "toys", "--rtol", "1e-3"], ["--rtol", "asymptotics"]),
    (["upper-limit", SIMPLE, "--calctype", "toys", "--toy-error", "2"], ["--toy-error", "2", "0.02"]),
    (["upper-limit", SIMPLE, "--calctype", "toys", "--max-toys", "50"], ["--max-toys", "50"]),
    (["upper-limit", SIMPLE, "--calctype", "toys", "--max-toys", "50", "--scan-points", "3"], ["--max-toys", "--scan-points"]),
    (["feldman-cousins", SIMPLE, "--cl", "1.5"], ["--cl", "1.5"]),
    (["feldman-cousins", SIMPLE, "--points", "5"], ["--points", "--start"]),
    (["feldman-cousins", SIMPLE, "--start", "2", "--stop", "1"], ["--start", "2", "--stop"]),
    (["feldman-cousins", SIMPLE, "--start", "-1", "--stop", "1"], ["-1", "bounds"]),
    (["feldman-cousins", SIMPLE, "--parameter", "nothing"], ["nothing", "--parameter"]),
], ids=lambda value: " ".join(str(word) for word in value[2:]) if "--" in str(value) else None)
def test_wrong_usage_names_option_value_and_next_step(words, parts):
    done = run_program(*words)
    assert done.returncode == 2 and not done.stdout
    for part in parts:
        assert part in done.stderr, done.stderr


@pytest.mark.parametrize("words", [["significance", "--calctype", "toys"], ["upper-limit", "--calctype", "toys"], ["feldman-cousins"]])
def test_a_model_without_a_parameter_of_interest_is_an_error(words, tmp_path):
    document = two_bins()
    document["measurements"][0]["config"]["poi"] = ""
    done = run_program(words[0], write(tmp_path / "no_poi.json", document), *words[1:])
    assert done.returncode == 2 and "--poi" in done.stderr


def test_toys_that_only_a_signal_can_give_are_infinitely_far_from_none(tmp_path):
    document = two_bins([10.0, 2.0], [50.0, 0.0], [5.0, 0.0], [55, 0])
    shown = answer("significance", write(tmp_path / "w.json", document), "--calctype", "toys", "--n-toys", "500")
    assert shown["n_error"] == {"b": 0, "sb": 0}
    assert shown["p0_exp"] == 0 and shown["z_exp"] is None and shown["z_exp_bound"] > 2


def test_failed_toys_are_counted_and_reported(tmp_path):
    """A bin that only a signal can fill, and bounds that allow none: toys with counts there have no likelihood at all."""
    document = two_bins([10.0, 2.0], [50.0, 0.0], [5.0, 0.0], [55, 0])
    shown = answer("hypotest-toys", write(tmp_path / "w.json", document), "--mu", "1", "--bounds", "mu=-1:0", "--init", "mu=0", "--n-toys", "500", code=1)
    assert not shown["converged"] and shown["n_error"]["b"] == 0 and shown["n_error"]["sb"] > 300
    assert any(f"{shown['n_error']['sb']} of 1000 toys have no likelihood" in warning for warning in shown["warnings"])

