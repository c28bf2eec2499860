#!/usr/bin/env python3
"""Writes src/catena/math/elementary_tables.h: polynomials and constants of the elementary functions.

Needs mpmath. The header is part of the sources; run this only to change it.
"""

import pathlib

import mpmath as mp

mp.mp.dps = 60
HEADER = pathlib.Path(__file__).resolve().parent.parent / "src/catena/math/elementary_tables.h"
A_LITTLE_MORE = mp.mpf("1.0002")  # intervals, since reduction rounds


def by_series(exact, first, second=0):
    """exact(x), which is first + second x where its digits cancel."""
    return lambda x: first + second * x if abs(x) < mp.mpf(10) ** -14 else exact(x)


def of_root(f):
    return lambda z: f(mp.sqrt(z))


LN2 = mp.log(2)
QUARTER = (mp.pi / 4 * A_LITTLE_MORE) ** 2
HALF_LN2 = LN2 / 2 * A_LITTLE_MORE
LARGEST_S = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1) * A_LITTLE_MORE) ** 2
EIGHTH = (mp.tan(mp.pi / 8) * A_LITTLE_MORE) ** 2

POLYNOMIALS = [
    ("kSin", "sin r = r + r z (..), z = r^2, |r| < pi/4", 7, 0, QUARTER,
     by_series(of_root(lambda r: (mp.sin(r) / r - 1) / r**2), -mp.mpf(1) / 6, mp.mpf(1) / 120)),
    ("kCos", "cos r = 1 - z/2 + z^2 (..)", 6, 0, QUARTER,
     by_series(of_root(lambda r: (mp.cos(r) - 1 + r**2 / 2) / r**4), mp.mpf(1) / 24, -mp.mpf(1) / 720)),
    ("kExp", "exp r = 1 + r + r^2 (..), |r| < ln 2 / 2", 11, -HALF_LN2, HALF_LN2,
     by_series(lambda r: (mp.exp(r) - 1 - r) / r**2, mp.mpf(1) / 2, mp.mpf(1) / 6)),
    ("kExp2", "2^r = 1 + r ln 2 + r^2 (..), |r| < 1/2", 11, mp.mpf("-0.5001"), mp.mpf("0.5001"),
     by_series(lambda r: (mp.power(2, r) - 1 - r * LN2) / r**2, LN2**2 / 2, LN2**3 / 6)),
    ("kLog", "2 atanh s = 2 s + s z (..), z = s^2, s < 0.172", 7, 0, LARGEST_S,
     by_series(of_root(lambda s: (2 * mp.atanh(s) / s - 2) / s**2), mp.mpf(2) / 3, mp.mpf(2) / 5)),
    ("kAtan", "atan s = s + s z (..), s < tan(pi/8)", 12, 0, EIGHTH,
     by_series(of_root(lambda s: (mp.atan(s) / s - 1) / s**2), -mp.mpf(1) / 3, mp.mpf(1) / 5)),
    ("kLog1p", "log(1 + r) = r - r^2/2 + r^3 (..), |r| < 1/360", 6, -mp.mpf(1) / 360, mp.mpf(1) / 360,
     by_series(lambda r: (mp.log1p(r) - r + r**2 / 2) / r**3, mp.mpf(1) / 3, -mp.mpf(1) / 4)),
    ("kLog2OneMore", "log2(1 + r) = r / ln 2 + r^2 (..), |r| < 0.0048", 6, -mp.mpf("0.0048"), mp.mpf("0.0048"),
     by_series(lambda r: (mp.log1p(r) / LN2 - r / LN2) / r**2, -1 / LN2 / 2, 1 / LN2 / 3)),
    ("kAsin", "asin s = s + s z (..), s <= 1/2", 13, 0, mp.mpf("0.2501"),
     by_series(of_root(lambda s: (mp.asin(s) / s - 1) / s**2), mp.mpf(1) / 6, mp.mpf(3) / 40)),
    ("kSinh", "sinh s = s + s z (..), s < 0.36", 6, 0, mp.mpf("0.36") ** 2,
     by_series(of_root(lambda s: (mp.sinh(s) / s - 1) / s**2), mp.mpf(1) / 6, mp.mpf(1) / 120)),
    ("kCosh", "cosh r = 1 + z/2 + z^2 (..), |r| < ln 2 / 2", 6, 0, HALF_LN2**2,
     by_series(of_root(lambda r: (mp.cosh(r) - 1 - r**2 / 2) / r**4), mp.mpf(1) / 24, mp.mpf(1) / 720)),
]
CONSTANTS = [
    ("kHalfPi", mp.pi / 2, [33, 53, 53], "pi/2; the first part has 33 bits, so that whole multiples are exact"),
    ("kQuarterPi", mp.pi / 4, [53, 53], ""),
    ("kLn2", LN2, [33, 53], "ln 2; the first part has 33 bits"),
    ("kFullLn2", LN2, [53, 53], ""),
    ("kLog2E", 1 / LN2, [53, 53], "1 / ln 2"),
]
FIRST_J, LAST_J = 180, 363


