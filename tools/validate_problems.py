"""The reference problems of tests/references as scenes, each with the error that its reference defines."""

import json
import math
import pathlib

REFERENCES = pathlib.Path(__file__).resolve().parent.parent / "tests" / "references"
TURN = 2 * math.pi


def reference(name):
    return json.loads((REFERENCES / f"{name}.json").read_text())


class Setup:
    """One way to pose a problem: a scene (a dictionary, or a shipped scene's name with overrides), the times at
    which it is looked at, and the error of the rows there."""

    def __init__(self, name, scene, times, error, step, overrides=(), columns=(), methods=None, why_few=""):
        self.name = name
        self.scene = scene
        self.times = times
        self.error = error
        self.step = step
        self.overrides = list(overrides)
        self.columns = list(columns)
        self.methods = methods
        self.why_few = why_few


class Problem:
    def __init__(self, source, title, asked, bound, unit, setups):
        self.source = source
        self.title = title
        self.asked = asked
        self.bound = bound
        self.unit = unit
        self.setups = setups


def simulation(duration, **more):
    return {"duration": duration, **more}


def largest(values):
    """The largest of the sizes; nan if one is."""
    worst = 0.0
    for value in values:
        if not math.isfinite(value):
            return math.inf
        worst = max(worst, abs(value))
    return worst


def around(angle):
    return math.remainder(angle, TURN)


# ---- pendulums ------------------------------------------------------------------------------------------------


def periods():
    table = reference("simple_pendulum_period_table")["ratio_by_amplitude_deg"]
    small = TURN / math.sqrt(9.81)
    quarter = {degrees: float(ratio) * small / 4 for degrees, ratio in table.items()}
    times = sorted(set(quarter.values()))
    chains = [
        {"name": f"a{degrees}", "links": [{"length": 1.0, "mass": 1.0, "theta": f"{degrees} deg"}]} for degrees in table
    ]

    def error(rows):
        found = []
        for degrees, time in quarter.items():
            row = rows[times.index(time)]
            late = row[f"theta_a{degrees}_1"] / row[f"theta_dot_a{degrees}_1"]
            found.append(late / (4 * time))
        return largest(found)

    scene = {"simulation": simulation(times[-1]), "chains": chains}
    return Problem(
        "simple_pendulum_period_table",
        "Periods of the pendulum, amplitudes 1 to 179 degrees",
        "the lowest point is passed after a quarter of the period, as a share of the period",
        1e-12,
        "",
        [Setup("17 chains", scene, times, error, 1e-3, columns=["angles"])],
    )


def pendulum_lagrangian(x, z, vx, vz, gravity):
    return {
        "coordinates": {"x": x, "z": z},
        "rates": {"x": vx, "z": vz},
        "parameters": {"g": gravity},
        "kinetic": "0.5*(x'^2 + z'^2)",
        "potential": "g*z",
        "constraints": ["0.5*(x^2 + z^2 - 1)"],
    }


def simple_pendulum():
    rows = [row for row in reference("iftomm_A01_simple_pendulum")["reference"]["rows_start_x_minus_1"]]
    wanted = [[float(v) for v in row[:3]] for row in rows if 0 < float(row[0]) <= 10]
    times = [row[0] for row in wanted]

    def error_of(x, z):
        return lambda got: largest(
            value for row, want in zip(got, wanted) for value in (row[x] - want[1], row[z] - want[2])
        )

    chain = {"simulation": simulation(10.0), "chain": {"links": [{"length": 1.0, "mass": 1.0, "theta": "-90 deg"}]}}
    body = {
        "simulation": simulation(10.0),
        "bodies": [{"name": "bob", "shape": "point", "mass": 1.0, "position": [-1, 0, 0]}],
        "joints": [
            {"kind": "distance", "bodies": ["ground", "bob"], "points": [[0, 0, 0], [-1, 0, 0]]},
            {"kind": "point-on-plane", "bodies": ["ground", "bob"], "point": [0, 0, 0], "axis": [0, 1, 0]},
        ],
    }
    text = {"simulation": simulation(10.0), "lagrangian": pendulum_lagrangian(-1.0, 0.0, 0.0, 0.0, 9.81)}
    return Problem(
        "iftomm_A01_simple_pendulum",
        "IFToMM A01: pendulum released from the horizontal, 10 s",
        "position of the mass",
        1e-9,
        "m",
        [
            Setup("chain", chain, times, error_of("x_1", "z_1"), 2e-3, columns=["position"]),
            Setup("body on a rod", body, times, error_of("x_bob", "z_bob"), 2e-3, columns=["position"]),
            Setup("Lagrangian in x, z", text, times, error_of("x", "z"), 2e-3, columns=["position"]),
        ],
    )


