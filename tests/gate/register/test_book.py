"""A register of releases: chained, people known again only under its key, entered in one act with the release."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

from sekisho.data.shape import Shape
from sekisho.errors import InputError
from sekisho.gate.certificate.canonical import digest_bytes
from sekisho.gate.register import book
from sekisho.gate.register.book import Intent, Register, RegisterProposal, list_file, pack_people
from sekisho.gate.register.entries import Binding, RegisteredPeople, RegisterEntry
from sekisho.gate.register.key import RegisterKey

MADE = "2026-01-31T00:00:00Z"
KEY = RegisterKey(bytes(range(32)))


def start(folder: Path) -> Register:
    return Register.start(folder / "register", KEY, made=MADE)


def propose(register: Register, text: str = "age,sex\n30-39,F\n") -> RegisterProposal:
    people = pack_people(
        pl.DataFrame(
            {"person": KEY.digest(register.head.number, ["p1", "p2"]), "class": [0, 1], "own": [True, True]},
            strict=False,
        )
    )
    published = {"release.csv": text.encode()}
    trees = {"age": b"30;30-39;*\n"}
    entry = RegisterEntry(
        number=len(register.entries) + 1,
        previous=register.last,
        made=MADE,
        shape=Shape.RECORDS,
        population="customers",
        people=RegisteredPeople(binding=Binding.KEYED, count=2, file=list_file(people)),
        files={name: list_file(data) for name, data in published.items()},
        trees={name: list_file(data) for name, data in trees.items()},
    )
    return RegisterProposal(entry=entry, published=published, trees=trees, people=people)


def publish(folder: Path, text: str) -> Intent:
    place = folder / "out" / "public" / "certificate.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    return Intent(place=str(place), certificate=digest_bytes(text.encode()))


def enter(register: Register, folder: Path, text: str) -> Register:
    with register.hold() as held:
        intent = publish(folder, text)
        held.prepare(propose(held), intent)
        Path(intent.place).write_text(text, encoding="utf-8")
        held.commit()
    return Register.open(register.folder)


def test_entries_follow_from_one_another(tmp_path: Path) -> None:
    register = enter(enter(start(tmp_path), tmp_path, "one"), tmp_path, "two")
    assert [each.number for each in register.entries] == [1, 2]
    assert register.entries[1].previous == register.entries[0].digest
    assert list(register.list_faults()) == []
    assert register.read_people(register.entries[0]).height == 2


@pytest.mark.parametrize(
    "name",
    ["entries/0001.json", "published/0001/release.csv", "published/0001/trees/1.csv", "confidential/0001.parquet"],
)
def test_what_is_changed_or_taken_away_is_noticed(tmp_path: Path, name: str) -> None:
    register = enter(enter(start(tmp_path), tmp_path, "one"), tmp_path, "two")
    place = register.folder / name
    content = place.read_bytes()
    place.write_bytes(content.replace(b"customers", b"clients") if name.endswith("json") else content + b"x")
    faults = list(Register.open(register.folder).list_faults())
    assert len(faults) == 1
    assert faults[0].rule == "register"
    if not name.endswith("json"):
        place.unlink()
        assert "missing" in next(Register.open(register.folder).list_faults()).message


def test_a_stranger_checks_the_chain_without_the_people(tmp_path: Path) -> None:
    register = enter(start(tmp_path), tmp_path, "one")
    stranger = tmp_path / "stranger"
    shutil.copytree(register.folder, stranger, ignore=shutil.ignore_patterns("confidential", "published"))
    assert list(Register.open(stranger).list_faults()) == []
    content = b"".join(path.read_bytes() for path in stranger.rglob("*") if path.is_file())
    for digest in KEY.digest(register.head.number, ["p1", "p2"]):
        assert digest.hex().encode() not in content


def test_the_key_stays_outside_and_to_its_owner(tmp_path: Path) -> None:
    register = start(tmp_path)
    with pytest.raises(InputError, match="inside the register"):
        KEY.write(register.folder / "key", register=register.folder)
    place = tmp_path / "key"
    KEY.write(place, register=register.folder)
    assert RegisterKey.read(place, register=register.folder) == KEY
    with pytest.raises(InputError, match="never written over"):
        KEY.write(place, register=register.folder)
    place.chmod(0o644)
    with pytest.raises(InputError, match="read by others"):
        RegisterKey.read(place, register=register.folder)
    link = register.folder / "link"
    link.symlink_to(place)
    register.check_key(KEY)
    with pytest.raises(InputError, match="another key"):
        register.check_key(RegisterKey(bytes(32)))


def test_a_person_is_the_same_however_he_is_written_and_another_in_another_register() -> None:
    assert KEY.digest("a", [" ０１２ ", "012"]) == KEY.digest("a", ["012"]) * 2
    assert KEY.digest("a", ["012"]) != KEY.digest("b", ["012"])
    assert KEY.digest("a", ["Ab"]) != KEY.digest("a", ["aB"])
    assert KEY.digest("a", ["Ab"], fold=True) == KEY.digest("a", ["aB"], fold=True)


@pytest.mark.parametrize("reached", ["published", "prepared"])
@pytest.mark.parametrize("point", range(1, 13))
def test_a_program_killed_at_any_point_leaves_both_or_neither(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: int, reached: str
) -> None:
    register = start(tmp_path)
    counted = iter(range(1, 100))
    real = book.sync_folder

    def die(folder: Path) -> None:
        if next(counted) == point:
            raise KeyboardInterrupt
        real(folder)

    monkeypatch.setattr(book, "sync_folder", die)
    intent, stood = publish(tmp_path, "one"), False
    try:
        with register.hold() as held:
            held.prepare(propose(held), intent)
            if reached == "published":
                Path(intent.place).write_text("one", encoding="utf-8")
                stood = True
                held.commit()
    except KeyboardInterrupt:
        pass
    monkeypatch.setattr(book, "sync_folder", real)
    with register.hold() as held:
        assert len(held.entries) == int(stood)
        assert list(held.list_faults()) == []


def test_where_nobody_can_tell_it_counts_as_having_left(tmp_path: Path) -> None:
    register = start(tmp_path)
    with register.hold() as held:
        held.prepare(propose(held), publish(tmp_path, "one"))
    shutil.rmtree(tmp_path / "out")
    with register.hold() as held:
        assert len(held.entries) == 1


def test_a_release_judged_before_another_one_was_entered_must_be_judged_again(tmp_path: Path) -> None:
    register = start(tmp_path)
    late = propose(register)
    enter(register, tmp_path, "one")
    with register.hold() as held, pytest.raises(InputError, match="run the gate again"):
        held.prepare(late, publish(tmp_path, "two"))


def test_only_one_enters_at_a_time(tmp_path: Path) -> None:
    register = start(tmp_path)
    with register.hold(), pytest.raises(InputError, match="somebody else"), register.hold():
        pass
