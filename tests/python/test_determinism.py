"""Every question gets the same bytes of JSON, times aside, from any number of threads and every time it is asked."""

import json
import re

import pytest

from conftest import write

THREADS = (1, 2, 4)
REPEATS, MANY_REPEATS = 3, 10
# Verb and options. POI is the name of the model's parameter of interest.
QUESTIONS = {
    "fit": ["fit"],
    "fit --minos": ["fit", "--minos", "POI"],
    "scan": ["scan", "--points", "7"],
    "interval": ["interval"],
    "ranking": ["ranking"],
    "hypotest": ["hypotest", "--mu", "1", "--expected-set"],
    "cls": ["cls"],
    "upper-limit": ["upper-limit"],
    "significance": ["significance"],
    "goodness-of-fit": ["goodness-of-fit"],
}
POIS = {"thu": "SigXsecOverSM", "tttt": "mu_signal"}
TIMES = re.compile(r'"[a-z]*_time_s": [^,\s}]+')


def check(nextstat, words, repeats):
    """Runs all thread counts `repeats` times; the first answer decides what the others must be."""
    answers = {}
    for _ in range(repeats):
        for threads in THREADS:
            done = nextstat(*words, "--threads", threads, "--format", "json")
            assert done.returncode == 0, done.stderr
            text, times = TIMES.subn("", done.stdout)
            assert times == 1, "wall_time_s, and no other time"
            answers.setdefault(text, []).append(threads)
    assert len(answers) == 1, f"{len(answers)} different answers, from threads {list(answers.values())}"


def words_of(question, name, data_dir):
    verb, *options = (POIS[name] if word == "POI" else word for word in QUESTIONS[question])
    return [verb, data_dir / f"{name}.json", *options]


@pytest.mark.parametrize("name", POIS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_threads_and_repetition_change_nothing(question, name, nextstat, data_dir):
    check(nextstat, words_of(question, name, data_dir), REPEATS)


@pytest.mark.long
@pytest.mark.parametrize("name", POIS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_many_repetitions_change_nothing(question, name, nextstat, data_dir):
    check(nextstat, words_of(question, name, data_dir), MANY_REPEATS)


@pytest.mark.parametrize("repeats, every", [(REPEATS, 3), pytest.param(MANY_REPEATS, 1, marks=pytest.mark.long)])
def test_mass_scan(repeats, every, nextstat, data_dir, tmp_path):
    """Of every third point; of all of them in the long test."""
    patchset = json.loads((data_dir / "1lbb.patchset.json").read_text())
    patchset["patches"] = patchset["patches"][::every]
    assert len(patchset["patches"]) > 2
    words = ["mass-scan", data_dir / "1lbb.bkg.json", "--patchset", write(tmp_path / "patchset.json", patchset)]
    check(nextstat, words, repeats)


def test_the_number_of_threads_is_read(nextstat, data_dir):
    """A program that ignored --threads would pass all of the above."""
    done = nextstat("fit", data_dir / "thu.json", "--threads", "many")
    assert done.returncode == 2 and "threads" in done.stderr
