"""Write integrators of your own and measure them. README.md (日本語: README.ja.md) has the tasks.

usage: python3 exercise.py          says which parts are done, and draws the comparison once all are
"""
import sys

import numpy as np

import catena as ct

# A double pendulum in its angles: y = (theta_1, theta_2, theta_1', theta_2'). f(t, y) gives y'.
PENDULUM = ct.Chain(
    [ct.Link(length=1, mass=1, theta="90 deg"), ct.Link(length=1, mass=1, theta="90 deg")],
    formulation="angles",
)


# ---- Task 1: Euler's method

def euler(f, t, y, h):
    """y at t + h from y at t, with one slope."""
    raise NotImplementedError


# ---- Task 2: the classic Runge-Kutta method

def runge_kutta(f, t, y, h):
    """y at t + h, with four slopes."""
    raise NotImplementedError


# ---- Task 3: Newton-Raphson, for a method that has to solve equations

def jacobian(g, x):
    """The matrix of derivatives of g at x, by central differences: column j is dg/dx_j."""
    step = 6e-6  # the cube root of the roundoff balances the two errors of a central difference
    columns = []
    for j in range(len(x)):
        shift = np.zeros(len(x))
        shift[j] = step * max(1.0, abs(x[j]))
        columns.append((g(x + shift) - g(x - shift)) / (2 * shift[j]))
    return np.stack(columns, axis=1)


def newton_raphson(g, x, tolerance=1e-12, iterations=20):
    """A root of g near x: x - J^-1 g(x), again and again, until the correction is below the tolerance."""
    raise NotImplementedError


def implicit_midpoint(f, t, y, h):
    """y1 = y + h f(t + h/2, (y + y1)/2): the unknown is on both sides. This one is ready: it uses your Newton-Raphson."""
    def gap(y1):
        return y1 - y - h * f(t + h / 2, (y + y1) / 2)

    return newton_raphson(gap, y + h * f(t, y))


# ---- Task 4: the comparison

def comparison_figure(file="comparison.png"):
    """Your methods beside `taylor`: errors against work, and energy over time."""
    found = ct.compare(PENDULUM, [euler, runge_kutta, implicit_midpoint, "taylor"], duration=2, sample=0.02,
                       steps=[0.02, 0.01, 0.005, 0.0025], tolerances=[1e-8, 1e-12, 1e-15])
    found.plot("work").savefig(file, dpi=120)
    found.plot("energy").savefig(file.replace(".png", "-energy.png"), dpi=120)
    return found


# ---- What is done

ORDERS = {"euler": 1, "runge_kutta": 4, "implicit_midpoint": 2}


def report():
    """Measures each method; returns whether all have the order that they should have."""
    good = True
    for name, order in ORDERS.items():
        try:
            measured = ct.measured_order(globals()[name], PENDULUM)
        except NotImplementedError:
            print(f"{name}: to be written")
            good = False
            continue
        right = abs(measured - order) < 0.25
        print(f"{name}: order {measured:.2f}, {'as it should be' if right else f'it should be {order}'}")
        good = good and right
    return good


def main():
    if not report():
        sys.exit(1)
    print(comparison_figure().table())
    print("wrote comparison.png and comparison-energy.png")


if __name__ == "__main__":
    main()
