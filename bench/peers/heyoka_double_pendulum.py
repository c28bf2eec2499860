"""heyoka on problem "double-pendulum-1000s": its adaptive Taylor integrator.

It runs at its default tolerance, and for each goal at the tolerance that makes it fastest among those that
keep the energy that well. (Its step rule looks at the last two coefficients. From this start they vanish at
some orders, 20 of the default among them: the first step is then far too long, and the energy is lost.)
What is timed, as processor time (why: measure.h), is `propagate_until` alone, after compilation. Problem and
energy measure: double_pendulum.h.
"""

import json
import math
import sys
import time

import heyoka

GRAVITY, DURATION = 9.81, 1000.0
START = [math.pi / 2, math.pi / 2, 0.0, 0.0]
GOALS = (1e-10, 1e-12)
TOLERANCES = (3e-12, 1e-12, 3e-13, 1e-13, 3e-14, 1e-14, 3e-15, 1e-15, 1e-17)
MOST_STEPS = 200_000  # five times what is needed: more means that the integrator is lost


def equations():
    q1, q2, w1, w2 = heyoka.make_vars("q1", "q2", "w1", "w2")
    s, c = heyoka.sin(q1 - q2), heyoka.cos(q1 - q2)
    force1 = -2 * GRAVITY * heyoka.sin(q1) - s * w2 * w2
    force2 = -GRAVITY * heyoka.sin(q2) + s * w1 * w1
    inverse = 1.0 / (1.0 + s * s)
    w1_rate, w2_rate = (force1 - c * force2) * inverse, (2.0 * force2 - c * force1) * inverse
    return [(q1, w1), (q2, w2), (w1, w1_rate), (w2, w2_rate)]


def energies(state):
    q1, q2, w1, w2 = state
    kinetic = w1 * w1 + 0.5 * w2 * w2 + w1 * w2 * math.cos(q1 - q2)
    return kinetic, -GRAVITY * (2 * math.cos(q1) + math.cos(q2))


def restart(integrator):
    integrator.time = 0.0
    integrator.state[:] = START


def energy_error(integrator):
    """The largest deviation at the ends of steps, in a run of its own, which is not timed."""
    restart(integrator)
    start_potential = energies(START)[1]
    deviation = most_kinetic = most_change = 0.0
    steps = 0
    while integrator.time < DURATION:
        outcome, _ = integrator.step(DURATION - integrator.time)
        fine = outcome in (heyoka.taylor_outcome.success, heyoka.taylor_outcome.time_limit)
        if not fine or steps == MOST_STEPS:
            return float("inf"), steps
        kinetic, potential = energies(integrator.state.tolist())
        deviation = max(deviation, abs(kinetic + potential - start_potential))
        most_kinetic = max(most_kinetic, kinetic)
        most_change = max(most_change, abs(potential - start_potential))
        steps += 1
    return deviation / (most_kinetic + most_change), steps


def best_seconds(integrator, repetitions):
    best = float("inf")
    for _ in range(repetitions):
        restart(integrator)
        start = time.process_time()
        integrator.propagate_until(DURATION, max_steps=MOST_STEPS)
        best = min(best, time.process_time() - start)
    return best


def measured_run(repetitions, **options):
    integrator = heyoka.taylor_adaptive(equations(), START, compact_mode=False, **options)
    error, steps = energy_error(integrator)
    seconds = best_seconds(integrator, repetitions) if error < float("inf") else float("inf")
    note = f"tolerance {integrator.tol:.0e}, order {integrator.order}, compilation not counted"
    return {"seconds": seconds, "energy_error": error, "steps": steps, "note": note}


def batch_states(size):
    """Neighbours of the start, as a sweep has them."""
    return [[START[0] - 0.001 * i for i in range(size)], [START[1] - 0.001 * i for i in range(size)],
            [0.0] * size, [0.0] * size]


def batch_error(integrator, size):
    """The largest error at the ends of runs, over the energy of the start's potential range."""
    worst = 0.0
    for i in range(size):
        begin, end = [row[i] for row in batch_states(size)], [row[i] for row in integrator.state]
        worst = max(worst, abs(sum(energies(end)) - sum(energies(begin))))
    return worst / (2 * 3 * GRAVITY)


