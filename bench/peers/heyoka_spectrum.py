"""heyoka's variational system on problem "double-pendulum-spectrum" (spectrum.h): var_ode_sys by the start, made orthonormal
once a second. Unrolled, which is heyoka's faster mode here. Timed as processor time, after compilation.
"""

import argparse
import json
import time

import heyoka
import numpy as np
from heyoka_double_pendulum import START, equations

DURATION, TOLERANCE = 200.0, 1e-12


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    if options.only not in ("", "double-pendulum-spectrum"):
        return
    system = heyoka.var_ode_sys(equations(), heyoka.var_args.vars, order=1)
    integrator = heyoka.taylor_adaptive(system, START, compact_mode=False, tol=TOLERANCE)
    duration = DURATION * (0.1 if options.quick else 1.0)
    growth = np.zeros(4)
    start = time.process_time()
    for second in range(int(duration)):
        integrator.propagate_until(second + 1.0)
        q, r = np.linalg.qr(integrator.state[4:].reshape(4, 4))
        growth += np.log(np.abs(np.diag(r)))
        integrator.state[4:] = q.ravel()
    seconds = (time.process_time() - start) * DURATION / duration
    note = f"exponents {', '.join(f'{one:.3f}' for one in growth / duration)} 1/s, compilation not counted"
    print(json.dumps({"peer": "heyoka", "problem": "double-pendulum-spectrum", "seconds": seconds, "note": note}))


if __name__ == "__main__":
    main()
