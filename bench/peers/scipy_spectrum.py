"""SciPy's DOP853 on problem "double-pendulum-spectrum" (spectrum.h): motion and variational equations, written by hand,
in one system of twenty; directions are made orthonormal once a second, which is often enough for three digits of twelve.
Timed as processor time.
"""

import argparse
import json
import time

import numpy as np
from scipy.integrate import DOP853

GRAVITY, DURATION, TOLERANCE = 9.81, 200.0, 1e-12


def rates(_, y):
    q1, q2, w1, w2 = y[:4]
    sin, cos = np.sin, np.cos
    s, c = sin(q1 - q2), cos(q1 - q2)
    f1 = -2 * GRAVITY * sin(q1) - s * w2 * w2
    f2 = -GRAVITY * sin(q2) + s * w1 * w1
    d = 1.0 / (1.0 + s * s)
    n1, n2 = f1 - c * f2, 2 * f2 - c * f1
    # By q1, q2, w1, w2: first of f1, f2 and of c, s, d.
    f1_by = (-2 * GRAVITY * cos(q1) - c * w2 * w2, c * w2 * w2, 0.0, -2 * s * w2)
    f2_by = (c * w1 * w1, -GRAVITY * cos(q2) - c * w1 * w1, 2 * s * w1, 0.0)
    c_by, d_by = (-s, s, 0.0, 0.0), (-2 * s * c * d * d, 2 * s * c * d * d, 0.0, 0.0)
    jacobian = np.zeros((4, 4))
    jacobian[0, 2] = jacobian[1, 3] = 1.0
    for k in range(4):
        jacobian[2, k] = (f1_by[k] - c_by[k] * f2 - c * f2_by[k]) * d + n1 * d_by[k]
        jacobian[3, k] = (2 * f2_by[k] - c_by[k] * f1 - c * f1_by[k]) * d + n2 * d_by[k]
    out = np.empty(20)
    out[:4] = w1, w2, n1 * d, n2 * d
    out[4:] = (jacobian @ y[4:].reshape(4, 4)).ravel()
    return out


def spectrum(duration):
    y = np.concatenate([[np.pi / 2, np.pi / 2, 0.0, 0.0], np.eye(4).ravel()])
    growth, steps = np.zeros(4), 0
    for second in range(int(duration)):
        solver = DOP853(rates, second, y, second + 1.0, rtol=TOLERANCE, atol=TOLERANCE)
        while solver.status == "running":
            solver.step()
            steps += 1
        q, r = np.linalg.qr(solver.y[4:].reshape(4, 4))
        growth += np.log(np.abs(np.diag(r)))
        y = np.concatenate([solver.y[:4], q.ravel()])
    return growth / duration, steps


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    if options.only not in ("", "double-pendulum-spectrum"):
        return
    part = 0.1 if options.quick else 1.0
    start = time.process_time()
    found, steps = spectrum(DURATION * part)
    seconds = (time.process_time() - start) / part
    note = f"exponents {', '.join(f'{one:.3f}' for one in found)} 1/s" + (", a tenth was timed" if options.quick else "")
    print(json.dumps({"peer": "scipy", "problem": "double-pendulum-spectrum", "seconds": seconds, "steps": int(steps / part),
                      "note": note}))


if __name__ == "__main__":
    main()
