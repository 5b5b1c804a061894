#!/usr/bin/env python3
"""Prints the rational functions of src/kernels/normal.h (needs mpmath).

    python3 scripts/quantile_coefficients.py

The normal quantile x(p), p <= 1/2 the probability beyond x, in three pieces, each a ratio of polynomials whose largest
relative error is near the least possible one (least squares on Chebyshev points, the weights refined by the denominator):
    x / q as a function of r = 9/64 - q^2,  q = 1/2 - p <= 3/8
    x as a function of s - 2,               s = -log p in [2, 9]
    x as a function of s - 9,               s = -log p in [9, 45.2]   (p down to 2^-65)
"""
from kernel_coefficients import rounded
from mpmath import cos, erfc, exp, fabs, log, lu_solve, matrix, mp, mpf, pi, polyval, sqrt

mp.prec = 250


def quantile(p):
    """x with P(X > x) = p, by Newton's method on log P, which is concave: no overshoot from below."""
    x = mpf(0)
    while True:
        tail, density = erfc(x / sqrt(2)) / 2, exp(-x * x / 2) / sqrt(2 * pi)
        step = tail / density * log(tail / p)
        x += step
        if fabs(step) < mpf(10) ** -50 * (1 + fabs(x)):
            return x


def chebyshev(low, high, count):
    return [(low + high) / 2 - (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * count)) for i in range(count)]


def ratio(p, q, x):
    return polyval(p[::-1], x) / polyval(q[::-1], x)


def fit(function, low, high, degree):
    """Coefficients of numerator and denominator, lowest first, the denominator's first one 1."""
    points = 4 * (2 * degree + 1)
    xs = chebyshev(low, high, points)
    ys = [function(x) for x in xs]
    weights = [1 / y for y in ys]
    for _ in range(5):
        rows = [[w * x**j for j in range(degree + 1)] + [-w * y * x**j for j in range(1, degree + 1)]
                for x, y, w in zip(xs, ys, weights)]
        a, b = matrix(rows), matrix([w * y for y, w in zip(ys, weights)])
        solution = list(lu_solve(a.T * a, a.T * b))
        p, q = solution[:degree + 1], [mpf(1)] + solution[degree + 1:]
        weights = [1 / (y * fabs(polyval(q[::-1], x))) for x, y in zip(xs, ys)]
    return p, q


def horner(name, variable, coefficients):
    pairs = [rounded(c, 64) for c in coefficients][::-1]
    print(f"  real {name} = R({pairs[0][1]});")
    for value, text in pairs[1:]:
        print(f"  {name} = {name} * {variable} {'+' if value >= 0 else '-'} R({text.lstrip('-')});")


def piece(name, variable, comment, function, low, high, degree):
    p, q = fit(function, low, high, degree)
    stored = [[rounded(c, 64)[0] for c in side] for side in (p, q)]
    worst = max(fabs(ratio(*stored, x) / function(x) - 1) for x in chebyshev(low, high, 200))
    print(f"// {comment}; approximation error {float(worst):.1e}.")
    print(f"FN real {name}(real {variable}) {{")
    horner("p", variable, p)
    horner("q", variable, q)
    print("  return p / q;\n}\n")


def center(r):
    q = sqrt(mpf(9) / 64 - r)
    return quantile(mpf(1) / 2 - q) / q


if __name__ == "__main__":
    tiny = mpf(10) ** -25
    piece("ns_quantile_center", "r", "x / q, r = 9/64 - q^2 in [0, 9/64]", center, mpf(0), mpf(9) / 64 - tiny, 6)
    piece("ns_quantile_near", "t", "x, t = s - 2 in [0, 7]", lambda t: quantile(exp(-t - 2)), mpf(0), mpf(7), 8)
    piece("ns_quantile_far", "t", "x, t = s - 9 in [0, 36.2]", lambda t: quantile(exp(-t - 9)), mpf(0), mpf("36.2"), 8)