def dae_pendulum():
    x, z, vx, vz, _ = (float(v) for v in reference("pendulum_dae_index3")["reference"]["x,y,vx,vy,lam"])
    chain = {
        "simulation": simulation(1.0, gravity=1.0),
        "chain": {"links": [{"length": 1.0, "mass": 1.0, "direction": [1, 0, 0], "rate": [0, 0, 1]}]},
    }
    text = {"simulation": simulation(1.0), "lagrangian": pendulum_lagrangian(1.0, 0.0, 0.0, 1.0, 1.0)}

    def error_of(names):
        return lambda rows: largest(rows[0][name] - want for name, want in zip(names, (x, z, vx, vz)))

    columns = ["position", "velocity"]
    return Problem(
        "pendulum_dae_index3",
        "The pendulum as a differential-algebraic equation, 1 s",
        "position and velocity, against the corrected digits",
        1e-12,
        "m, m/s",
        [
            Setup("chain", chain, [1.0], error_of(("x_1", "z_1", "vx_1", "vz_1")), 1e-4, columns=columns),
            Setup("Lagrangian in x, z", text, [1.0], error_of(("x", "z", "x_dot", "z_dot")), 1e-4, columns=columns),
        ],
    )


def small_pendulum():
    exact = reference("hlw_pendulum")["reference"]
    q, p = float(exact["q"]), float(exact["p"])
    chain = {
        "simulation": simulation(TURN, gravity=1.0),
        "chain": {"links": [{"length": 1.0, "mass": 1.0, "theta_dot": 1.0}]},
    }
    text = {
        "simulation": simulation(TURN),
        "lagrangian": {"coordinates": {"q": 0.0}, "rates": {"q": 1.0}, "lagrangian": "0.5*q'^2 + cos(q)"},
    }
    return Problem(
        "hlw_pendulum",
        "The pendulum of Hairer, Lubich and Wanner, one turn of the clock",
        "angle and rate",
        1e-12,
        "rad, rad/s",
        [
            Setup(
                "chain",
                chain,
                [TURN],
                lambda rows: largest((rows[0]["theta_1"] - q, rows[0]["theta_dot_1"] - p)),
                1e-3,
                columns=["angles"],
            ),
            Setup(
                "Lagrangian, separable",
                text,
                [TURN],
                lambda rows: largest((rows[0]["q"] - q, rows[0]["q_dot"] - p)),
                1e-3,
                columns=["position", "velocity"],
            ),
        ],
    )


def spherical_pendulum():
    cases = reference("spherical_pendulum")["cases"]
    chains, wanted = [], []
    for i, case in enumerate(cases):
        link = {
            "length": 1.0,
            "mass": 1.0,
            "theta": f"{case['theta_max_deg']} deg",
            "phi_dot": float(case["phidot_at_max"]),
        }
        chains.append({"name": f"c{i + 1}", "links": [link]})
        wanted.append(
            (
                f"c{i + 1}_1",
                float(case["nutation_period"]),
                math.radians(float(case["theta_max_deg"])),
                float(case["delta_phi_per_period"]),
            )
        )
    times = sorted(period for _, period, _, _ in wanted)

    def error(rows):
        found = []
        for name, period, theta, phi in wanted:
            row = rows[times.index(period)]
            found += [row[f"theta_{name}"] - theta, around(row[f"phi_{name}"] - phi)]
        return largest(found)

    scene = {"simulation": simulation(times[-1]), "chains": chains}
    return Problem(
        "spherical_pendulum",
        "Spherical pendulum: nutation and precession over one period",
        "polar angle and azimuth after one nutation",
        1e-12,
        "rad",
        [Setup("5 chains", scene, times, error, 5e-4, columns=["angles"])],
    )


# ---- chains ---------------------------------------------------------------------------------------------------


