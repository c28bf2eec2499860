"""Finding and running the program `catena`, in the background. Plain Python, no bpy."""
import json
import os
import platform
import shutil
import stat
import subprocess
import tempfile
import threading
from pathlib import Path

BUNDLED = Path(__file__).resolve().parent / "bin"


class ProgramError(Exception):
    """The program is not there, or said what is wrong."""

    def __init__(self, text, output=""):
        super().__init__(text)
        self.output = output


def bundled_program():
    """The program inside the add-on, where it is made for this machine; or None."""
    if platform.system() != "Linux" or platform.machine() not in ("x86_64", "AMD64"):
        return None
    path = BUNDLED / "linux-x64" / "catena"
    if not path.is_file():
        return None
    if not os.access(path, os.X_OK):  # unpacking a zip loses this
        path.chmod(path.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return str(path)


def find_program(preferred=""):
    """The program of the preferences, else the one inside the add-on, else that in PATH."""
    if preferred:
        path = shutil.which(os.path.expanduser(preferred))
        if path is None:
            raise ProgramError(f"there is no program '{preferred}': put it right in the add-on's preferences")
        return path
    path = bundled_program() or shutil.which("catena")
    if path is None:
        raise ProgramError("the program catena is not there: install it, or say where it is in the add-on's "
                           "preferences")
    return path


def environment(program):
    """Libraries that came with the bundled program are found beside it; others have their own."""
    env = dict(os.environ)
    library = Path(program).parent / "lib"
    if BUNDLED in library.parents and library.is_dir():
        env["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [str(library), env.get("LD_LIBRARY_PATH", "")]))
    return env


PATIENCE = 30.0  # s, for a program to say its version
asked = {}       # when those programs were made that have said that they are catena


def must_be_catena(program):
    """Raises ProgramError where another program stands in its place, or none that runs here."""
    remedy = "put it right in the add-on's preferences, or leave them empty"
    try:
        made = os.stat(program).st_mtime_ns
        if asked.get(program) == made:
            return
        done = subprocess.run([program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=PATIENCE, env=environment(program))
    except OSError as error:
        raise ProgramError(f"'{program}' cannot be run: {error.strerror or error}; {remedy}") from None
    except subprocess.TimeoutExpired:
        raise ProgramError(f"'{program}' is not the program catena: it does not say its version; {remedy}") from None
    if done.returncode != 0 or not done.stdout.startswith("catena "):
        said = (done.stdout + done.stderr).strip().splitlines()
        heard = f"asked for its version it said '{said[0][:80]}'" if said else "it does not say its version"
        raise ProgramError(f"'{program}' is not the program catena: {heard}; {remedy}")
    asked[program] = made


def call(program, *words):
    """Runs the program to its end; what it wrote to standard output."""
    must_be_catena(program)
    try:
        done = subprocess.run([program, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              env=environment(program))
    except OSError as error:
        raise ProgramError(f"'{program}' cannot be run: {error.strerror or error}") from None
    if done.returncode != 0:
        raise ProgramError(f"catena {words[0]} failed", done.stderr)
    return done.stdout


def understood(text, what):
    """JSON that the program wrote."""
    try:
        return json.loads(text)
    except ValueError:
        raise ProgramError(f"catena did not say its {what} as JSON: is it of another version?") from None


class Simulation:
    """One `catena run` in the background. Ask `poll()` now and then."""

    def __init__(self, program, scene, quantities="position,orientation"):
        must_be_catena(program)
        self.folder = Path(tempfile.mkdtemp(prefix="catena-"))
        self.scene_file, self.run_file = self.folder / "scene.json", self.folder / "run.npz"
        self.scene_file.write_text(json.dumps(scene), encoding="utf-8")
        self.fraction, self.time, self.cancelled, self.status = 0.0, 0.0, False, None
        self._lines = []
        self._output = open(self.folder / "summary.json", "w+", encoding="utf-8")
        words = [program, "run", str(self.scene_file), "-o", str(self.run_file), "--json", "--progress",
                 "--quantities", quantities]
        self._process = subprocess.Popen(words, stdout=self._output, stderr=subprocess.PIPE, text=True,
                                         errors="replace", env=environment(program))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stderr:
            word, *numbers = line.split()[:3] or [""]
            if word == "progress" and len(numbers) == 2:
                self.time = float(numbers[0])
                self.fraction = min(1.0, self.time / max(float(numbers[1]), 1e-300))
            else:
                self._lines.append(line)

    def poll(self):
        """Whether it has ended."""
        if self.status is None and self._process.poll() is not None:
            self._reader.join()
            self._process.stderr.close()
            self.status = self._process.returncode
        return self.status is not None

    def wait(self):
        self._process.wait()
        self.poll()

    def cancel(self):
        """Ends the program; afterwards it has ended."""
        self.cancelled = True
        if self.poll():
            return
        self._process.kill()  # nothing of it is kept, and its folder goes as a whole
        self._process.wait()
        self.poll()

    def standard_error(self):
        return "".join(self._lines)

    def summary(self):
        self._output.seek(0)
        text = self._output.read()
        return understood(text, "summary") if text.strip() else {}

    def close(self):
        """Removes its files."""
        if self.status is None:
            self.cancel()
        self._output.close()
        shutil.rmtree(self.folder, ignore_errors=True)
