"""People erased from a register by their digests: the chain stays, what has left stays, they are known no more."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.gate.register.test_book import KEY, MADE, enter, start

from sekisho.cli.door import open_door
from sekisho.errors import InputError, ParameterError, SettingsError
from sekisho.gate.register import book
from sekisho.gate.register.book import Register
from sekisho.gate.register.entries import RegisterEntry
from sekisho.gate.register.erasing import erase_people
from sekisho.gate.register.key import RegisterKey


def erase(register: Register, *people: str) -> RegisterEntry | None:
    return erase_people(Register.open(register.folder), KEY, people, made=MADE)


def test_an_entry_of_its_own_says_what_is_kept_now(tmp_path: Path) -> None:
    register = enter(enter(start(tmp_path), tmp_path, "one"), tmp_path, "two")
    before = [each.digest for each in register.entries]
    published = (register.folder / "published/0001/release.csv").read_bytes()
    entry = erase(register, " p1 ", "nobody")
    assert entry is not None
    assert (entry.number, entry.people.count, sorted(entry.erased or {})) == (3, 1, ["1", "2"])
    now = Register.open(register.folder)
    assert [each.digest for each in now.entries[:2]] == before  # no earlier entry is touched
    assert now.entries[2].previous == before[1]
    assert list(now.list_faults()) == []
    gone = KEY.digest(register.head.number, ["p1"])[0]
    for each in now.entries[:2]:
        assert now.read_people(each).height == 1
        assert gone not in now.read_people(each)["person"].to_list()
    # what was seen stays seen: its rows, and so the sizes of its classes
    assert (register.folder / "published/0001/release.csv").read_bytes() == published
    assert b"p1" not in entry.write()
    again = enter(now, tmp_path, "three")
    assert list(again.list_faults()) == []
    assert erase(again, "p1") is not None  # of the third release, in which he was again
    last = Register.open(register.folder)
    assert list(last.entries[-1].erased or {}) == ["4"]
    assert list(last.list_faults()) == []
    assert erase(last, "p2") is not None
    assert [Register.open(register.folder).read_people(each).height for each in last.entries[:2]] == [0, 0]


def test_who_changes_what_is_kept_after_an_erasure_is_noticed(tmp_path: Path) -> None:
    register = enter(start(tmp_path), tmp_path, "one")
    kept = (register.folder / "confidential/0001.parquet").read_bytes()
    assert erase(register, "p1") is not None
    (register.folder / "confidential/0001.parquet").write_bytes(kept)  # the erased person put back
    now = Register.open(register.folder)
    assert [each.column for each in now.list_faults()] == ["confidential/0001.parquet"]
    with pytest.raises(InputError, match="not what was entered"):
        now.read_people(now.entries[0])


def test_a_program_that_is_killed_in_between_is_finished_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register = enter(enter(start(tmp_path), tmp_path, "one"), tmp_path, "two")
    usual = Path.replace
    calls: list[str] = []

    def die(self: Path, target: Path) -> Path:
        calls.append(self.name)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return usual(self, target)

    monkeypatch.setattr(Path, "replace", die)
    with pytest.raises(KeyboardInterrupt):
        erase(register, "p1")
    monkeypatch.undo()
    assert Register.open(register.folder).is_unsettled
    with Register.open(register.folder).hold() as held:
        assert len(held.entries) == 3
        assert list(held.list_faults()) == []
        assert [held.read_people(each).height for each in held.entries[:2]] == [1, 1]


def test_what_is_refused(tmp_path: Path) -> None:
    register = enter(start(tmp_path), tmp_path, "one")
    assert erase(register, "stranger") is None
    assert len(Register.open(register.folder).entries) == 1
    with pytest.raises(ParameterError, match="somebody"):
        erase(register)
    with pytest.raises(InputError, match="another key"):
        erase_people(register, RegisterKey(bytes(32)), ["p1"], made=MADE)
    entry = erase(register, "p1")
    assert entry is not None
    with pytest.raises(SettingsError, match="before"):
        RegisterEntry.read(change(register.folder / "entries/0002.json", '"1"', '"2"'))


def change(path: Path, old: str, new: str) -> Path:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def test_by_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    register = enter(start(tmp_path), tmp_path, "one")
    key = tmp_path / "k"
    KEY.write(key, register=register.folder)
    words = ["register", "erase", str(register.folder), "--key", str(key), "--json", "--id"]
    assert open_door([*words, "stranger"]) == 1
    assert json.loads(capsys.readouterr().out)["erased"] == 0
    assert open_door([*words, "p2", "--note", "as asked"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["erased"], answer["releases"], answer["entry"]["note"]) == (1, [1], "as asked")
    assert open_door(["register", "verify", str(register.folder)]) == 0
    assert open_door(["register", "list", str(register.folder)]) == 0
    assert open_door(["register", "show", str(register.folder)]) == 0
    assert "1 person is erased" in capsys.readouterr().out
    stranger = tmp_path / "stranger"
    shutil.copytree(register.folder, stranger)
    shutil.rmtree(stranger / book.CONFIDENTIAL)
    assert open_door(["register", "verify", str(stranger)]) == 0