def eigenvector(mass, stiffness, value):
    """Of stiffness v = value mass v, by inverse iteration."""
    n = len(stiffness)
    shifted = [[(stiffness[i] if i == j else 0.0) - value * (1 + 1e-9) * mass[i][j] for j in range(n)] for i in range(n)]
    vector = [1.0 + 0.1 * i for i in range(n)]
    for _ in range(6):
        right = [sum(mass[i][j] * vector[j] for j in range(n)) for i in range(n)]
        vector = solved(shifted, right)
        size = max(abs(v) for v in vector)
        vector = [v / size for v in vector]
    return vector


def solved(matrix, right):
    rows = [list(row) + [b] for row, b in zip(matrix, right)]
    n = len(rows)
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            for j in range(k, n + 1):
                rows[i][j] -= factor * rows[k][j]
    for k in range(n - 1, -1, -1):
        rows[k][n] = (rows[k][n] - sum(rows[k][j] * rows[j][n] for j in range(k + 1, n))) / rows[k][k]
    return [row[n] for row in rows]


def normal_modes():
    data = reference("chain_normal_modes")
    n, size = 4, 1e-6
    below = [n - 1 - i for i in range(n)]
    chains, wanted = [], []
    for kind, zeros in (("m", data["laguerre_zeros"][str(n)]), ("r", data["rigid_rod_chain_mu"][str(n)])):
        own, half, third = (1.0, 1.0, 1.0) if kind == "m" else (0.5, 0.5, 1 / 3)
        mass = [
            [(third if i == j else half) + below[max(i, j)] for j in range(n)] for i in range(n)
        ]
        stiffness = [own + b for b in below]
        for k, zero in enumerate(zeros):
            shape = eigenvector(mass, stiffness, float(zero))
            links = [{"length": 1.0, "mass": 1.0, "theta": size * v} for v in shape]
            if kind == "r":
                for link in links:
                    link["inertia"] = "rod"
            chains.append({"name": f"{kind}{k + 1}", "links": links})
            wanted.append((f"{kind}{k + 1}", 0.25 * TURN / math.sqrt(9.81 * float(zero))))
    times = sorted(time for _, time in wanted)

    def error(rows):
        found = []
        for name, time in wanted:
            row = rows[times.index(time)]
            found += [row[f"theta_{name}_{i + 1}"] / size for i in range(n)]
        return largest(found)

    scene = {"simulation": simulation(times[-1]), "chains": chains}
    return Problem(
        "chain_normal_modes",
        "Normal modes of hanging chains: four masses, four rods",
        "each mode, 1e-6 rad wide, passes zero after a quarter of its period, as a share of its width",
        1e-9,
        "",
        [Setup("8 chains", scene, times, error, 1e-3, columns=["theta"])],
    )


def horizontal_chains():
    rows = [row for row in reference("horizontal_chain_rkmk54")["rows"] if row["P"] in (2, 4, 8)]

    def chain(count, formulation):
        links = {"length": 5.0 / count, "mass": 1.0, "theta": "90 deg", "repeat": count}
        return {
            "simulation": simulation(3.0),
            "chain": {"plane": "none", "formulation": formulation, "links": [links]},
        }

    def error_of(row):
        last = row["P"]
        return lambda got: largest(
            got[0][f"{axis}_{last}"] - want for axis, want in zip("xyz", row["tip_ref"])
        )

    setups = [
        Setup(f"{row['P']} links, {form}", chain(row["P"], form), [3.0], error_of(row), 1e-3, columns=["position"])
        for row, form in zip(rows, ("tension", "lie", "tension"))
    ]
    return Problem(
        "horizontal_chain_rkmk54",
        "Chains released from the horizontal, 3 s in space",
        "position of the last mass",
        1e-9,
        "m",
        setups,
    )


# ---- mechanisms -----------------------------------------------------------------------------------------------


def heavy_top():
    rows = reference("heavy_top")["reference"]
    times = [float(row["t"]) for row in rows]
    wanted = [[float(v) for v in row["x"]] for row in rows]

    def error(got):
        return largest(
            row[f"{axis}_top"] - want[i] for row, want in zip(got, wanted) for i, axis in enumerate("xyz")
        )

    return Problem(
        "heavy_top",
        "Fast heavy top, 2 s",
        "position of the centre of mass",
        1e-10,
        "m",
        [Setup("shipped scene heavy-top", "heavy-top", times, error, 5e-4, columns=["position"])],
    )


