"""Which tests are slow: a committed list that ``make quick`` leaves out, and that ``make durations`` measures anew.

``tests/slow_tests.json`` names the tests that take half a second of CPU or more, children included, with what they took
where they were last measured. With ``--quick`` a run leaves them out, but for those of the rooms that a change touches.
No timing decides anything while tests run: a test is slow if, and only if, the list names it, and ``test_slow.py`` holds
that the list names nothing that is gone.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Generator, Iterable, Mapping, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LIST_PATH = ROOT / "tests" / "slow_tests.json"
SHORTEST_SLOW_SECONDS = 0.5
CPU_PROPERTY = "CPU seconds"
MAIN_BRANCHES = ("origin/main", "main")
ROOM_OF_FILE = re.compile(r"(?:(?:src/sekisho|tests)/(?:test_)?)?(?P<room>\w+)")
ROOMS_OF_FOLDERS = {"docs": "documents", "README": "documents"}
COLLECTED_IDS = pytest.StashKey[frozenset[str]]()
START_SECONDS = pytest.StashKey[float]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what can be asked of a run about slow tests."""
    group = parser.getgroup("sekisho")
    group.addoption("--quick", metavar="ROOMS", help="leave slow tests out, but for those of these rooms (a,b,c)")
    group.addoption(
        "--write-durations", action="store_true", help="measure whole files of tests, and list their slow ones"
    )


def read_list(path: Path = LIST_PATH) -> dict[str, float]:
    """Return the slow tests with their CPU seconds."""
    return json.loads(path.read_text("utf-8"))


def find_room(path: str) -> str:
    """Return the room that a file belongs to, source or test: its folder, or what a lone file is named after."""
    matched = ROOM_OF_FILE.match(path)
    room = matched["room"] if matched else ""
    return ROOMS_OF_FOLDERS.get(room, room)


def list_changes(root: Path = ROOT, since: str | None = None) -> list[str]:
    """Return the files that differ from a revision: where this branch left the main one, or on that the last commit."""

    def ask(*words: str) -> list[str]:
        asked = subprocess.run([git, *words], cwd=root, capture_output=True, text=True, check=False)
        return asked.stdout.split("\n") if asked.returncode == 0 else []

    git = shutil.which("git") or "git"
    bases = [since] if since else [base for branch in MAIN_BRANCHES for base in ask("merge-base", "HEAD", branch)[:1]]
    changed = ask("diff", "--name-only", *(bases[:1] or ["HEAD"]))
    return sorted({*changed, *ask("ls-files", "--others", "--exclude-standard")} - {""})


def is_left_out(test: str, slow: Mapping[str, float], rooms: Iterable[str]) -> bool:
    """Tell whether a quick run for these rooms leaves a test out."""
    return test in slow and find_room(test) not in rooms


def renew_list(old: Mapping[str, float], measured: Mapping[str, float]) -> dict[str, float]:
    """Return a list in which the files that were measured are as they were measured, and all others as before."""
    files = {test.partition("::")[0] for test in measured}
    others = {test: seconds for test, seconds in old.items() if test.partition("::")[0] not in files}
    slow = {test: round(seconds, 1) for test, seconds in measured.items() if seconds >= SHORTEST_SLOW_SECONDS}
    return dict(sorted((others | slow).items()))


def pytest_configure(config: pytest.Config) -> None:
    """Have durations written, by the process that gathers the reports of all."""
    if config.getoption("--write-durations") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(DurationWriter())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Remember what there is, and leave slow tests out where that is asked."""
    config.stash[COLLECTED_IDS] = frozenset(item.nodeid for item in items)
    rooms: str | None = config.getoption("--quick")
    if rooms is None:
        return
    slow, touched = read_list(), rooms.split(",")
    out = [item for item in items if is_left_out(item.nodeid, slow, touched)]
    config.hook.pytest_deselected(items=out)
    items[:] = [item for item in items if not is_left_out(item.nodeid, slow, touched)]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, object, object]:
    """Tell with the last report of a test how much CPU it and its children took, fixtures included."""
    used = sum(os.times()[:4])
    if call.when == "teardown":
        item.user_properties.append((CPU_PROPERTY, used - item.stash[START_SECONDS]))
    return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Note how much CPU was used before a test."""
    item.stash[START_SECONDS] = sum(os.times()[:4])


class DurationWriter:
    """Gathers what each test took, from however many processes, and puts it into the list."""

    def __init__(self) -> None:
        self.measured: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what a test took."""
        if report.when == "teardown":
            self.measured[report.nodeid] = float(str(dict(report.user_properties)[CPU_PROPERTY]))

    def pytest_sessionfinish(self) -> None:
        """Write the list."""
        old = read_list() if LIST_PATH.exists() else {}
        LIST_PATH.write_text(json.dumps(renew_list(old, self.measured), indent=0) + "\n", "utf-8")


def main(words: Sequence[str]) -> int:
    """Print the rooms that a change touches; after ``--types`` and a command, run that on their sources and tests."""
    rooms = sorted({find_room(path) for path in list_changes()})
    if words[:1] != ["--types"]:
        sys.stdout.write(",".join(rooms) + "\n")
        return 0
    paths = [ROOT / "src" / "sekisho" / room for room in rooms] + [ROOT / "tests" / room for room in rooms]
    paths += [path.with_suffix(".py") for path in paths] + [ROOT / "tests" / f"test_{room}.py" for room in rooms]
    found = [str(path) for path in paths if path.exists()]
    return subprocess.run([*words[1:], *found], check=False).returncode if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
