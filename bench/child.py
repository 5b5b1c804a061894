"""The measured side of bench/compare*.py for engines with a Python interface: answers commands on standard input.

    about       -> {"engine": ..., versions}
    load PATH   -> seconds from the file to a ready model, which the next commands use
    value       -> NLL at the initial point
    nll N       -> N times in seconds, each of one call at a new random point
    grad N      -> the same for NLL and gradient, where the engine has one
    fit N       -> {"times": N seconds, "nll", "iterations", ...}: N fits from the suggested start, nothing kept between them
    scan N      -> the same for N profile scans of the parameter of interest over 21 points from 0 to 5
    ranking N   -> the same for N rankings of the nuisance parameters
    toys COUNT THREADS, hypotest_toys COUNT THREADS -> {"seconds", ...}, where the engine has them

One line of JSON per answer. bench/compare_probe.cpp speaks the same language, and `batch N` besides.
"""
import gc
import json
import random
import sys
import time


def random_point(rng, initial, bounds):
    """Initial values moved by N(0,1) where they are 0 (shape parameters) and by 0.1 N(0,1) elsewhere, within bounds."""
    moved = (x + rng.gauss(0.0, 1.0 if x == 0.0 else 0.1) for x in initial)
    return [min(max(x, low), high) for x, (low, high) in zip(moved, bounds)]


def time_calls(call, points):
    clock = time.perf_counter
    times = []
    gc.disable()
    for point in points:
        start = clock()
        call(point)
        times.append(clock() - start)
    gc.enable()
    return times


SCAN_VALUES = [0.25 * index for index in range(21)]


def time_answers(answer, count):
    """answer() is timed; the function that it returns tells the result of the last one."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        tell = answer()
        times.append(time.perf_counter() - start)
    return {"times": times, **tell()}


def serve(about, load, as_point):
    """load(path) gives an object with initial, bounds, and those of nll(point), grad(point), fit(), scan(), ranking() that
    the engine has. The last three give a function that tells their result, so that telling it is not timed."""
    rng = random.Random(20240521)
    model = None
    for line in sys.stdin:
        verb, _, argument = line.strip().partition(" ")
        if verb == "about":
            answer = about
        elif verb == "load":
            start = time.perf_counter()
            model = load(argument)
            answer = time.perf_counter() - start
        elif verb == "value":
            answer = float(model.nll(as_point(model.initial)))
        elif verb in ("nll", "grad"):
            points = [as_point(random_point(rng, model.initial, model.bounds)) for _ in range(int(argument))]
            answer = time_calls(getattr(model, verb), points)
        elif verb in ("fit", "scan", "ranking"):
            answer = time_answers(getattr(model, verb), int(argument))
        elif verb in getattr(model, "commands", {}):
            answer = model.commands[verb](argument)
        else:
            sys.exit(f"unknown command: {line.strip()}")
        print(json.dumps(answer), flush=True)
