"""Sessions: every question gives the bits that it gives about the model, and the device is opened once."""

import copy
import inspect
import os
import pickle
import threading
import time

import numpy as np
import pytest

nextstat = pytest.importorskip("nextstat", reason="the package is not installed: pip install .")

from conftest import ALL_MODIFIERS, SIMPLE

DEVICES = ["cpu"] + [f"{entry['type']}:{device['index']}" for entry in nextstat.devices() if entry["type"] != "cpu"
                     for device in entry["devices"] if device["fp64"] != "none"]
TOYS = {"n_toys": 20, "progress": False}
QUESTIONS = {
    "fit": lambda asked, **on: nextstat.fit(asked, **on),
    "fit_batch": lambda asked, **on: nextstat.fit_batch(asked, nextstat.poisson_toys(asked, n_toys=5), **on),
    "fit_toys": lambda asked, **on: nextstat.fit_toys(asked, **TOYS, **on),
    "fit_toys_from_data": lambda asked, **on: nextstat.fit_toys_from_data(asked, nextstat.asimov_data(asked), **TOYS, **on),
    "profile_scan": lambda asked, **on: nextstat.profile_scan(asked, [0.5, 1.0], **on),
    "profile_ci": lambda asked, **on: nextstat.profile_ci(asked, **on),
    "ranking": lambda asked, **on: nextstat.ranking(asked, **on),
    "hypotest": lambda asked, **on: nextstat.hypotest(1.0, asked, return_result=True, **on),
    "hypotest_toys": lambda asked, **on: nextstat.hypotest_toys(1.0, asked, return_result=True, **TOYS, **on),
    "upper_limit": lambda asked, **on: nextstat.upper_limit(asked, **on),
    "significance": lambda asked, **on: nextstat.significance(asked, **on),
    "goodness_of_fit": lambda asked, **on: nextstat.goodness_of_fit(asked, **on),
    "feldman_cousins": lambda asked, **on: nextstat.feldman_cousins(asked, values=[0.5, 1.5], **TOYS, **on),
}


def test_every_question_about_one_model_is_a_verb():
    """A question that is added to the package is added to sessions, and here."""
    about_a_model = {name for name in nextstat.__all__ if inspect.isfunction(getattr(nextstat, name))
                     and "model" in inspect.signature(getattr(nextstat, name)).parameters
                     and not name.endswith(("_gpu", "_session")) and name not in ("asimov_data", "poisson_toys")}
    assert about_a_model == set(QUESTIONS) == {name for name in QUESTIONS if callable(getattr(nextstat.Session, name, None))}


@pytest.fixture(scope="module", params=DEVICES)
def session(request):
    with nextstat.Session(ALL_MODIFIERS, device=request.param) as opened:
        yield opened


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_session_answers_as_the_model_does(session, question):
    assert QUESTIONS[question](session) == QUESTIONS[question](session.model, device=session.device)


def test_verbs_are_the_functions(session):
    assert session.fit() == nextstat.fit(session)
    assert session.hypotest(1.0) == nextstat.hypotest(1.0, session)
    assert session.profile_scan([1.0]) == nextstat.profile_scan(session, [1.0])
    assert session.fit_toys(**TOYS) == nextstat.fit_toys(session, **TOYS)


def test_values_have_the_bits_of_the_model(session):
    model = session.model
    points = model.suggested_init + np.linspace(0, 0.05, 6)[:, None]
    for at in (points[0], points):
        value, gradient = session.value_and_grad(at)
        np.testing.assert_array_equal(value, model.nll(at))
        np.testing.assert_array_equal(gradient, model.grad_nll(at))
        np.testing.assert_array_equal(session.nll(at), model.nll(at))
        np.testing.assert_array_equal(session.grad_nll(at), model.grad_nll(at))
        np.testing.assert_array_equal(session.hessian(at), model.hessian(at))
        np.testing.assert_array_equal(session.expected_data(at), model.expected_data(at))
        for mine, its in zip(model.value_and_grad(at), (value, gradient)):
            np.testing.assert_array_equal(mine, its)
        np.testing.assert_allclose(sum(session.nll_parts(at)), value, rtol=1e-13)
    data = nextstat.poisson_toys(model, n_toys=1)[0]
    assert session.nll(points[0], data) == model.nll(points[0], data) != model.nll(points[0])


