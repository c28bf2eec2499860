#!/usr/bin/env python3
"""Writes precision_references.json: motions of small systems to 34 digits, from mpmath with 50 digits.

usage: precision_references.py > precision_references.json      needs mpmath

The equations are other ones than Catena's: angles for chains in a plane, Cartesian coordinates with Lagrange
multipliers from a dense matrix in space. They are solved by Gragg's extrapolation, twice, with different steps.
All numbers are the decimals that a scene has: number(0.7) is 7/10, not the double next to it.
"""
import json
import sys

import mpmath as mp

mp.mp.dps = 50


def number(value):
    return mp.mpf(repr(value)) if isinstance(value, float) else mp.mpf(value)


G = number(9.81)


def extrapolated(f, y, t, steps, lines=20):
    h = number(t) / steps
    for _ in range(steps):
        table = []
        for j in range(lines):
            n = 2 * (j + 1)
            d = h / n
            before, now = y, [a + d * b for a, b in zip(y, f(y))]
            for _ in range(n - 1):
                before, now = now, [a + 2 * d * b for a, b in zip(before, f(now))]
            row = [[(a + b + d * c) / 2 for a, b, c in zip(before, now, f(now))]]
            for k in range(1, j + 1):
                ratio = (number(n) / (2 * (j - k + 1))) ** 2 - 1
                row.append([a + (a - b) / ratio for a, b in zip(row[k - 1], table[-1][k - 1])])
            table.append(row)
        y = table[-1][-1]
    return y


def planar(lengths, masses):
    n = len(lengths)
    length, mass = [number(v) for v in lengths], [number(v) for v in masses]
    below = [sum(mass[k:]) for k in range(n)]

    def f(y):
        theta, omega = y[:n], y[n:]
        a, b = mp.matrix(n, n), mp.matrix(n, 1)
        for i in range(n):
            b[i] = -below[i] * G * length[i] * mp.sin(theta[i])
            for j in range(n):
                weight = below[max(i, j)] * length[i] * length[j]
                a[i, j] = weight * mp.cos(theta[i] - theta[j])
                b[i] -= weight * mp.sin(theta[i] - theta[j]) * omega[j] ** 2
        return list(omega) + list(mp.lu_solve(a, b))

    return f


def pushed(lengths, masses, push=None, twist=None, pivot=None):
    """Two links with more acting, and time as the last number: push(t, velocity of a bob) on each bob, twist(omega)
    in each joint, pivot(t) the acceleration of the pivot; all in (x, z)."""
    n = len(lengths)
    length, mass = [number(v) for v in lengths], [number(v) for v in masses]
    below = [sum(mass[k:]) for k in range(n)]

    def f(y):
        theta, omega, t = y[:n], y[n:2 * n], y[2 * n]
        ahead = [[length[i] * mp.cos(theta[i]), length[i] * mp.sin(theta[i])] for i in range(n)]
        torque = list(twist(omega)) if twist else [number(0)] * n
        a = [[below[max(i, j)] * (ahead[i][0] * ahead[j][0] + ahead[i][1] * ahead[j][1]) for j in range(n)]
             for i in range(n)]
        lift = pivot(t) if pivot else [number(0), number(0)]
        for k in range(n):
            v = [sum(omega[j] * ahead[j][c] for j in range(k + 1)) for c in range(2)]
            # What the bob would do if the links' angles had no acceleration, taken from the forces.
            bend = [sum(omega[j] ** 2 * d for j, d in enumerate(row)) for row in zip(
                *[[-ahead[j][1], ahead[j][0]] for j in range(k + 1)])]
            force = push(t, v) if push else [number(0)] * 2
            free = [force[0] - mass[k] * (lift[0] + bend[0]), force[1] - mass[k] * (G + lift[1] + bend[1])]
            for i in range(k + 1):
                torque[i] += free[0] * ahead[i][0] + free[1] * ahead[i][1]
        (p, q), (r, s) = a
        det = p * s - q * r
        return list(omega) + [(torque[0] * s - q * torque[1]) / det, (p * torque[1] - r * torque[0]) / det, number(1)]

    return f