def parts(value, bits):
    out = []
    for count in bits:
        unit = mp.mpf(2) ** (count - 1 - mp.floor(mp.log(abs(value), 2)))
        out.append(mp.nint(value * unit) / unit)
        value -= out[-1]
    return out


def array(name, numbers, words):
    lines, line = [], f"inline constexpr double {name}[] = {{"
    for text in [float(number).hex() for number in numbers]:
        if len(line) + len(text) + 2 > 108:
            lines.append(line.rstrip())
            line = "    "
        line += text + ", "
    lines.append(line.rstrip(", ") + "};")
    return ([f"// {words}"] if words else []) + lines


def words_of_two_over_pi():
    """Two words of zeros in front: arguments that are barely large begin there."""
    out = [0, 0]
    with mp.workdps(500):
        rest = 2 / mp.pi
        for _ in range(38):
            rest *= 2**32
            out.append(int(mp.floor(rest)))
            rest -= out[-1]
    return out


def table_of_log2():
    lines = ["// Of 256 equal parts of a mantissa from sqrt(1/2) on: a number c next to 1/m, and -log2 c in two parts, of which",
             "// the first has no digits beyond 2^-42. c = 1 where m may be 1.",
             "inline constexpr double kLog2Of[][3] = {"]
    first = 0x3fe6a09e667f3bcd

    def number(words):
        exponent, fraction = words >> 52, words & (2**52 - 1)
        return mp.mpf(2**52 + fraction) * mp.mpf(2) ** (exponent - 1075)

    for i in range(256):
        low, high = number(first + (i << 44)), number(first + ((i + 1) << 44) - 1)
        j = 256 if low <= 1 <= high else int(mp.nint(512 / (low + high)))
        exact = -mp.log(mp.mpf(j) / 256, 2)
        unit = mp.mpf(2) ** 42
        head = mp.nint(exact * unit) / unit
        rest = exact - head
        assert all(abs(m * j / 256 - 1) < mp.mpf("0.0048") or j == 256 for m in (low, high))
        assert all(abs(m * j / 256 - 1) < mp.mpf("0.0048") for m in (low, high)), i
        lines.append(f"    {{{(j / 256).hex()}, {float(head).hex()}, {float(rest).hex()}}},")
    return lines + ["};"]


def main():
    lines = [
        "// Constants of the elementary functions, written by tools/elementary_tables.py. Polynomials are near the best",
        "// ones on their intervals (Chebyshev), rounded to doubles.",
        "// clang-format off",
        "#pragma once", "", "#include <cstdint>", "", "namespace catena::elementary {", ""]
    for name, words, count, low, high, f in POLYNOMIALS:
        coefficients, error = mp.chebyfit(f, [low, high], count, error=True)
        lines += array(name, coefficients[::-1], f"{words}; to {mp.nstr(error, 2)}")
    for name, value, bits, words in CONSTANTS:
        lines += array(name, parts(value, bits), words)
    lines.append(f"// log(256 / j) in two parts, j from {FIRST_J} to {LAST_J}.")
    lines.append(f"inline constexpr std::uint64_t kFirstInverse = {FIRST_J};")
    lines.append("inline constexpr double kLogOfInverse[][2] = {")
    for j in range(FIRST_J, LAST_J + 1):
        high, low = parts(mp.log(mp.mpf(256) / j), [53, 53]) if j != 256 else (0, 0)
        lines.append(f"    {{{float(high).hex()}, {float(low).hex()}}},")
    lines.append("};")
    lines += table_of_log2()
    lines.append("// 2/pi, behind 64 zeros.")
    lines.append("inline constexpr std::uint32_t kTwoOverPi[] = {")
    table = [f"0x{word:08x}" for word in words_of_two_over_pi()]
    lines += ["    " + ", ".join(table[i:i + 8]) + "," for i in range(0, len(table), 8)]
    lines += ["};", "", "}  // namespace catena::elementary", ""]
    HEADER.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
