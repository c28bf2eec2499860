#!/usr/bin/env python3
"""Writes references.json: Taylor coefficients of formulas to 20 digits, from mpmath with 120 digits.

usage: references.py > references.json      needs mpmath
"""
import json
import sys

import mpmath as mp

mp.mp.dps = 120
ORDER = 30


def smooth_step(x):
    s = min(max(x, mp.mpf(0)), mp.mpf(1))
    return s * s * (3 - 2 * s)


# name -> (formula of x, y, z; the function; where: rows of x0, y0, z0)
WIDE = [(0.7, -0.4, 1.3), (-1.9, 2.6, 0.35), (3.2, 1.1, -2.4)]
POSITIVE = [(0.7, 0.4, 1.3), (1.9, 2.6, 0.35), (3.2, -1.1, 2.4)]
UNIT = [(0.7, -0.4, 0.3), (-0.2, 0.6, 0.35), (0.05, 0.1, -0.4)]
CASES = [
    ("add", "x + y", lambda x, y, z: x + y, WIDE),
    ("subtract", "x - y", lambda x, y, z: x - y, WIDE),
    ("multiply", "x*y", lambda x, y, z: x * y, WIDE),
    ("square", "x^2", lambda x, y, z: x * x, WIDE),
    ("divide", "x/y", lambda x, y, z: x / y, WIDE),
    ("over", "2.5/x", lambda x, y, z: mp.mpf(2.5) / x, WIDE),
    ("divide_by", "x/3", lambda x, y, z: x / 3, WIDE),
    ("scale", "-0.7*x", lambda x, y, z: -mp.mpf(0.7) * x, WIDE),
    ("offset", "x + 0.3", lambda x, y, z: x + mp.mpf(0.3), WIDE),
    ("from", "0.3 - x", lambda x, y, z: mp.mpf(0.3) - x, WIDE),
    ("negate", "-x", lambda x, y, z: -x, WIDE),
    ("whole power", "x^7", lambda x, y, z: x**7, WIDE),
    ("negative power", "x^-3", lambda x, y, z: x**-3, WIDE),
    ("high power", "x^20", lambda x, y, z: x**20, WIDE),
    ("power", "x^2.7", lambda x, y, z: x ** mp.mpf(2.7), POSITIVE),
    ("root power", "x^-0.3", lambda x, y, z: x ** -mp.mpf(0.3), POSITIVE),
    ("half power", "x^1.5", lambda x, y, z: x ** mp.mpf(1.5), POSITIVE),
    ("general power", "x^y", lambda x, y, z: x**y, POSITIVE),
    ("power of a constant", "1.7^x", lambda x, y, z: mp.mpf(1.7) ** x, WIDE),
    ("sqrt", "sqrt(x)", lambda x, y, z: mp.sqrt(x), POSITIVE),
    ("exp", "exp(x)", lambda x, y, z: mp.exp(x), WIDE),
    ("log", "log(x)", lambda x, y, z: mp.log(x), POSITIVE),
    ("sin", "sin(x)", lambda x, y, z: mp.sin(x), WIDE),
    ("cos", "cos(x)", lambda x, y, z: mp.cos(x), WIDE),
    ("tan", "tan(x)", lambda x, y, z: mp.tan(x), UNIT),
    ("asin", "asin(x)", lambda x, y, z: mp.asin(x), UNIT),
    ("acos", "acos(x)", lambda x, y, z: mp.acos(x), UNIT),
    ("atan", "atan(x)", lambda x, y, z: mp.atan(x), WIDE),
    ("atan2", "atan2(x, y)", lambda x, y, z: mp.atan2(x, y), WIDE),
    ("sinh", "sinh(x)", lambda x, y, z: mp.sinh(x), WIDE),
    ("cosh", "cosh(x)", lambda x, y, z: mp.cosh(x), WIDE),
    ("tanh", "tanh(x)", lambda x, y, z: mp.tanh(x), WIDE),
    ("logistic", "logistic(x)", lambda x, y, z: 1 / (1 + mp.exp(-x)), WIDE),
    ("softplus", "softplus(x)", lambda x, y, z: mp.log(1 + mp.exp(x)), WIDE),
    ("erf", "erf(x)", lambda x, y, z: mp.erf(x), WIDE),
    ("abs", "abs(x)", lambda x, y, z: abs(x), WIDE),
    ("sign", "sign(x)", lambda x, y, z: mp.sign(x), WIDE),
    ("min", "min(x, y)", lambda x, y, z: min(x, y), WIDE),
    ("max", "max(x, y)", lambda x, y, z: max(x, y), WIDE),
    ("step", "step(x)", lambda x, y, z: smooth_step(x), UNIT + WIDE),
    ("norm2", "norm(x, y)", lambda x, y, z: mp.sqrt(x * x + y * y), WIDE),
    ("norm3", "norm(x, y, z)", lambda x, y, z: mp.sqrt(x * x + y * y + z * z), WIDE),
    ("ratio", "ratio(x, y)", lambda x, y, z: x / y, WIDE),
    ("choose", "choose(x, y, z)", lambda x, y, z: y if x >= 0 else z, WIDE),
    ("drag", "-0.1*x*norm(x, y, z)", lambda x, y, z: -mp.mpf(0.1) * x * mp.sqrt(x * x + y * y + z * z), WIDE),
    ("mixed", "sin(x*y)*exp(-z^2)/(1 + x^2) + tanh(y - z)",
     lambda x, y, z: mp.sin(x * y) * mp.exp(-z * z) / (1 + x * x) + mp.tanh(y - z), WIDE),
]
SLOPES = [(1.0, 0.5, -0.25), (-0.75, 1.25, 0.5), (0.5, -1.5, 0.125)]
CURVES = [(0.25, -0.5, 0.375), (0.0, 0.125, -0.25), (-0.375, 0.25, 1.0)]


def coefficients(f, start, slope, curve):
    def along(t):
        return f(*(mp.mpf(a) + mp.mpf(b) * t + mp.mpf(c) * t * t for a, b, c in zip(start, slope, curve)))

    return [mp.nstr(c, 20) for c in mp.taylor(along, 0, ORDER)]


def main():
    rows = []
    for name, formula, f, starts in CASES:
        for i, start in enumerate(starts):
            slope, curve = SLOPES[i % 3], CURVES[i % 3]
            rows.append({"name": name, "formula": formula, "inputs": list(zip(start, slope, curve)),
                         "coefficients": coefficients(f, start, slope, curve)})
    sys.stdout.write("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


if __name__ == "__main__":
    main()
