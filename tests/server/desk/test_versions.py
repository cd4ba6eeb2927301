"""Versions of a case: a machine against a list model, a kill at every point, two windows, double clicks."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.laws import scale_examples

from sekisho.errors import InputError, ParameterError
from sekisho.server.desk.edits import DeskEdit, set_guarantee, set_key, set_limit, set_tree
from sekisho.server.desk.versions import Conflict, Version, Versions

RECIPE = b"""# a comment that stays
shape = "records"
original = "people.csv"
schema = "schema.toml"

[[methods]]
name = "partition"
k = 5

[guarantees]
k = 5  # what must hold
"""
SCHEMA = b"""shape = "records"

[[columns]]
name = "age"
role = "quasi"
"""
FILES = {"recipe.toml": RECIPE, "schema.toml": SCHEMA}


def open_versions(folder: Path) -> Versions:
    return Versions(folder, seed=7, data="people.csv")


@pytest.fixture
def versions(tmp_path: Path) -> Versions:
    versions = open_versions(tmp_path)
    versions.begin(FILES)
    return versions


def written(answer: Version | Conflict) -> Version:
    assert isinstance(answer, Version)
    return answer


def list_state(folder: Path) -> tuple[int, dict[int, dict[str, bytes]]]:
    versions = open_versions(folder)
    return versions.head, {each.number: dict(each.files) for each in versions.list()}


class VersionsMachine(RuleBasedStateMachine):
    """A history of states as a list, and a place in it: a change cuts off what was undone."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.versions = open_versions(self.folder)
        self.path = [dict(self.versions.begin(FILES).files)]
        self.at, self.made = 0, 1
        self.all = {1: self.path[0]}

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def add(self, version: Version) -> None:
        self.made += 1
        assert version.number == self.made
        self.path = [*self.path[: self.at + 1], dict(version.files)]
        self.at += 1
        self.all[self.made] = dict(version.files)

    @rule(k=st.integers(2, 6))
    def change_k(self, k: int) -> None:
        before = self.versions.read()
        edits = set_guarantee(before.files, "k", k)
        answer = written(self.versions.write(edits, based_on=before.number))
        if before.files == answer.files:
            assert answer.number == before.number
        else:
            self.add(answer)
        told = tomllib.loads(answer.files["recipe.toml"].decode())
        assert told["guarantees"]["k"] == told["methods"][0]["k"] == k

    @rule(text=st.sampled_from(["a;*\n", "b;*\n"]))
    def change_tree(self, text: str) -> None:
        before = self.versions.read()
        answer = written(self.versions.write(set_tree("age", text), based_on=before.number))
        if answer.number != before.number:
            self.add(answer)
        assert answer.files["trees/age.csv"] == text.encode()

    @rule()
    def undo(self) -> None:
        self.at = max(0, self.at - 1)
        assert self.versions.undo().files == self.path[self.at]

    @rule()
    def redo(self) -> None:
        self.at = min(len(self.path) - 1, self.at + 1)
        assert self.versions.redo().files == self.path[self.at]

    @precondition(lambda self: self.made > 1)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        number = data.draw(st.integers(1, self.made))
        version = self.versions.restore(number)
        assert version.restored == number
        self.add(version)

    @rule()
    def start_again(self) -> None:
        self.versions = open_versions(self.folder)
        self.versions.recover()

    @invariant()
    def agree(self) -> None:
        assert self.versions.read().files == self.path[self.at]
        assert self.versions.can_undo is (self.at > 0)
        assert self.versions.can_redo is (self.at < len(self.path) - 1)
        assert {each.number: dict(each.files) for each in self.versions.list()} == self.all
        assert int((self.folder / "head").read_text()) == self.versions.head


TestVersions = VersionsMachine.TestCase
TestVersions.settings = settings(max_examples=scale_examples(12), stateful_step_count=12)


def die_at(event: int, folder: Path, work: str) -> bool:
    """Do some work in another process that ends without a word before its n-th deed; tell whether it came to that."""
    child = os.fork()
    if child == 0:
        seen = 0

        def count(name: str, _: object) -> None:
            nonlocal seen
            if name == "open" or name.startswith(("os.", "shutil.")):
                seen += 1
                if seen == event:
                    os._exit(9)

        try:
            versions = open_versions(folder)
            sys.addaudithook(count)
            if work == "write":
                versions.write(set_tree("age", "a;*\n"), based_on=2)
            else:
                getattr(versions, work)()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


@pytest.mark.parametrize("work", ["write", "undo"])
def test_a_kill_at_any_point_leaves_the_old_or_the_new_state(tmp_path: Path, work: str) -> None:
    begun = tmp_path / "begun"
    begun.mkdir()
    open_versions(begun).begin(FILES)
    open_versions(begun).write(set_key("risk", 0.2), based_on=1)
    before = list_state(begun)
    states, event = set[int](), 1
    while True:
        folder = tmp_path / f"{event}"
        shutil.copytree(begun, folder, symlinks=True)
        killed = die_at(event, folder, work)
        versions = open_versions(folder)
        assert versions.head in (before[0], 3 if work == "write" else 1)  # even before anything is put right
        versions.recover()
        head, files = list_state(folder)
        states.add(head)
        assert {number: files[number] for number in before[1]} == before[1]
        assert sorted(each.name for each in (folder / "versions").iterdir()) == [f"{n:04}" for n in files]
        assert int((folder / "head").read_text()) == head
        assert isinstance(versions.write(set_limit("age", 0.1), based_on=head), Version)
        if not killed:
            break
        event += 1
    assert states == {before[0], 3 if work == "write" else 1}
    assert event > 10