def test_tables_are_sent_once(session):
    point = session.model.suggested_init
    session.value_and_grad([point, point])
    before = session.traffic()
    session.value_and_grad([point, point])
    after = session.traffic()
    again = {name: after[name] - before[name] for name in after}
    if session.device == "cpu":
        assert set(after.values()) == {0}
    else:
        assert again["launches"] >= 1 and 0 < again["bytes_to_device"] < before["bytes_to_device"] / 2
    session.fit()
    before = session.traffic()
    session.fit()
    assert session.device == "cpu" or session.traffic()["bytes_to_device"] - before["bytes_to_device"] < before["bytes_to_device"]


def test_what_a_session_says(session):
    assert session.capabilities() == {"batched_nll": True, "batched_gradient": True, "batched_fits": True, "max_batch_size": 0,
                                      "autodiff": True, "f64": True}
    assert session.precision == "f64" and session.device_choice == "asked for" and session.instruction_set
    assert f"open on {session.device} in f64" in repr(session)


def test_it_is_usable_after_an_error(session):
    with pytest.raises(nextstat.Error, match="no such parameter"):
        session.fit(fixed={"no such parameter": 1.0})
    with pytest.raises(nextstat.InputError):
        session.nll([1.0, 2.0])
    assert session.fit().converged


def test_threads_take_turns(session):
    expected = session.fit()
    found = []
    threads = [threading.Thread(target=lambda: found.append(session.fit())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


@pytest.mark.parametrize("device", DEVICES)
def test_a_closed_session_says_so_and_its_results_live(device):
    session = nextstat.Session(SIMPLE, device=device)
    found = session.fit()
    session.close()
    session.close()
    assert session.closed and "closed" in repr(session) and found.device == device and found.converged
    for ask in (session.fit, session.traffic, lambda: session.nll(session.model.suggested_init), lambda: nextstat.fit(session),
                session.__enter__):
        with pytest.raises(nextstat.InputError, match="closed"):
            ask()


@pytest.mark.parametrize("device", DEVICES)
def test_a_question_under_way_is_answered_after_closing(device):
    session = nextstat.Session(ALL_MODIFIERS, device=device)
    found = []
    asked = threading.Thread(target=lambda: found.append(session.fit_toys(n_toys=3000, progress=False)))
    asked.start()
    time.sleep(0.02)
    session.close()
    asked.join()
    assert found[0].n_done == 3000


def test_settings_belong_to_the_session():
    with nextstat.Session(SIMPLE, device="cpu", threads=1) as session:
        assert session.fit(device="cpu", threads=1) == session.fit()
        for other in ({"threads": 2}, {"device": "opencl:7"}, {"instruction_set": "no-such"}):
            with pytest.raises(nextstat.InputError, match="open on cpu"):
                session.profile_ci(**other)
    nextstat.set_threads(1)
    try:
        with nextstat.Session(SIMPLE, device="cpu") as session:
            nextstat.set_threads(2)
            assert session.fit().converged
    finally:
        nextstat.set_threads(0)


def test_a_model_that_changes_leaves_the_session_alone():
    model = nextstat.Model.from_workspace(SIMPLE)
    with nextstat.Session(model) as session:
        before = session.fit()
        channel = next(iter(model.channels))
        sample = model.samples[channel][0]
        model.set_sample_nominal(channel, sample, 2 * model.expected_main_by_channel_sample(model.suggested_init)[channel][sample])
        assert session.fit() == before != nextstat.fit(model)


def test_a_forked_child_gets_an_error():
    with nextstat.Session(SIMPLE, device="cpu") as session:
        child = os.fork()
        if child == 0:
            try:
                session.fit()
            except nextstat.Error as error:
                os._exit(0 if "forked" in str(error) else 2)
            os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        assert session.fit().converged


def test_sessions_are_not_copied():
    with nextstat.Session(SIMPLE) as session:
        for attempt in (copy.copy, pickle.dumps):
            with pytest.raises(TypeError, match="belongs to its process"):
                attempt(session)
        assert nextstat.fit(pickle.loads(pickle.dumps(session.model))).nll == session.fit().nll


def test_absent_devices_are_errors_and_fall_back_where_they_may():
    with pytest.raises(nextstat.DeviceError, match="metal"):
        nextstat.metal_session(SIMPLE)
    with nextstat.metal_session(SIMPLE, fallback=True) as session:
        assert session.device == "cpu" and session.fit().converged
    if not nextstat.has_cuda():
        with pytest.raises(nextstat.DeviceError, match="cuda"):
            nextstat.cuda_session(SIMPLE)
    with pytest.raises(nextstat.InputError, match="device"):
        nextstat.Session(SIMPLE, device=3)


def test_models_without_data_need_some():
    pyhf = pytest.importorskip("pyhf")
    model = pyhf.simplemodels.uncorrelated_background([5.0], [50.0], [5.0])
    with nextstat.Session(model) as session:
        with pytest.raises(nextstat.InputError, match="no data"):
            session.fit()
        assert session.fit(data=[55.0]).converged


def test_backends_in_words():
    summary = nextstat.backend_summary()
    assert summary.startswith("=== Available Backends ===") and "Recommended backend: " in summary
    assert nextstat.best_available_backend() == nextstat.devices().recommended
    for entry in nextstat.devices():
        for device in entry["devices"]:
            assert device["capabilities"]["f64"] == (device["fp64"] != "none")


class TestFitsWithOptionsOfTheirOwn:
    model = nextstat.Model.from_workspace(ALL_MODIFIERS)

    def test_every_row_is_the_fit_with_its_options(self):
        model, n = self.model, self.model.n_params
        data = nextstat.poisson_toys(model, n_toys=4)
        starts = np.tile(model.suggested_init, (4, 1))
        starts[:, model.poi_index] = [0.8, 1.0, 1.2, 1.4]
        bounds = np.tile(model.suggested_bounds, (4, 1, 1))
        bounds[1, model.poi_index] = 0.9, 1.1
        fixed = np.full((4, n), np.nan)
        fixed[2, model.poi_index] = 0.5
        fits = nextstat.fit_batch(model, data, init_pars=starts, bounds=bounds, fixed=fixed)
        alone = [{}, {"bounds": {model.poi_name: (0.9, 1.1)}}, {"fixed": {model.poi_name: 0.5}}, {}]
        for row, options in enumerate(alone):
            start = {} if "fixed" in options else {"init_pars": starts[row]}
            assert fits.nll[row] == pytest.approx(nextstat.fit(model, data=data[row], **start, **options).nll, abs=1e-8)
        assert fits.bestfit[2, model.poi_index] == 0.5 and 0.9 <= fits.mu_hat[1] <= 1.1

    def test_without_datasets(self):
        model = self.model
        held = np.full((3, model.n_params), np.nan)
        held[:, model.poi_index] = [0.0, 1.0, 2.0]
        fits = nextstat.fit_batch(model, fixed=held)
        assert fits.mu_hat.tolist() == [0.0, 1.0, 2.0]
        scan = nextstat.profile_scan(model, [0.0, 1.0, 2.0])
        np.testing.assert_allclose(fits.nll, [point.nll_mu for point in scan.points], atol=1e-8)
        mask = np.zeros((2, model.n_params), bool)
        mask[:, model.poi_index] = True
        starts = np.tile(model.suggested_init, (2, 1))
        starts[:, model.poi_index] = [0.25, 0.75]
        assert nextstat.fit_batch(model, fixed=mask, init_pars=starts).mu_hat.tolist() == [0.25, 0.75]

    @pytest.mark.parametrize("options, words", [
        ({}, "nothing differs"), ({"init_pars": np.ones((2, 3))}, "parameters for every fit"),
        ({"fixed": np.zeros((0, 1))}, "parameters for every fit")])
    def test_wrong_shapes(self, options, words):
        with pytest.raises(nextstat.InputError, match=words):
            nextstat.fit_batch(self.model, **options)

    def test_numbers_of_fits_must_agree(self):
        with pytest.raises(nextstat.InputError, match="datasets 2"):
            nextstat.fit_batch(self.model, nextstat.poisson_toys(self.model, n_toys=2),
                               init_pars=np.tile(self.model.suggested_init, (3, 1)))


class TestWhatAReviewFound:
    def test_traffic_in_a_forked_child_of_a_busy_session(self):
        with nextstat.Session(ALL_MODIFIERS, device="cpu") as session:
            busy = threading.Thread(target=lambda: session.fit_toys(n_toys=20000, progress=False))
            busy.start()
            time.sleep(0.05)
            child = os.fork()
            if child == 0:
                os._exit(0 if set(session.traffic().values()) == {0} else 1)
            assert os.waitpid(child, 0)[1] == 0
            busy.join()

    def test_fixed_parameters_are_held_where_a_fit_holds_them(self):
        model = nextstat.Model.from_workspace(SIMPLE)
        n, poi = model.n_params, model.poi_index
        starts = np.tile(model.suggested_init, (2, 1))
        starts[:, poi] = 0.5, 2.0
        mask = np.arange(n) == poi
        for fixed in ([model.poi_name], mask, np.tile(mask, (2, 1))):
            assert nextstat.fit_batch(model, init_pars=starts, fixed=fixed).mu_hat.tolist() == [0.5, 2.0]
        for init in (starts[0], {model.poi_name: 0.5}):
            assert nextstat.fit_batch(model, init_pars=init, fixed=np.tile(mask, (2, 1))).mu_hat.tolist() == [0.5, 0.5]
        values = np.where(mask, 1.5, np.nan)
        assert nextstat.fit(model, fixed=values).bestfit[poi] == nextstat.fit_batch(model, fixed=values[None]).mu_hat[0] == 1.5
        with pytest.raises(nextstat.InputError, match="every parameter is held"):
            nextstat.fit_batch(model, fixed=np.tile(mask.astype(int), (2, 1)))

    def test_parameters_that_the_model_fixes(self):
        document = nextstat.Model.from_workspace(SIMPLE).workspace
        free = nextstat.Model.from_workspace(document)
        name = next(p.name for p in free.parameters if p.constraint == "normal" and p.name == p.set)
        settings = document["measurements"][0]["config"]["parameters"]
        entry = next((entry for entry in settings if entry["name"] == name), None)
        if entry is None:
            settings.append({"name": name, "fixed": True})
        else:
            entry["fixed"] = True
        model = nextstat.Model.from_workspace(document)
        place = model.parameter_names.index(name)
        starts = np.tile(model.suggested_init, (2, 1))
        starts[1, place] += 0.05
        fits = nextstat.fit_batch(model, init_pars=starts)
        assert fits.bestfit[:, place].tolist() == starts[:, place].tolist()
        for row in range(2):
            assert fits.nll[row] == pytest.approx(nextstat.fit(model, init_pars=starts[row]).nll, abs=1e-8)
        nothing = np.zeros((2, model.n_params), bool)
        assert nextstat.fit_batch(model, fixed=nothing).nll == pytest.approx(nextstat.fit(model, fixed=nothing[0]).nll, abs=1e-8)

    def test_parts_beside_an_infinite_one(self):
        model = nextstat.Model.from_workspace(ALL_MODIFIERS)
        point = model.suggested_init.copy()
        for place, parameter in enumerate(model.parameters):
            if parameter.constraint == "poisson":
                point[place] = 0.0
        main, constraint = model.nll_parts(point)
        assert constraint == np.inf and not np.isnan(main) and model.nll(point) == np.inf
        main, constraint = model.nll_parts(model.suggested_init, -model.observed_data)
        assert main == constraint == np.inf

    def test_a_mass_scan_opens_sessions_of_its_own(self):
        with nextstat.Session(SIMPLE) as session, pytest.raises(nextstat.InputError, match="give the models"):
            nextstat.mass_scan(models={"a": session})

    def test_settings_are_named(self):
        with nextstat.Session(SIMPLE, device="cpu", threads=2) as session:
            with pytest.raises(nextstat.InputError, match="threads: the session is open on cpu with 2"):
                session.fit(threads=1)
            with pytest.raises(nextstat.InputError, match="init_pars 2, datasets 3"):
                session.fit_batch(session.poisson_toys(n_toys=3), init_pars=np.tile(session.model.suggested_init, (2, 1)))
