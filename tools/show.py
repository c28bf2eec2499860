#!/usr/bin/env python3
"""Runs scenes, draws them, and writes a page that shows everything with the commands that made it.

usage: show.py demo|gallery|lab [--catena PROGRAM] [--out FOLDER]

`demo` simulates the scene `demo` into FOLDER (out) and says how exact and how fast that was. `gallery` shows every
shipped scene and sweep in FOLDER (out/gallery). `lab` puts the lab that was copied into FOLDER (out) on the demo's page.
"""
import argparse
import csv
import html
import json
import math
import shlex
import subprocess
import sys
from pathlib import Path

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1d2126; --muted: #5f666e; --line: #e3e5e8; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171c; --ink: #e8ebef; --muted: #98a1ac; --line: #2a2f37; } }
body { margin: 0 auto; max-width: 72rem; padding: 2.5rem 1.5rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 "Open Sans", system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; } h2 { font-size: 1.1rem; margin: .7rem 0 .1rem; }
p { margin: 0 0 .5rem; color: var(--muted); } ul { padding-left: 1.2rem; }
.grid { display: grid; gap: 2.2rem; grid-template-columns: repeat(auto-fit, minmax(26rem, 1fr)); margin-top: 2rem; }
.wide { grid-column: 1 / -1; } figure { margin: 0; }
img, video { width: 100%; border: 1px solid var(--line); border-radius: 8px; display: block; background: #fff; }
code { font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; color: var(--ink); overflow-wrap: anywhere; }
a { color: inherit; }
"""
PAIR = "0.001 rad apart"
# Which of these reaches this error (m) first, over a time in which no error grows beyond recognition.
METHODS, TOLERANCES = ("taylor", "vern9", "dop853", "dopri5"), "1e-6,1e-8,1e-10,1e-11,1e-12,1e-13,1e-14"
ASKED, RACE_SECONDS = 1e-8, 5


class Show:
    """A folder that fills with what commands make, and the page that tells of it."""

    def __init__(self, catena, folder):
        self.catena, self.folder, self.figures = catena, folder, []
        folder.mkdir(parents=True, exist_ok=True)

    def run(self, *words):
        """Runs the program; returns what it said and the command as a person would type it."""
        command = [str(self.catena), *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"`{shlex.join(command)}` failed:\n{done.stderr}")
        return done.stdout, shlex.join(command)

    def add(self, file, title, caption, command, wide=False):
        self.figures.append((file, title, caption, command, wide))

    def write_page(self, title, lines, language="en"):
        out = [f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
               f'<meta name="viewport" content="width=device-width">\n<title>{html.escape(title)}</title>\n'
               f"<style>{STYLE}</style>\n</head>\n<body>\n<h1>{html.escape(title)}</h1>"]
        out += [f"<p>{line}</p>" for line in lines]
        out.append('<div class="grid">')
        for file, heading, caption, command, wide in self.figures:
            kind = "video" if file.suffix in (".mp4", ".webm") else "img"
            path = html.escape(str(file.relative_to(self.folder)))
            shown = (f'<video src="{path}" controls loop muted autoplay playsinline></video>' if kind == "video"
                     else f'<a href="{path}"><img src="{path}" alt="{html.escape(heading)}"></a>')
            out.append(f'<figure{" class=wide" if wide else ""}>{shown}\n<figcaption><h2>{html.escape(heading)}</h2>'
                       f"<p>{html.escape(caption)}</p>\n<p><code>{html.escape(command)}</code></p></figcaption></figure>")
        out.append("</div>\n</body>\n</html>\n")
        (self.folder / "index.html").write_text("\n".join(out), encoding="utf-8")


def rows_of(path):
    """The rows of a recorded CSV as dictionaries of numbers."""
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            yield {name: float(value) for name, value in row.items()}


def apart(here, there, bob):
    return math.dist(*([row[f"{axis}_{bob}"] for axis in "xyz"] for row in (here, there)))


def farthest(here, there, bobs):
    return max(apart(here, there, bob) for bob in bobs)


def plain(value, digits=2):
    """A number as people write it: 2 significant digits, no exponent between 0.00001 and 99999."""
    rounded = float(f"{value:.{digits - 1}e}")
    return f"{rounded:.15g}" if 1e-5 < abs(rounded) < 1e5 else f"{rounded:.{digits - 1}e}"


def start_angle(scene_json):
    """theta of the first link in radians, as it was written."""
    theta = scene_json["chain"]["links"][0].get("theta", 0.0)
    if not isinstance(theta, str):
        return float(theta)
    number, unit = theta.split()
    return float(number) * {"deg": math.pi / 180, "pi": math.pi, "rad": 1.0}[unit]


def scene_in(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("# scene: "):
                return json.loads(line[len("# scene: "):])
    sys.exit(f"{path} holds no scene")


def demo_facts(show):
    """Runs the demo, one in double-double and one that starts 0.001 rad away, and measures."""
    out = show.folder
    said, _ = show.run("run", "demo", "-o", out / "demo.h5", "-o", out / "demo.csv", "--json")
    (out / "summary.json").write_text(said, encoding="utf-8")
    summary = json.loads(said)
    show.run("run", "demo", "--set", 'simulation.precision="double-double"', "--tolerance", "1e-28", "--quantities",
             "position", "-o", out / "stricter.csv", "--quiet")
    angle = start_angle(scene_in(out / "demo.csv")) + 1e-3
    show.run("run", "demo", "--set", f"chain.links.1.theta={angle!r}", "-o", out / "nearby.h5", "-o",
             out / "nearby.csv", "--quiet")
    rows, stricter = list(rows_of(out / "demo.csv")), list(rows_of(out / "stricter.csv"))
    nearby = list(rows_of(out / "nearby.csv"))
    bobs = [name[2:] for name in rows[0] if name.startswith("x_")]
    facts = {
        "links": len(bobs),
        "simulated_seconds": summary["simulated_seconds"],
        "wall_seconds": summary["wall_seconds"],
        "speed": summary["simulated_seconds"] / summary["wall_seconds"],
        "energy_error_relative": summary["energy_error_relative"],
        "half_time": rows[len(rows) // 2]["t"],
        "position_error_at_half": farthest(rows[len(rows) // 2], stricter[len(rows) // 2], bobs),
        "position_error": farthest(rows[-1], stricter[-1], bobs),
        "one_metre_after": next((a["t"] for a, b in zip(rows, nearby) if apart(a, b, bobs[-1]) > 1.0), None),
    }
    return facts


def fastest(runs):
    """Of each method the least time (s) of the runs that are exact enough; none: it does not get there."""
    out = {}
    for method in METHODS:
        good = [r["seconds"] for r in runs if r["method"] == method and r["outcome"] == "done"
                and r["position_error"] < ASKED]
        if good:
            out[method] = min(good)
    return out


def race(show):
    """Compares methods on the demo's first seconds."""
    _, command = show.run("compare", "demo", "--duration", RACE_SECONDS, "--methods", ",".join(METHODS), "--tolerances",
                          TOLERANCES, "-o", show.folder / "methods", "--no-video", "--quiet")
    told = json.loads((show.folder / "methods/compare.json").read_text(encoding="utf-8"))
    return fastest(told["runs"]), command


def race_line(times):
    order = sorted(times, key=times.get)
    return (f"positions to {ASKED:.0e} m over {RACE_SECONDS} s: "
            + ", ".join(f"{method} in {plain(1e3 * times[method])} ms" for method in order))


def demo_lines(facts):
    lines = [
        f"{facts['links']} links in space: {plain(facts['simulated_seconds'])} s of motion in "
        f"{plain(facts['wall_seconds'])} s, {plain(facts['speed'])} times real time",
        f"energy held to {facts['energy_error_relative']:.1e} of its scale",
        f"position right to {plain(facts['position_error_at_half'], 1)} m after {plain(facts['half_time'])} s and "
        f"{plain(facts['position_error'], 1)} m at the end, against double-double",
        race_line(facts["fastest"]),
    ]
    if facts["one_metre_after"] is not None:
        lines.append(f"{PAIR} becomes 1 m apart after {facts['one_metre_after']:.4g} s")
    return lines


def demo(show):
    out = show.folder
    facts = demo_facts(show)
    facts["fastest"], methods = race(show)
    (out / "demo.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    _, video = show.run("video", out / "demo.h5", "-o", out / "demo.mp4", "--to", 10, "--size", "960x540", "--fps", 30,
                        "--ghost", out / "nearby.h5")
    _, figures = show.run("plot", out / "demo.h5", "-o", out / "figures")
    _, distance = show.run("plot", out / "demo.h5", "--against", out / "nearby.h5", "-o", out / "apart")
    show.add(out / "demo.mp4", "The chain, and its neighbour", f"The pale chain starts {PAIR} from the other.", video, True)
    show.add(out / "figures/paths.png", "Paths in space", "Where the bobs went, the newest parts darkest.", figures)
    show.add(out / "apart/distance.png", "Chaos", f"How far the two chains are apart that start {PAIR}.", distance)
    show.add(out / "methods/accuracy.png", "Methods", f"How exact each method is over {RACE_SECONDS} s, for its time.", methods)
    show.add(out / "figures/energies.png", "Energies", "They are exchanged; their sum stays, to the last digits.", figures)
    show.add(out / "figures/phase.png", "Phase portraits", "Each link's angle against its rate.", figures)
    show.add(out / "figures/angles.png", "Angles", "From straight down, and around the vertical.", figures)
    show.add(out / "figures/rates.png", "Rates", "How fast the angles change.", figures)
    lines = demo_lines(facts)
    show.write_page("Catena: the demo", [html.escape(line) for line in lines])
    catena = shlex.quote(str(show.catena))
    print("\n".join(lines))
    print(f"""
open      {out}/index.html
data      {out}/demo.h5  {out}/demo.csv  {out}/summary.json
pictures  {out}/figures/index.html  {out}/demo.mp4  {out}/methods/index.html

try next
  {catena} list scenes
  {catena} run double-pendulum -o {out}/double.h5
  {catena} plot {out}/double.h5 -o {out}/double --theme dark
  {catena} video {out}/double.h5 -o {out}/double.mp4 --to 4 --size 640x360 --panels energy,phase""")


def lab(show):
    page = show.folder / "index.html"
    text, grid = page.read_text(encoding="utf-8"), '<div class="grid">'
    element = '<script src="catena-lab.js"></script>\n<catena-lab src="lab.html" scene="demo"></catena-lab>\n'
    if element not in text:
        page.write_text(text.replace(grid, element + grid, 1), encoding="utf-8")


def gallery(show):
    scenes, failures = json.loads(show.run("list", "scenes", "--json")[0]), []
    for number, scene in enumerate(scenes, 1):
        print(f"{number} of {len(scenes)}: {scene['name']}", flush=True)
        try:
            add_scene(show, scene)
        except SystemExit as failure:  # the others can be shown all the same
            failures.append(str(failure))
    sweeps = json.loads(show.run("list", "sweeps", "--json")[0])
    for number, sweep in enumerate(sweeps, 1):
        print(f"{number} of {len(sweeps)} sweeps: {sweep['name']}", flush=True)
        try:
            add_sweep(show, sweep)
        except SystemExit as failure:
            failures.append(str(failure))
    show.write_page("Catena: the shipped scenes", [f"{len(scenes)} scenes and {len(sweeps)} sweeps, each with the commands that made it."])
    print(f"open {show.folder}/index.html")
    if failures:
        sys.exit("\n".join(failures))


def add_scene(show, scene):
    name, folder = scene["name"], show.folder / scene["name"]
    folder.mkdir(exist_ok=True)
    show.run("run", name, "-o", folder / "run.h5", "--quiet")
    _, figures = show.run("plot", folder / "run.h5", "-o", folder)
    facts = checked(show, name)
    for kind, shown in (("coordinates", "energies"), ("states", "phase")):  # nothing that a video could show
        if kind not in facts:
            continue
        for figure in (kind, shown):
            show.add(folder / f"{figure}.png", f"{name}: {figure}", scene["summary"], figures)
        return
    _, video = show.run("video", folder / "run.h5", "-o", folder / "run.mp4", "--to", video_end(show, folder),
                        "--size", "768x432", "--fps", 30)
    show.add(folder / "run.mp4", name, scene["summary"], f"{show.catena} run {name} -o {folder}/run.h5\n{video}")
    show_figures(show, folder, name, figures)


def add_sweep(show, sweep):
    name, folder = sweep["name"], show.folder / f"sweep-{sweep['name']}"
    folder.mkdir(exist_ok=True)
    _, computed = show.run("sweep", name, "-o", folder / "sweep.h5", "--quiet")
    _, drawn = show.run("plot", folder / "sweep.h5", "-o", folder)
    for picture in sorted(folder.glob("*.png")):
        show.add(picture, f"{name}: {picture.stem}", sweep["summary"], f"{computed}\n{drawn}")


def show_figures(show, folder, name, command):
    for figure in ("paths", "energies"):
        if (folder / f"{figure}.png").exists():
            show.add(folder / f"{figure}.png", f"{name}: {figure}", "", command)


def checked(show, name):
    """What `catena check` says of a shipped scene."""
    return json.loads(show.run("check", name, "--json")[0])


def video_end(show, folder):
    """A few seconds, or all of a shorter run."""
    return min(8, checked(show, folder.name)["duration"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("what", choices=("demo", "gallery", "lab"))
    parser.add_argument("--catena", metavar="PROGRAM", type=Path, default=Path("build/release/catena"))
    parser.add_argument("--out", metavar="FOLDER", type=Path)
    options = parser.parse_args()
    folder = options.out or Path("out/gallery" if options.what == "gallery" else "out")
    {"demo": demo, "gallery": gallery, "lab": lab}[options.what](Show(options.catena, folder))


if __name__ == "__main__":
    main()