def spatial(lengths, masses, turn=0):
    """Positions and velocities of the bobs, rods by multipliers; a force turn (v_y, -v_x, 0) on each bob."""
    n = len(lengths)
    mass = [number(v) for v in masses]
    turn = number(turn)

    def f(y):
        x = [y[3 * k:3 * k + 3] for k in range(n)]
        v = [y[3 * (n + k):3 * (n + k) + 3] for k in range(n)]
        d = [[x[k][i] - (x[k - 1][i] if k else 0) for i in range(3)] for k in range(n)]
        w = [[v[k][i] - (v[k - 1][i] if k else 0) for i in range(3)] for k in range(n)]
        dot = lambda a, b: sum(p * q for p, q in zip(a, b))
        pushed_by = lambda k: [turn * v[k][1] / mass[k], -turn * v[k][0] / mass[k], number(0)]
        a, b = mp.matrix(n, n), mp.matrix(n, 1)
        for k in range(n):
            a[k, k] = dot(d[k], d[k]) * (1 / mass[k] + (1 / mass[k - 1] if k else 0))
            if k + 1 < n:
                a[k, k + 1] = a[k + 1, k] = -dot(d[k], d[k + 1]) / mass[k]
            b[k] = dot(w[k], w[k]) - (d[k][2] * G if k == 0 else 0)
            b[k] += dot(d[k], pushed_by(k)) - (dot(d[k], pushed_by(k - 1)) if k else 0)
        det = a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]  # two links
        pull = [(b[0] * a[1, 1] - a[0, 1] * b[1]) / det, (a[0, 0] * b[1] - a[1, 0] * b[0]) / det]
        acceleration = []
        for k in range(n):
            for i in range(3):
                force = -pull[k] * d[k][i] + (pull[k + 1] * d[k + 1][i] if k + 1 < n else 0)
                acceleration.append(force / mass[k] - (G if i == 2 else 0) + pushed_by(k)[i])
        return y[3 * n:] + acceleration

    return f


def elastic(lengths, masses, stiffness):
    n = len(lengths)

    def f(y):
        x = [y[2 * k:2 * k + 2] for k in range(n)]
        pull = []
        for k in range(n):
            d = [x[k][i] - (x[k - 1][i] if k else 0) for i in range(2)]
            r = mp.sqrt(d[0] ** 2 + d[1] ** 2)
            pull.append([number(stiffness[k]) * (r - number(lengths[k])) * p / r for p in d])
        out = []
        for k in range(n):
            for i in range(2):
                force = -pull[k][i] + (pull[k + 1][i] if k + 1 < n else 0)
                out.append(force / number(masses[k]) - (G if i == 1 else 0))
        return y[2 * n:] + out

    return f


def rod(length, mass):
    """One rod about its end."""
    length, mass = number(length), number(mass)
    inertia = mass * length * length / 12
    rate = mass * G * length / 2 / (mass * length * length / 4 + inertia)
    return lambda y: [y[1], -rate * mp.sin(y[0])]


def one_link(length, mass, inertia=0, center=1, drag=0, bend=0):
    """theta and its rate of one link about its end: quadratic drag on its mass, and a spring linear in theta."""
    length, mass, inertia, drag, bend = (number(v) for v in (length, mass, inertia, drag, bend))
    arm = length * number(center)
    whole = mass * arm * arm + inertia
    return lambda y: [y[1], (-mass * G * arm * mp.sin(y[0]) - drag * arm ** 3 * abs(y[1]) * y[1] - bend * y[0]) / whole]


def turned(length, azimuth):
    """The end of that link, in a plane turned about z."""
    length = number(length)
    return lambda y: [[length * mp.sin(y[0]) * mp.cos(azimuth), length * mp.sin(y[0]) * mp.sin(azimuth),
                       -length * mp.cos(y[0])]]


def spring_pendulum():
    """r and theta of a mass of 1 kg on a spring of 40 N/m and 1 m, dragged by r'/4 in r and driven by cos(2 t)/2 in
    theta; time is the last number."""
    def f(y):
        r, theta, v, omega, t = y
        along = r * omega ** 2 - 40 * (r - 1) + G * mp.cos(theta) - v / 4
        return [v, omega, along, (-G * mp.sin(theta) + mp.cos(2 * t) / (2 * r)) / r - 2 * v * omega / r, number(1)]

    return f


def lorenz(y):
    x, y, z = y
    return [10 * (y - x), x * (28 - z) - y, x * y - 8 * z / 3]


def henon_heiles(y):
    x, y, px, py = y
    return [px, py, -x - 2 * x * y, -y - x * x + y * y]