def batch_run(size, tolerance, repetitions):
    """Several trajectories side by side; seconds are those of one of them."""
    integrator = heyoka.taylor_adaptive_batch(equations(), batch_states(size), compact_mode=False, tol=tolerance)
    best = float("inf")
    for _ in range(repetitions):
        integrator.set_time(0.0)
        integrator.state[:] = batch_states(size)
        start = time.process_time()
        integrator.propagate_until([DURATION] * size)
        best = min(best, (time.process_time() - start) / size)
    note = f"batch of {size}, tolerance {tolerance:.0e}, order {integrator.order}, compilation not counted"
    return {"seconds": best, "energy_error": batch_error(integrator, size), "steps": 0, "note": note}


def measure_lanes(repetitions):
    for size in (4, 8):
        runs = [batch_run(size, tolerance, repetitions) for tolerance in (1e-14, 1e-15)]
        good = [run for run in runs if run["energy_error"] <= 1e-12]
        if not good:
            continue
        best = min(good, key=lambda run: run["seconds"])
        line = {"peer": f"heyoka {heyoka.__version__} batch of {size}", "problem": "lanes-double-pendulum", **best}
        print(json.dumps(line), flush=True)


# Problem "derivatives-double-pendulum" (catena_derivatives.cpp): [of the start][at the end].
REFERENCE = [[4.7981023783343035, 9.942227506258133, 47.39124420518585, -10.547751491377648],
             [14.915782921332248, 18.591282127123836, 150.96574993206667, -16.64220500910913],
             [0.15244160741723345, 0.5647168245902959, 1.3025300622327558, -0.31275686518606444],
             [-2.936893615611786, -3.0202302030861596, -29.942619654682925, 2.5920328388689566]]


def derivatives_run(tolerance, repetitions):
    """Angles and rates after 10 s from rest at 1.5 rad, with their derivatives by all four of the start."""
    system = heyoka.var_ode_sys(equations(), heyoka.var_args.vars, order=1)
    integrator = heyoka.taylor_adaptive(system, [1.5, 1.5, 0.0, 0.0], compact_mode=False, tol=tolerance)
    start = list(integrator.state)
    best, steps = float("inf"), 0
    for _ in range(repetitions):
        integrator.time = 0.0
        integrator.state[:] = start
        begin = time.process_time()
        steps = integrator.propagate_until(10.0)[3]
        best = min(best, time.process_time() - begin)
    # Behind the state come the rows of its Jacobian.
    found = [[integrator.state[4 + 4 * i + j] for i in range(4)] for j in range(4)]
    largest = max(abs(value) for row in REFERENCE for value in row)
    error = max(abs(found[j][i] - REFERENCE[j][i]) for j in range(4) for i in range(4)) / largest
    note = f"var_ode_sys of order 1, tolerance {tolerance:.0e}, order {integrator.order}, compilation not counted"
    return {"seconds": best, "error": error, "steps": steps, "note": note}


def measure_derivatives(repetitions):
    """The fastest tolerance that reaches each goal."""
    runs = [derivatives_run(tolerance, repetitions) for tolerance in (1e-8, 1e-9, 3e-10, 1e-10, 3e-11, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15)]
    for goal in (1e-10, 3e-12, 2e-13):
        good = [run for run in runs if run["error"] <= goal]
        if not good:
            continue
        best = min(good, key=lambda run: run["seconds"])
        line = {"peer": f"heyoka {heyoka.__version__} to {goal:.0e}", "problem": "derivatives-double-pendulum", **best}
        print(json.dumps(line), flush=True)


def main():
    wanted = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    if wanted in ("", "lanes-double-pendulum"):
        measure_lanes(2 if "--quick" in sys.argv else 5)
    if wanted in ("", "derivatives-double-pendulum"):
        measure_derivatives(20 if "--quick" in sys.argv else 200)
    if "--only" in sys.argv and sys.argv[sys.argv.index("--only") + 1] != "double-pendulum-1000s":
        return
    repetitions = 2 if "--quick" in sys.argv else 5

    def report(label, run):
        line = {"peer": f"heyoka {heyoka.__version__}{label}", "problem": "double-pendulum-1000s", **run}
        print(json.dumps(line), flush=True)

    report(" default", measured_run(repetitions))
    runs = [measured_run(repetitions, tol=tolerance) for tolerance in TOLERANCES]
    reported = []
    for goal in sorted(GOALS):  # the tightest first, so that a run that is best for several is named after it
        good = [run for run in runs if run["energy_error"] <= goal]
        best = min(good, key=lambda run: run["seconds"], default=None)
        if best and best not in reported:
            report(f" to {goal:.0e}", best)
            reported.append(best)


if __name__ == "__main__":
    main()
