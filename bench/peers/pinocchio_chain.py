"""Pinocchio's Python package on problem "forward-dynamics", for where its C++ headers are not found.

The cost of a call from Python is measured (on a chain of no links) and subtracted, so that small chains are
judged by the algorithm. Same state, reference, clock and output as in chain_problem.h and measure.h.
"""

import json
import sys
import time

import numpy as np
import pinocchio

GRAVITY = 9.81
BOB_INERTIA = np.diag([0.0, 0.0, 1.0])  # about the link only; why: pinocchio_chain.cpp
SIZES = [2, 5, 10, 20, 50, 100, 200, 500, 1000]


def chain_state(n):
    k = np.arange(1, n + 1)
    theta, theta_rate = 1.2 + 0.3 * np.sin(k), 0.2 * np.cos(k)
    phi, phi_rate = 0.3 * k, 0.1 * np.sin(2 * k)
    u = np.stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), -np.cos(theta)], axis=1)
    along_theta = np.stack([np.cos(theta) * np.cos(phi), np.cos(theta) * np.sin(phi), np.sin(theta)], axis=1)
    along_phi = np.stack([-np.sin(phi), np.cos(phi), 0 * phi], axis=1)
    w = theta_rate[:, None] * along_theta + (phi_rate * np.sin(theta))[:, None] * along_phi
    return u, w


def reference_accelerations(u, w):
    """a = g + J^T lambda, J a = -J' v in the positions of the bobs (masses 1), dense."""
    n = len(u)
    jacobian = np.zeros((n, 3 * n))
    for k in range(n):
        jacobian[k, 3 * k : 3 * k + 3] = u[k]
        if k > 0:
            jacobian[k, 3 * k - 3 : 3 * k] = -u[k]
    gravity = np.tile([0, 0, -GRAVITY], n)
    multipliers = np.linalg.solve(jacobian @ jacobian.T, -np.sum(w * w, axis=1) - jacobian @ gravity)
    return (gravity + jacobian.T @ multipliers).reshape(n, 3)


def chain_model(n):
    model = pinocchio.Model()
    model.gravity.linear = np.array([0, 0, -GRAVITY])
    link = np.array([0.0, 0.0, -1.0])
    bob = pinocchio.Inertia(1.0, link, BOB_INERTIA)
    parent = 0
    for k in range(n):
        placement = pinocchio.SE3(np.eye(3), link if k > 0 else np.zeros(3))
        parent = model.addJoint(parent, pinocchio.JointModelSpherical(), placement, f"joint{k}")
        model.appendBodyToJoint(parent, bob, pinocchio.SE3.Identity())
    return model


def joint_state(u, w):
    """Relative orientations and angular velocities (child's frame) of links along their frames' -z."""
    rotations, q, v = [], [], []
    world_from_parent, parent_omega = np.eye(3), np.zeros(3)
    for direction, rate in zip(u, w):
        world_from_body = pinocchio.Quaternion.FromTwoVectors(np.array([0.0, 0, -1]), direction).matrix()
        omega = np.cross(direction, rate)
        q.append(pinocchio.Quaternion(world_from_parent.T @ world_from_body).coeffs())
        v.append(world_from_body.T @ (omega - parent_omega))
        rotations.append(world_from_body)
        world_from_parent, parent_omega = world_from_body, omega
    return rotations, np.concatenate(q), np.concatenate(v)


def bob_accelerations(u, w, rotations, v, joint_accelerations):
    bob, angular, result = np.zeros(3), np.zeros(3), []
    for k, (direction, rate) in enumerate(zip(u, w)):
        omega = np.cross(direction, rate)
        relative, acceleration = v[3 * k : 3 * k + 3], joint_accelerations[3 * k : 3 * k + 3]
        angular = angular + rotations[k] @ acceleration + np.cross(omega, rotations[k] @ relative)
        bob = bob + np.cross(angular, direction) + np.cross(omega, rate)
        result.append(bob)
    return np.array(result)


def best_seconds(call, budget):
    start = time.process_time()
    call()
    batch = max(1, int(1e-3 / (time.process_time() - start)))
    best, end = float("inf"), time.process_time() + budget
    while time.process_time() < end or best == float("inf"):
        start = time.process_time()
        for _ in range(batch):
            call()
        best = min(best, (time.process_time() - start) / batch)
    return best


def evaluation(n):
    """A function that evaluates the accelerations of the chain, and the error of its answer."""
    model = chain_model(n)
    scratch, torque = model.createData(), np.zeros(model.nv)
    if n == 0:
        return lambda: pinocchio.aba(model, scratch, torque, torque, torque), 0.0
    u, w = chain_state(n)
    rotations, q, v = joint_state(u, w)
    answer = bob_accelerations(u, w, rotations, v, pinocchio.aba(model, scratch, q, v, torque))
    reference = reference_accelerations(u, w)
    deviation = np.linalg.norm(answer - reference, axis=1).max() / np.linalg.norm(reference, axis=1).max()
    error = float(deviation) if deviation < 1e300 else 1e300
    return lambda: pinocchio.aba(model, scratch, q, v, torque), error


def main():
    quick = "--quick" in sys.argv
    if "--only" in sys.argv and sys.argv[sys.argv.index("--only") + 1] != "forward-dynamics":
        return
    budget, most_seconds = (0.02, 0.5) if quick else (0.15, 2.0)
    overhead = best_seconds(evaluation(0)[0], budget)
    for n, larger in zip(SIZES, SIZES[1:] + [SIZES[-1]]):
        start = time.process_time()
        call, error = evaluation(n)
        built = time.process_time() - start
        seconds = best_seconds(call, budget)
        note = f"from Python, less {overhead * 1e9:.0f} ns per call; inertia 1 kg m2 about the link only"
        line = {"peer": f"Pinocchio {pinocchio.__version__}", "problem": "forward-dynamics", "n": n,
                "seconds": max(seconds - overhead, 1e-9), "error": error, "note": note}
        print(json.dumps(line), flush=True)
        if built * (larger / n) ** 3 > most_seconds:
            break


if __name__ == "__main__":
    main()