def four_bar_row(count, duration):
    def rod(name, center, upright, **more):
        i, thin = 1 / 12, 1e-3
        inertia = [i, i, thin] if upright else [thin, i, i]
        return {"name": name, "mass": 1.0, "inertia": inertia, "position": center, **more}

    def pin(first, second, point):
        return {"kind": "revolute", "bodies": [first, second], "point": point, "axis": [0, 1, 0]}

    bodies, joints = [], []
    for k in range(count + 1):
        bodies.append(rod(f"crank{k}", [k, 0, 0.5], True, velocity=[0.5, 0, 0], angular_velocity=[0, 1, 0]))
        joints.append(pin("ground", f"crank{k}", [k, 0, 0]))
    for k in range(count):
        bodies.append(rod(f"coupler{k}", [k + 0.5, 0, 1.0], False, velocity=[1, 0, 0]))
        joints.append(pin(f"crank{k}", f"coupler{k}", [k, 0, 1]))
        joints.append(pin(f"coupler{k}", f"crank{k + 1}", [k + 1, 0, 1]))
    return {"simulation": simulation(duration), "bodies": bodies, "joints": joints}


def four_bars():
    data = reference("iftomm_A02_n_four_bar")["reference"]
    setups = []
    for count, duration, few in ((2, 10.0, None), (40, 20.0, ["taylor"])):
        rows = [[float(v) for v in row[:3]] for row in data[f"N{count}"]["rows"] if float(row[0]) > 0]

        def error(got, rows=rows):
            return largest(
                value
                for row, want in zip(got, rows)
                for value in (2 * row["x_crank0"] - want[1], 2 * row["z_crank0"] - want[2])
            )

        setups.append(
            Setup(
                f"{count} windows",
                four_bar_row(count, duration),
                [row[0] for row in rows],
                error,
                2e-3,
                columns=["x_crank0", "z_crank0"],
                methods=few,
                why_few="81 bodies; other methods take minutes each and fail as they do with 2 windows",
            )
        )
    return Problem(
        "iftomm_A02_n_four_bar",
        "IFToMM A02: a row of four-bars through its singular positions",
        "position of the first crank's tip",
        1e-9,
        "m",
        setups,
    )


def body_angle(row, name):
    return 2 * math.atan2(row[f"qz_{name}"], row[f"qw_{name}"])


def seven_bodies():
    end = [float(v) for v in reference("ivptestset_andrews")["reference"]["q_v_a"][:7]]
    half = math.pi / 2
    wanted = {
        "k1": end[0],
        "k2": end[0] + end[1],
        "k3": end[2] - half,
        "k4": end[3] + end[4] - half,
        "k5": end[4],
        "k6": end[5] + end[6],
        "k7": end[6] - half,
    }

    def error(rows):
        return largest(around(body_angle(rows[0], name) - angle) for name, angle in wanted.items())

    return Problem(
        "ivptestset_andrews",
        "Andrews' mechanism: seven bodies, three loops, 30 ms",
        "angles of all bodies, against the corrected digits",
        1e-11,
        "rad",
        [Setup("shipped scene seven-body", "seven-body", [0.03], error, 1e-5, columns=["orientation"])],
    )


def seven_bodies_rounded():
    data = reference("iftomm_A03_andrews")["reference"]["rows"]
    rows = [[float(v) for v in row] for row in data]
    start = float(reference("ivptestset_andrews")["initial_conditions"]["q"][0])

    def error(got):
        return largest(around(body_angle(row, "k1") - want[3]) for row, want in zip(got, rows))

    return Problem(
        "iftomm_A03_andrews",
        "IFToMM A03: the same from a rounded start, 50 ms",
        "angle of the driven crank; assembly closes the loops from the other start",
        1e-9,
        "rad",
        [
            Setup(
                "shipped scene seven-body, crank turned",
                "seven-body",
                [row[0] for row in rows],
                error,
                1e-5,
                overrides=[f"joints.1.angle={-0.062 - start!r}"],
                columns=["orientation"],
                methods=["taylor", "vern9", "dop853", "bulirsch-stoer", "rk4", "radau5"],
                why_few="it is the mechanism above, which has them all",
            )
        ],
    )


