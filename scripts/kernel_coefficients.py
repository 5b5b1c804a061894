#!/usr/bin/env python3
"""Prints the coefficient block of src/kernels/math.h (needs mpmath).

    python3 scripts/kernel_coefficients.py

Two functions are approximated by weighted minimax polynomials (Remez exchange on a dense grid):
    A(z) = (2 atanh(s) - 2s) / (s z), z = s^2 in [0, z_max], |s| <= (sqrt2 - 1) / (sqrt2 + 1)
    P(r) = (exp(r) - 1 - r) / r^2, |r| <= ln2 / 2
The weights turn the error of A into that of log relative to log, and the error of P into that of exp.
"""
import struct

from mpmath import atanh, exp, floor, fabs, ldexp, linspace, log, lu_solve, matrix, mp, mpf, polyval, sqrt

mp.prec = 300

Z_MAX = ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2
R_MAX = log(2) / 2 * (1 + mpf(2) ** -10)  # rounding to the nearest k overshoots a little


def atanh_tail(z):
    if z < mpf(10) ** -12:
        return mpf(2) / 3 + 2 * z / 5
    s = sqrt(z)
    return (2 * atanh(s) - 2 * s) / (s * z)


def exp_tail(r):
    if fabs(r) < mpf(10) ** -12:
        return mpf(1) / 2 + r / 6
    return (exp(r) - 1 - r) / r**2


def grid(low, high, points=1201):
    """Chebyshev-spaced, because the extrema crowd at the ends; zero left out, where the weights vanish."""
    middle, half = (low + high) / 2, (high - low) / 2
    angles = linspace(0, mp.pi, points)
    return [x for x in (middle - half * mp.cos(a) for a in angles) if fabs(x) > mpf(10) ** -30]


def extrema(values):
    """Index of the largest |value| in each run of one sign."""
    best = [0]
    for i in range(1, len(values)):
        if (values[i] > 0) != (values[best[-1]] > 0):
            best.append(i)
        elif fabs(values[i]) > fabs(values[best[-1]]):
            best[-1] = i
    return best


def remez(function, weight, low, high, degree):
    """Coefficients c[0..degree], lowest first, that make max |weight * (function - polynomial)| least."""
    xs = grid(low, high)
    targets, weights = [function(x) for x in xs], [weight(x) for x in xs]
    chosen = [round(i * (len(xs) - 1) / (degree + 1)) for i in range(degree + 2)]
    for _ in range(40):
        rows = [[xs[i] ** j for j in range(degree + 1)] + [(-1) ** n / weights[i]] for n, i in enumerate(chosen)]
        solution = lu_solve(matrix(rows), matrix([targets[i] for i in chosen]))
        coefficients = [solution[j] for j in range(degree + 1)]
        errors = [w * (t - polyval(coefficients[::-1], x)) for x, t, w in zip(xs, targets, weights)]
        peaks = extrema(errors)
        while len(peaks) > degree + 2:  # drop the weaker end
            peaks = peaks[1:] if fabs(errors[peaks[0]]) < fabs(errors[peaks[-1]]) else peaks[:-1]
        if len(peaks) < degree + 2 or peaks == chosen:
            break
        chosen = peaks
    return coefficients


def rounded(value, bits):
    """(nearest double or float, its shortest decimal that survives decimal -> double -> float)."""
    number = float(value)
    if bits == 64:
        return mpf(number), repr(number)
    number = struct.unpack("f", struct.pack("f", number))[0]
    for digits in range(1, 12):
        text = f"{number:.{digits}g}"
        if struct.unpack("f", struct.pack("f", float(text)))[0] == number:
            return mpf(number), text if set(text) & set(".e") else text + ".0"
    raise ValueError(value)


def high_part(value, bits_kept):
    scale = bits_kept - int(floor(log(value, 2))) - 1
    return floor(ldexp(value, scale)) / ldexp(mpf(1), scale)


def polynomial(name, variable, comment, fit, bits):
    """A Horner chain as a dialect function, with the largest weighted error of the rounded coefficients."""
    function, weight, low, high, degree = fit
    pairs = [rounded(c, bits) for c in remez(*fit)]
    values = [p[0] for p in pairs]
    worst = max(weight(x) * fabs(function(x) - polyval(values[::-1], x)) for x in grid(low, high))
    print(f"// {comment}; approximation error {float(worst):.1e}.")
    print(f"FN real {name}(real {variable}) {{")
    print(f"  real p = R({pairs[degree][1]});")
    for value, text in pairs[degree - 1 :: -1]:
        print(f"  p = p * {variable} {'+' if value >= 0 else '-'} R({text.lstrip('-')});")
    print("  return p;\n}\n")


def constant(name, value, comment, bits):
    print(f"FN real {name}(void) {{ return R({rounded(value, bits)[1]}); }}  // {comment}")


def block(bits):
    wide = bits == 64
    tail = (atanh_tail, lambda z: sqrt(z), mpf(0), Z_MAX, 6 if wide else 3)
    polynomial("ns_atanh_tail", "z", "A(z) = (2 atanh(s) - 2s) / (s z), z = s^2 <= 0.0295", tail, bits)
    tail = (exp_tail, lambda r: r**2, -R_MAX, R_MAX, 9 if wide else 4)
    polynomial("ns_exp_tail", "r", "P(r) = (exp(r) - 1 - r) / r^2, |r| <= ln2 / 2", tail, bits)
    kept = 41 if wide else 15  # k * high is exact: |k| < 2^12, in f32 |k| < 2^9
    high = high_part(log(2), kept)
    constant("ns_ln2", log(2), "log(2)", bits)
    constant("ns_ln2_high", high, f"its first {kept} bits: k * ns_ln2_high() is exact", bits)
    constant("ns_ln2_low", log(2) - high, "the rest", bits)
    constant("ns_log2_e", 1 / log(2), "1 / log(2)", bits)


if __name__ == "__main__":
    for width, opening in ((64, "#if REAL_BITS == 64"), (32, "#else")):
        print(opening)
        block(width)
    print("#endif")
