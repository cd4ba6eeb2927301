"""The list of slow tests names what there is, and decides alone what a quick run leaves out."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path
from shutil import which

import pytest
from tests.slow import COLLECTED_IDS, SHORTEST_SLOW_SECONDS, find_room, is_left_out, list_changes, read_list, renew_list

ROOT = Path(__file__).parents[1]


def list_functions(path: Path) -> set[str]:
    """Return the tests of a file as they are named beside it, without their parameters."""
    body = ast.parse(path.read_text("utf-8")).body
    names = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    for part in body:
        if isinstance(part, ast.ClassDef):
            names |= {f"{part.name}::{node.name}" for node in part.body if isinstance(node, ast.FunctionDef)}
    return names


def test_the_list_names_functions_that_exist() -> None:
    functions = dict[str, set[str]]()
    for test in read_list():
        name, _, rest = test.partition("::")
        path = ROOT / name
        assert path.exists(), f"{name} is gone: make durations"
        functions[name] = functions.get(name) or list_functions(path)
        function = rest.partition("[")[0]
        machine = function.endswith("::runTest")  # of a state machine, which Hypothesis makes
        assert machine or function in functions[name], f"{test} is gone: make durations FILES={name}"


def test_the_list_names_tests_that_exist(request: pytest.FixtureRequest) -> None:
    """Here with their parameters; of files that this run has collected, and that no name cuts short."""
    collected = request.config.stash[COLLECTED_IDS]
    files = {test.partition("::")[0] for test in collected}
    if any("::" in str(word) for word in request.config.args):
        pytest.skip("some tests were asked for by name")
    gone = [test for test in read_list() if test.partition("::")[0] in files and test not in collected]
    assert gone == [], "make durations FILES=... lists them anew"


def test_the_list_is_in_order_and_short() -> None:
    slow = read_list()
    assert list(slow) == sorted(slow)
    assert all(seconds >= SHORTEST_SLOW_SECONDS for seconds in slow.values())
    assert len(slow) < 900  # a tenth of the tests; more, and a quick run is quick for nobody


@pytest.mark.parametrize(
    ("path", "room"),
    [
        ("src/sekisho/gate/records/stage.py", "gate"),
        ("tests/gate/records/test_stage.py::test_it[a/b]", "gate"),
        ("src/sekisho/kernels.py", "kernels"),
        ("tests/test_kernels.py::test_it", "kernels"),
        ("docs/guide/language.md", "documents"),
        ("tests/documents/test_notebooks.py", "documents"),
        ("verify/walk.py", "verify"),
        ("tests/test_verify.py", "verify"),
        (".gitignore", ""),
    ],
)
def test_files_belong_to_rooms(path: str, room: str) -> None:
    assert find_room(path) == room


def test_slow_tests_are_left_out_but_for_those_of_rooms_that_a_change_touches() -> None:
    slow = {"tests/gate/test_policy.py::test_it": 3.0}
    assert is_left_out("tests/gate/test_policy.py::test_it", slow, ["tables", ""])
    assert not is_left_out("tests/gate/test_policy.py::test_it", slow, ["tables", "gate"])
    assert not is_left_out("tests/gate/test_policy.py::test_another", slow, [])


def test_only_files_that_were_measured_are_listed_anew() -> None:
    old = {"tests/a.py::test_gone": 9.0, "tests/a.py::test_quick_now": 9.0, "tests/b.py::test_slow": 1.0}
    measured = {"tests/a.py::test_quick_now": 0.49, "tests/a.py::test_slow[0]": 0.5}
    assert renew_list(old, measured) == {"tests/a.py::test_slow[0]": 0.5, "tests/b.py::test_slow": 1.0}


def test_what_a_change_touches_is_asked_of_git(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = [
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "-c",
            "init.defaultBranch=main",
            "-c",
            "commit.gpgsign=false",
        ]
        subprocess.run([str(which("git")), *who, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    for name in ("gate.py", "data.py", "words.py"):
        (tmp_path / name).write_text("")
        git("add", name)
    git("commit", "-m", "first")
    assert list_changes(tmp_path) == []
    (tmp_path / "gate.py").write_text("changed")
    (tmp_path / "new.py").write_text("")
    assert list_changes(tmp_path) == ["gate.py", "new.py"]  # on the main branch: since the last commit
    git("switch", "-c", "other")
    git("commit", "-am", "second")
    (tmp_path / "words.py").write_text("changed")
    assert list_changes(tmp_path) == ["gate.py", "new.py", "words.py"]  # beside it: since it was left
    assert list_changes(tmp_path, "HEAD") == ["new.py", "words.py"]