def test_a_line_of_the_log_cut_anywhere_does_not_count(versions: Versions, tmp_path: Path) -> None:
    versions.write(set_key("risk", 0.2), based_on=1)
    whole = (tmp_path / "log.jsonl").read_bytes()
    first = whole.index(b"\n") + 1
    for length in range(first, len(whole)):
        (tmp_path / "log.jsonl").write_bytes(whole[:length])
        assert open_versions(tmp_path).head == 1
    versions.recover()
    assert [each.name for each in (tmp_path / "versions").iterdir()] == ["0001"]
    assert written(versions.write(set_key("risk", 0.3), based_on=1)).number == 2
    assert [json.loads(line)["head"] for line in (tmp_path / "log.jsonl").read_text().splitlines()] == [1, 2]


def test_a_disk_that_fails_leaves_the_old_or_the_new_state(versions: Versions, monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = os.fsync, 0
    for failing in range(1, 12):
        calls, head = 0, versions.head

        def fail(handle: int, failing: int = failing) -> None:
            nonlocal calls
            calls += 1
            if calls == failing:
                raise OSError(28, "No space left on device")
            real(handle)

        monkeypatch.setattr(os, "fsync", fail)
        try:
            versions.write(set_key("risk", failing / 100), based_on=head)
        except InputError:
            assert versions.head in (head, head + 1)
        monkeypatch.setattr(os, "fsync", real)
        assert isinstance(versions.write(set_key("people", failing), based_on=versions.head), Version)
        assert tomllib.loads(versions.read().files["recipe.toml"].decode())["people"] == failing


def test_another_key_is_put_on_top_and_the_same_key_is_asked(versions: Versions) -> None:
    versions.write(set_key("risk", 0.2), based_on=1, tab="a")
    other = written(versions.write(set_limit("age", 0.1), based_on=1, tab="b"))
    told = tomllib.loads(other.files["recipe.toml"].decode())
    assert (told["risk"], told["limits"]) == (0.2, {"age": 0.1})
    answer = versions.write(set_key("risk", 0.3), based_on=1, tab="b")
    assert isinstance(answer, Conflict)
    assert [edit.value for edit in answer.mine] == [0.3]
    assert [edit.value for edit in answer.theirs] == [0.2]
    assert versions.head == answer.head == 3
    assert written(versions.write(answer.mine, based_on=answer.head)).number == 4
    assert written(versions.write(set_key("risk", 0.3), based_on=1)).number == 4  # both want the same


def test_a_column_that_another_took_away_is_asked(versions: Versions) -> None:
    versions.write([DeskEdit(file="schema", place=("columns", "age"))], based_on=1)
    answer = versions.write([DeskEdit(file="schema", place=("columns", "age", "kind"), value="integer")], based_on=1)
    assert isinstance(answer, Conflict)


def test_a_form_sent_twice_has_one_effect(versions: Versions) -> None:
    first = versions.write(set_key("risk", 0.2), based_on=1, key="form")
    again = versions.write(set_key("risk", 0.2), based_on=1, key="form")
    assert written(first) == written(again)
    versions.write(set_key("risk", 0.3), based_on=2)
    assert versions.undo(key="click").number == versions.undo(key="click").number == 2
    assert versions.redo(key="on").number == versions.redo(key="on").number == 3
    assert versions.restore(1, key="back").number == versions.restore(1, key="back").number == 4
    assert len(versions.list()) == 4


def test_what_is_written_runs_on_its_own_and_is_never_changed(versions: Versions, tmp_path: Path) -> None:
    version = written(versions.write(set_tree("age", "a;*\n"), based_on=1))
    assert version.recipe.read_bytes() == version.files["recipe.toml"]
    assert (version.folder / "people.csv").readlink() == Path("../../incoming/people.csv")
    assert b"# a comment that stays" in version.files["recipe.toml"]
    assert version.edits[-1].value == "trees/age.csv"
    assert version.edits[0].value == "a;*\n"
    assert versions.compare(1, 2)[-1].lines == ("+ a;*",)
    assert {path.stat().st_mode & 0o077 for path in tmp_path.rglob("*") if not path.is_symlink()} == {0}
    with pytest.raises(ParameterError, match="version"):
        versions.write(set_key("risk", 0.1), based_on=9)


def test_another_way_to_protect_has_another_seed_and_the_same_way_the_same(versions: Versions) -> None:
    seeds = [tomllib.loads(versions.read(1).files["recipe.toml"].decode())["seed"]]
    for edits in (set_limit("age", 0.5), set_guarantee(FILES, "k", 7), set_guarantee(FILES, "k", 5)):
        version = written(versions.write(edits, based_on=versions.head))
        seeds.append(tomllib.loads(version.files["recipe.toml"].decode())["seed"])
    assert seeds[0] == seeds[1] != seeds[2]
