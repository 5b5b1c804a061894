"""A system may refuse threads (limits of users, containers, memory): the work goes on with those that there are, and says so."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from conftest import PROGRAM, ROOT

SEARCH = ROOT / "examples/search.json"
# pthread_create fails, as at a limit, where ALLOWED_THREADS are alive; there are five processors, whatever the machine has.
LIBRARY = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int alive;

struct start { void *(*routine)(void *); void *argument; };

static void *counted(void *given) {
  struct start start = *(struct start *)given;
  free(given);
  void *result = start.routine(start.argument);
  atomic_fetch_sub(&alive, 1);
  return result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument) {
  static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  if (!real) real = dlsym(RTLD_NEXT, "pthread_create");
  if (atomic_fetch_add(&alive, 1) >= atoi(getenv("ALLOWED_THREADS"))) {
    atomic_fetch_sub(&alive, 1);
    return EAGAIN;
  }
  struct start *start = malloc(sizeof *start);
  start->routine = routine;
  start->argument = argument;
  return real(thread, attributes, counted, start);
}

int get_nprocs(void) { return 5; }

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set) {
  (void)process;
  CPU_ZERO_S(size, set);
  for (int i = 0; i < 5; ++i) CPU_SET_S(i, size, set);
  return 0;
}
"""
QUESTIONS = [
    ["fit"],
    ["scan", "--points", "40"],
    ["ranking"],
    ["hypotest-toys", "--n-toys", "200", "--starts", "1"],
    ["evaluate", "--gradient"],
]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or sys.platform != "linux":
        pytest.skip("a C compiler and the dynamic linker of Linux are needed")
    folder = tmp_path_factory.mktemp("library")
    (folder / "refuse.c").write_text(LIBRARY)
    made = folder / "refuse.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", made, folder / "refuse.c", "-ldl"], check=True)
    return made


def with_threads(library, allowed, command, variables=()):
    environment = {**os.environ, **dict(variables), "LD_PRELOAD": str(library), "ALLOWED_THREADS": str(allowed)}
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment, timeout=120)


def numbers(text):
    result = json.loads(text)
    for key in ("wall_time_s", "warnings"):
        result.pop(key, None)
    return result


@pytest.mark.parametrize("allowed", [0, 1, 3])
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda words: words[0])
def test_fewer_threads_give_the_same_numbers_and_a_warning(library, question, allowed):
    command = [PROGRAM, question[0], SEARCH, *question[1:], "--format", "json", "--threads", "5"]
    plain = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120)
    done = with_threads(library, allowed, command)
    assert done.returncode == plain.returncode == 0, done.stderr
    assert numbers(done.stdout) == numbers(plain.stdout)
    assert plain.stderr == ""
    # One point or one fit is the work of one thread, and Ctrl-C is the other.
    if question[0] not in ("evaluate", "fit") or (question[0] == "fit" and allowed == 0):
        assert "warning: a thread could not be started (Resource temporarily unavailable)" in done.stderr
        assert any("could not be started" in text for text in json.loads(done.stdout)["warnings"])


def test_one_thread_is_what_is_left(library):
    done = with_threads(library, 0, [PROGRAM, "ranking", SEARCH, "--format", "table", "--threads", "5"])
    assert done.returncode == 0 and "the work ran on 1 of 5 threads" in done.stderr


def test_ctrl_c_may_lose_its_thread(library):
    done = with_threads(library, 0, [PROGRAM, "fit", SEARCH, "--format", "table", "--threads", "1"])
    assert done.returncode == 0 and "Ctrl-C" in done.stderr


def test_memory_for_one_thread_only():
    """The same by a real limit: address space for the program, and hardly a stack more."""
    prlimit = shutil.which("prlimit")
    if prlimit is None:
        pytest.skip("prlimit is needed")
    works = False
    for megabytes in range(16, 64, 2):
        done = subprocess.run([prlimit, f"--as={megabytes << 20}", PROGRAM, "ranking", ROOT / "examples/simple.json", "--threads", "0"],
                              capture_output=True, text=True, timeout=120)
        # The loader does not get the libraries in, or the C++ library has no room for an exception: before anything works.
        too_small = done.returncode == 127 or (done.returncode == -6 and "without an active exception" in done.stderr)
        if too_small and not works:
            continue
        assert "internal error" not in done.stderr and done.returncode in (0, 1, 2), done
        works = works or done.returncode == 0
    assert works


def test_python_goes_on_too(library):
    pytest.importorskip("nextstat")
    script = "import nextstat, sys; print(nextstat.ranking(sys.argv[1], threads=5).warnings)"
    environment = {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.environ.get("PYTHONPATH", str(ROOT / "build/release/python"))}
    done = with_threads(library, 0, [sys.executable, "-c", script, SEARCH], environment)
    assert done.returncode == 0 and "the work ran on 1 of 5 threads" in done.stdout, done
