"""Runs of the gate killed at twenty random moments: whole files only, leftovers removed, resumed to the same bytes.

Each run is started as a process of its own with children, and killed with all of them (SIGKILL) after a random part of
the time that a whole run takes. Whatever is offered then must be whole: a certificate must be valid for the files
beside it. Every second round asks for a review: nothing may stand in ``public`` at any moment, and the release waits in
``confidential/proposed``. After every four kills a run is let through, and another: the release must be that of a run
that nobody disturbed, and the two runs must give the same bytes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from time import monotonic

from sekisho.contest.rulebook import read_history_rules
from sekisho.data.history.files import write_original
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.gate.certificate.checking import verify_certificate
from sekisho.seeds import Seed

KILLS, ROUND = 20, 4
RECIPE = """rules = "pwscup2018"
original = "T.csv"
seed = 1
[[methods]]
name = "similar-length"
k = 7
[[methods]]
name = "pseudonymise"
[[methods]]
name = "groups"
k = 2
[[adversaries]]
name = "chance"
[[adversaries]]
name = "containment"
"""
REVIEW = "[limits]\ncell-error = 0\n"
"""Nothing is so good that it leaves unseen."""


def start(folder: Path) -> subprocess.Popen[bytes]:
    """Start a run."""
    words = [sys.executable, "-m", "sekisho", "gate", str(folder / "recipe.toml"), "--out", str(folder / "gate")]
    return subprocess.Popen(
        [*words, "--jobs", "2"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )


def read_outputs(out: Path) -> dict[str, bytes]:
    """Return every file of a run but its kept steps and their secret."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and "cache" not in path.parts and path.name != ".cache.key"
    }


def look_at_offer(out: Path, *, review: bool) -> str:
    """Say what a killed run left that may leave, now or after review; a certificate must be valid for its files."""
    public = sorted(path.name for path in (out / "public").iterdir()) if (out / "public").is_dir() else []
    assert not (review and public), public
    place = find_offer(out, review=review)
    names = sorted(path.name for path in place.iterdir()) if place.is_dir() else []
    assert set(names) <= {"certificate.json", "release.csv", "report.html"}, names
    if "certificate.json" in names:
        found = verify_certificate(place / "certificate.json")
        assert found.valid, [each.finding for each in found.refuted]
    return ", ".join(names) or "nothing"


def find_offer(out: Path, *, review: bool) -> Path:
    """Return where a run puts what may leave, now or after review."""
    return out / "confidential" / "proposed" if review else out / "public"


def _kill(folder: Path, after: float) -> bool:
    """Start a run and kill it after some seconds; tell whether there was still something to kill."""
    process = start(folder)
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
    return False


def _resume(folder: Path, release: bytes, *, review: bool) -> float:
    """Let a run through, and once more: the release of the first whole run, and twice the same bytes.

    Returns how long a whole run takes now.
    """
    assert start(folder).wait() in (0, 3)
    once = read_outputs(folder / "gate")
    assert once[str(find_offer(Path(), review=review) / "release.csv")] == release
    assert not (review and [name for name in once if name.startswith("public/")])
    assert not [name for name in once if ".partial" in name or ".part-" in name]
    assert start(folder).wait() in (0, 3)
    again = read_outputs(folder / "gate")
    assert again == once, [name for name in once if once[name] != again.get(name)]
    print(f"    resumed, and run once more to the same bytes, {len(once)} files", flush=True)
    rmtree(folder / "gate")
    return _time_run(folder)


def _time_run(folder: Path) -> float:
    begun = monotonic()
    assert start(folder).wait() in (0, 3)
    return monotonic() - begun


def main() -> None:
    """Kill, look, resume."""
    rng = Seed(4).rng()
    with TemporaryDirectory() as place:
        folder = Path(place)
        data = SyntheticHistory(customers=40, items=100, median_rows=6).draw(rng=Seed(3).rng())
        (folder / "T.csv").write_bytes(write_original(data, read_history_rules("pwscup2018")))
        whole, releases = 0.0, dict[bool, bytes]()
        for review in (True, False):  # what nobody disturbed: under review another candidate may be the best
            (folder / "recipe.toml").write_text(RECIPE + (REVIEW if review else ""))
            whole = _time_run(folder)
            releases[review] = (find_offer(folder / "gate", review=review) / "release.csv").read_bytes()
            rmtree(folder / "gate")
        print(f"a whole run takes {whole:.1f} s")
        killed, review = 0, False
        while killed < KILLS:
            after = float(rng.uniform(0.2, 1.0)) * whole
            if not _kill(folder, after):
                whole = after  # the machine has become quicker; there is nothing to kill in a run that is over
                rmtree(folder / "gate")
                continue
            killed += 1
            steps = len(list((folder / "gate" / "confidential" / "cache").glob("*.step")))
            left = look_at_offer(folder / "gate", review=review)
            where = "proposed" if review else "public"
            print(f"{killed:>2}: killed after {after:.2f} s, {steps} steps kept; {where}: {left}", flush=True)
            if killed % ROUND == 0:
                whole = _resume(folder, releases[review], review=review)
                rmtree(folder / "gate")  # the next kills meet work again
                review = not review
                (folder / "recipe.toml").write_text(RECIPE + (REVIEW if review else ""))
    print(f"{KILLS} kills: no half-written file at its place, none in public under review,")
    print("every resumed run like one that nobody disturbed")


if __name__ == "__main__":
    main()