def solved(name, f, y, t, steps, ends):
    coarse, fine = extrapolated(f, y, t, steps), extrapolated(f, y, t, 2 * steps)
    apart = max(abs(a - b) for a, b in zip(coarse, fine))
    print(name, mp.nstr(apart, 3), file=sys.stderr)
    assert apart < mp.mpf("1e-36")
    return {"name": name, "t": t, "ends": [[mp.nstr(c, 36) for c in end] for end in ends(fine)]}


def angle_ends(lengths):
    def ends(y):
        out, x, z = [], number(0), number(0)
        for length, theta in zip(lengths, y):
            x += number(length) * mp.sin(theta)
            z -= number(length) * mp.cos(theta)
            out.append([x, number(0), z])
        return out

    return ends


def main():
    half = mp.pi / 2
    lengths, masses = [1.0, 0.7], [1.0, 0.5]
    three, bobs = [1.0, 0.7, 0.4], [1.0, 0.5, 0.3]
    upright = [half, half, number(0.5), number(0), number(0)]  # the last is time
    flying = ([number(v) for v in (1, 0, 0)] + [number(1), number(0.7), number(0)]
              + [number(0), number(1.5), number(0)] + [number(0), number(1.5), number(0.7) * number(-0.5)])
    cases = [
        solved("driven", pushed(lengths, masses, push=lambda t, v: [number(0.5) * mp.cos(3 * t) - v[0] / 4, -v[1] / 4]),
               upright, 2, 36, angle_ends(lengths)),
        solved("damped", pushed(lengths, masses, twist=lambda w: [-w[0] / 4 + (w[1] - w[0]) / 8, (w[0] - w[1]) / 8]),
               upright, 2, 36, angle_ends(lengths)),
        solved("pivot", pushed(lengths, masses, pivot=lambda t: [-mp.sin(2 * t), -number(9) / 8 * mp.cos(3 * t)]),
               upright, 2, 36, angle_ends(lengths)),
        solved("lorentz", spatial(lengths, masses, turn=1.0), flying, 1, 32, lambda y: [y[0:3], y[3:6]]),
        solved("planar", planar(lengths, masses), [half, half, number(0.5), number(0)], 2, 48,
               angle_ends(lengths)),
        solved("three", planar(three, bobs), [half, half, half, number(0), number(0.25), number(-1)], 1, 32,
               angle_ends(three)),
        solved("angles", planar(lengths, masses), [number(2.0), number(0.7), number(0.3), number(-0.1)], 1, 32,
               angle_ends(lengths)),
        # Link 1 along x, turning about z; link 2 along y, turning down.
        solved("spatial", spatial(lengths, masses), flying, 1, 32, lambda y: [y[0:3], y[3:6]]),
        solved("elastic", elastic(lengths, masses, [200.0, 100.0]),
               [number(1), number(0), number(1) + number(0.7), number(0)] + [number(0)] * 4, 1, 48,
               lambda y: [[y[0], number(0), y[1]], [y[2], number(0), y[3]]]),
        solved("lagrangian", spring_pendulum(), [number(1.3), number(1.5), number(0), number(0), number(0)], 1, 48,
               lambda y: [y[0:3]]),  # r, theta and the rate of r
        solved("lorenz", lorenz, [number(1)] * 3, 10, 400, lambda y: [y]),
        solved("lorenz, longer", lorenz, [number(1)] * 3, 20, 800, lambda y: [y]),
        solved("henon-heiles", henon_heiles, [number(v) for v in (0, 0.3, 0.36, 0.22)], 100, 400,
               lambda y: [y[0:3], y[1:4]]),  # x, y and px; y, px and py
        solved("rod", rod(0.8, 1.3), [half, number(1)], 2, 48, angle_ends([0.8])),
        # Before it turns round, where |v| v has a kink.
        solved("dragged", one_link(0.9, 0.7, drag=number(0.5) * number(1.2) * number(0.47) * number(0.3)),
               [mp.pi / 3, -mp.pi / 6], 0.5, 24, turned(0.9, mp.pi / 6)),
        solved("bent", one_link(0.9, 0.7, bend=1.3), [mp.pi / 3, number(0.3)], 2, 48, turned(0.9, mp.pi / 9)),
        # A body's centre of mass.
        solved("body", one_link(0.5, 1.5, inertia=0.08), [mp.atan2(3, 4), number(-0.7)], 1, 32, turned(0.5, number(0))),
    ]
    json.dump({"about": "written by precision_references.py", "cases": cases}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