def babyboot():
    data = reference("drake_babyboot")
    p = data["parameters"]
    end = {name: math.radians(float(data["reference"][f"{name}_deg"])) for name in ("qA", "qB")}
    root = math.sqrt(0.5)
    b = math.radians(1.0) / 2
    # Hanging down, both frames are the world's; the rod is then turned by 90 degrees about x, the plate besides by
    # 1 degree about the rod.
    turned = [root * math.cos(b), root * math.cos(b), -root * math.sin(b), root * math.sin(b)]
    bodies = {
        "simulation": simulation(10.0, gravity=p["g"]),
        "bodies": [
            {
                "name": "rod",
                "mass": p["mA"],
                "inertia": [p["IAx"]] * 3,
                "position": [0, p["LA"], 0],
                "orientation": [root, root, 0, 0],
            },
            {
                "name": "plate",
                "mass": p["mB"],
                "inertia": [p["IBx"], p["IBy"], p["IBz"]],
                "position": [0, p["LB"], 0],
                "orientation": turned,
            },
        ],
        "joints": [
            {"name": "a", "kind": "revolute", "bodies": ["ground", "rod"], "point": [0, 0, 0], "axis": [1, 0, 0]},
            {"name": "b", "kind": "revolute", "bodies": ["rod", "plate"], "point": [0, p["LB"], 0], "axis": [0, -1, 0]},
        ],
    }
    text = {
        "simulation": simulation(10.0),
        "lagrangian": {
            "coordinates": {"qA": "90 deg", "qB": "1 deg"},
            "parameters": p,
            "kinetic": "0.5*(IAx + IBx + mA*LA^2 + mB*LB^2 - (IBx - IBy)*sin(qB)^2)*qA'^2 + 0.5*IBz*qB'^2",
            "potential": "-(mA*LA + mB*LB)*g*cos(qA)",
        },
    }
    # Joints count from the start; the second axis, along -y at the start, is the plate's own z.
    return Problem(
        "drake_babyboot",
        "Babyboot: two bodies, chaotic, 10 s (errors grow 3 million times)",
        "both angles",
        1e-8,
        "rad",
        [
            Setup(
                "bodies",
                bodies,
                [10.0],
                lambda rows: largest(
                    (
                        around(rows[0]["angle_a"] + math.radians(90) - end["qA"]),
                        around(rows[0]["angle_b"] + math.radians(1) - end["qB"]),
                    )
                ),
                1e-3,
                columns=["angles"],
            ),
            Setup(
                "Lagrangian",
                text,
                [10.0],
                lambda rows: largest((rows[0]["qA"] - end["qA"], rows[0]["qB"] - end["qB"])),
                1e-3,
                columns=["position"],
            ),
        ],
    )


def cart_pole():
    samples = reference("cartpole")["samples"]
    times = [sample["t"] for sample in samples]
    text = {
        "simulation": simulation(10.0),
        "lagrangian": {
            "coordinates": {"x": 0.0, "theta": math.pi / 2 - 0.1},
            "parameters": {"M": 1.0, "m": 1.0, "l": 1.0, "g": 9.8},
            "kinetic": "0.5*(M + m)*x'^2 - m*l*sin(theta)*x'*theta' + 0.5*m*l^2*theta'^2",
            "potential": "m*g*l*sin(theta)",
        },
    }

    def error_of(cart, ball):
        def error(rows):
            found = []
            for row, sample in zip(rows, samples):
                found.append(row[cart] - sample["x_cart"])
                found += [value - want for value, want in zip(ball(row), sample["ball"])]
            return largest(found)

        return error

    return Problem(
        "cartpole",
        "Cart-pole, 10 s",
        "positions of cart and ball",
        1e-10,
        "m",
        [
            Setup(
                "shipped scene cart-pole",
                "cart-pole",
                times,
                error_of("x_cart", lambda row: (row["x_ball"], row["z_ball"])),
                2e-3,
                columns=["position"],
            ),
            Setup(
                "Lagrangian",
                text,
                times,
                error_of("x", lambda row: (row["x"] + math.cos(row["theta"]), math.sin(row["theta"]))),
                2e-3,
                columns=["position"],
            ),
            Setup(
                "Lagrangian with a massless angle (cart-pole-course)",
                "cart-pole-course",
                times,
                error_of("x", lambda row: (row["x_ball"], row["y_ball"])),
                2e-3,
                columns=["position"],
            ),
        ],
    )


def problems():
    return [
        periods(),
        simple_pendulum(),
        small_pendulum(),
        dae_pendulum(),
        spherical_pendulum(),
        normal_modes(),
        horizontal_chains(),
        heavy_top(),
        four_bars(),
        seven_bodies(),
        seven_bodies_rounded(),
        cart_pole(),
        babyboot(),
    ]
