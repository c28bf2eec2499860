#!/usr/bin/env python3
"""Exudyn on problem "ladder-1s" (bench/ladder_problem.h): planar bodies, hinges by constraints, sparse equations.

Usage: exudyn_ladder.py [--quick] [--only PROBLEM]
"""

import argparse
import importlib.metadata
import json
import math
import time

import exudyn
import exudyn.itemInterface as items

SIDE, HIGH = 0.4, 0.3
GRAVITY = (9.81 * math.sin(math.radians(30)), -9.81 * math.cos(math.radians(30)))
JUDGED = 10
# x and z of the middle of the tenth rung after 1 s, from Catena at two tolerances
PLACES = {40: (1.3299561165275404, -2.7788458943592746), 166: (0.8159808997800306, -2.936029641631141)}


def ladder(cells):
    """The system, and the node of the judged rung."""
    container = exudyn.SystemContainer()
    system = container.AddSystem()
    ground = system.AddObject(items.ObjectGround())
    bodies = {}

    def rod(name, start, end):
        length = math.dist(start, end)
        middle = [(a + b) / 2 for a, b in zip(start, end)]
        node = system.AddNode(items.NodeRigidBody2D(referenceCoordinates=[*middle, 0.0]))
        body = system.AddObject(items.ObjectRigidBody2D(physicsMass=length, physicsInertia=length**3 / 12, nodeNumber=node))
        mass = system.AddMarker(items.MarkerBodyMass(bodyNumber=body))
        system.AddLoad(items.LoadMassProportional(markerNumber=mass, loadVector=[*GRAVITY, 0.0]))
        bodies[name] = (body, node, middle)

    def marker(name, point):
        if name == "ground":
            return system.AddMarker(items.MarkerBodyPosition(bodyNumber=ground, localPosition=[*point, 0.0]))
        body, _, middle = bodies[name]
        local = [p - m for p, m in zip(point, middle)]
        return system.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[*local, 0.0]))

    def hinge(first, second, point):
        system.AddObject(items.ObjectJointRevolute2D(markerNumbers=[marker(first, point), marker(second, point)]))

    for k in range(1, cells + 1):
        for name, x in (("left", 0.0), ("right", SIDE)):
            top = (x, -HIGH * (k - 1))
            rod(f"{name}{k}", top, (x, -HIGH * k))
            hinge(f"{name}{k - 1}" if k > 1 else "ground", f"{name}{k}", top)
        rod(f"rung{k}", (0, -HIGH * k), (SIDE, -HIGH * k))
        hinge(f"left{k}", f"rung{k}", (0, -HIGH * k))
        hinge(f"right{k}", f"rung{k}", (SIDE, -HIGH * k))
    system.Assemble()
    return container, system, bodies[f"rung{JUDGED}"][1]


def run(cells, steps):
    container, system, node = ladder(cells)  # the container has to stay alive
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.endTime = 1.0
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.linearSolverType = exudyn.LinearSolverType.EigenSparse
    settings.solutionSettings.writeSolutionToFile = False
    start = time.process_time()
    system.SolveDynamic(settings)
    seconds = time.process_time() - start
    place = system.GetNodeOutput(node, exudyn.OutputVariableType.Position)
    del container
    return seconds, max(abs(place[0] - PLACES[cells][0]), abs(place[1] - PLACES[cells][1]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    options, _ = parser.parse_known_args()
    if options.only not in ("", "ladder-1s"):
        return
    for cells in PLACES:
        for steps in (200, 1000) if options.quick else (200, 1000, 5000):
            seconds, error = run(cells, steps)
            print(json.dumps({"peer": f"Exudyn {importlib.metadata.version('exudyn')}, {steps} steps", "problem": "ladder-1s",
                              "n": 3 * cells, "seconds": seconds, "error": error, "steps": steps,
                              "ms_per_step": 1e3 * seconds / steps}), flush=True)


if __name__ == "__main__":
    main()
