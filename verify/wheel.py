"""The wheel in empty environments, plain and with the server: what a colleague gets who has no clone.

``make test-wheel`` builds the wheel, installs it (its dependencies from whatever registry pip is set up for), and runs
from a folder without a clone ``demo``, ``init`` and ``gate`` on a small file; with the extra ``server`` also the
application that ``serve`` would start. It prints what each installation weighs. ``--folder`` keeps the environments.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
PEOPLE = "age,town,illness\n" + "".join(
    f"{20 + 3 * (row % 12)},{('north', 'east', 'west')[row % 3]},{('none', 'flu', 'asthma')[row % 7 % 3]}\n"
    for row in range(240)
)
SERVED = "from sekisho.server.contest.app import create_app"


def run(words: Sequence[str | Path], folder: Path, *, statuses: Sequence[int] = (0,)) -> str:
    """Run a command in a folder, without the clone on its path; return what it printed."""
    place = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    done = subprocess.run(list(map(str, words)), cwd=folder, env=place, capture_output=True, text=True, check=False)
    assert done.returncode in statuses, f"{words}: status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


def make_environment(folder: Path, wanted: str) -> Path:
    """Return an empty environment into which this alone was installed."""
    run([sys.executable, "-m", "venv", folder], folder.parent)
    before = measure(folder)
    run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", wanted], folder.parent)
    print(f"{Path(wanted).name}: {measure(folder) - before:.0f} MB installed", flush=True)
    return folder / "bin"


def measure(folder: Path) -> float:
    """Return what the files of a folder weigh, in megabytes."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


def use_plainly(programs: Path, folder: Path) -> None:
    """Take bundled data and a file of one's own through the gate."""
    folder.mkdir()
    (folder / "people.csv").write_text(PEOPLE)
    sekisho = programs / "sekisho"
    demo = json.loads(run([sekisho, "demo", "--out", "demo", "--json"], folder))
    run([sekisho, "init", "people.csv", "--out", "people.toml"], folder, statuses=(0, 3))
    gate = json.loads(run([sekisho, "gate", "people.toml", "--out", "gate", "--json"], folder, statuses=(0, 1, 3)))
    assert Path(folder, demo["report"]).is_file()
    assert Path(folder, gate["report"]).is_file()
    print(f"demo: {demo['verdict']}; gate: {gate['verdict']}", flush=True)


def main() -> None:
    """Build, install, run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path)
    kept = parser.parse_args().folder
    with TemporaryDirectory() as scratch:
        folder = Path(kept or scratch).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT], folder)
        (wheel,) = folder.glob("sekisho-*.whl")
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB", flush=True)
        use_plainly(make_environment(folder / "plain", str(wheel)), folder / "one")
        served = make_environment(folder / "served", f"{wheel}[server]")
        use_plainly(served, folder / "two")
        run([served / "sekisho", "serve", "--help"], folder)
        run([served / "python", "-c", SERVED], folder)


if __name__ == "__main__":
    main()
