"""Beside a register: who is no longer there and who came, and people who are not known again though they look alike."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from sekisho.cli import status_of
from sekisho.gate.outcome import Verdict
from sekisho.gate.register.book import Register
from sekisho.gate.register.erasing import erase_people
from sekisho.gate.register.key import RegisterKey
from sekisho.journey.result import GateResult
from sekisho.journey.run import pass_gate
from sekisho.safety.cover import Coverage

MADE = "2026-01-31T00:00:00Z"
KEYS = ("sex", "nuts3", "age")
LEARNABLE = '[learnable]\nillness = "asked of each release by itself, not here"\n'
Person = tuple[str, str, str, str, str]


def draw_people(count: int = 300, *, seed: int = 5) -> list[Person]:
    rng = np.random.default_rng(seed)
    return [
        (
            f"P{number:04d}",
            "fm"[rng.integers(2)],
            f"N{rng.integers(1, 5)}",
            str(rng.integers(10, 80)),
            ("flu", "cancer", "hiv", "none", "asthma")[rng.integers(5)],
        )
        for number in range(count)
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Register.start_with_key(tmp_path / "rel", tmp_path / "rel.key", made=MADE)
    return tmp_path


def write_recipe(
    folder: Path, name: str, people: Sequence[Person], *, population: str = "pop", extra: str = "", method: str = ""
) -> Path:
    """Write a file of people and a recipe that leaves beside the register."""
    rows = "\n".join(",".join(person) for person in people)
    (folder / f"{name}.csv").write_text(f"person_id,{','.join(KEYS)},illness\n{rows}\n")
    roles = {"person_id": "identifier"} | dict.fromkeys(KEYS, "quasi") | {"illness": "sensitive"}
    columns = "".join(f'[[columns]]\nname = "{column}"\nrole = "{role}"\n' for column, role in roles.items())
    (folder / "schema.toml").write_text(f'shape = "records"\n{columns}')
    recipe = folder / f"{name}.toml"
    way = method or 'name = "partition"\nk = 5\n'
    recipe.write_text(
        f'schema = "schema.toml"\noriginal = "{name}.csv"\nseed = 1\n[guarantees]\nk = 5\n{LEARNABLE}[[methods]]\n{way}'
        f'[register]\nfolder = "rel"\nkey = "rel.key"\npopulation = "{population}"\n{extra}'
    )
    return recipe


def leave(recipe: Path) -> GateResult:
    return pass_gate(recipe, out=recipe.with_suffix(""))


def find_reason(result: GateResult, rule: str) -> str:
    """Return what a rule has against the release."""
    (detail,) = [reason.detail for reason in result.reasons if reason.rule == rule]
    return detail


def find_told(result: GateResult) -> str:
    """Return what is said of it together with what left before."""
    return next(part.detail for part in result.certificate.statements if part.subject == "together")


@pytest.mark.parametrize("like_last", ["", "like_last = true\n"])
@pytest.mark.parametrize(("before", "after", "inside"), [(300, 299, "release 1"), (299, 300, "this release")])
def test_the_difference_of_two_files_is_the_row_of_who_left_or_came(
    folder: Path, before: int, after: int, inside: str, like_last: str
) -> None:
    people = draw_people()
    first = leave(write_recipe(folder, "w1", people[:before]))
    assert first.certificate.verdict is Verdict.RELEASE
    second = leave(write_recipe(folder, "w2", people[:after], extra=like_last))
    assert second.certificate.verdict is Verdict.REFUSE
    found = find_reason(second, "unsafe together")
    # with like_last everybody else keeps their row; drawn anew some classes may change, and the values tell it
    assert f"1 row stands in {inside}" in found or f"1 person is in {inside}" in found
    if like_last:
        assert f"1 row stands in {inside}" in found


def test_the_same_people_again_give_nothing_away(folder: Path) -> None:
    people = draw_people()
    results = [leave(write_recipe(folder, name, people)) for name in ("w1", "w2")]
    assert [result.certificate.verdict for result in results] == [Verdict.RELEASE] * 2
    accounts = [result.outcome.best.account for result in results if result.outcome is not None]
    assert [account.earlier.cover for account in accounts if account.earlier is not None] == [Coverage.PROMISED] * 2
    assert "earlier releases: promised (300 people are in it and in release 1" in accounts[1].describe()
    assert len(Register.open(folder / "rel").entries) == 2


def test_enough_people_who_left_from_many_classes_are_for_a_person_to_decide(folder: Path) -> None:
    people, large = draw_people(), 'name = "partition"\nk = 30\n'
    leave(write_recipe(folder, "w1", people, method=large))
    second = leave(write_recipe(folder, "w2", people[10:], method=large, extra="like_last = true\n"))
    tried = {} if second.outcome is None else {one.label: one for one in second.outcome.candidates}
    last = tried["like last"]
    assert last.verdict is Verdict.REVIEW
    (reason,) = [reason.detail for reason in last.reasons if reason.rule == "left or came"]
    assert "people who left, came or changed between release 1 and this release have fewer than 5" in reason


@pytest.mark.parametrize("name", ["Pop", "po p", "ｐｏｐ"])
def test_a_population_that_is_spelled_otherwise_is_for_a_person_to_decide(folder: Path, name: str) -> None:
    people = draw_people(60)
    leave(write_recipe(folder, "w1", people))
    second = leave(write_recipe(folder, "w2", people, population=name))
    assert second.certificate.verdict is Verdict.REVIEW
    assert f"a release of the population 'pop' left before, which differs from '{name}'" in find_reason(
        second, "not known again"
    )
    assert find_told(second).startswith("not considered")


def test_identifiers_in_another_case_are_told_and_folded_on_request(folder: Path) -> None:
    people = draw_people(60)
    small: list[Person] = [(number.lower(), sex, town, age, ill) for number, sex, town, age, ill in people]
    leave(write_recipe(folder, "w1", people))
    second = leave(write_recipe(folder, "w2", small))
    assert second.certificate.verdict is Verdict.REVIEW
    assert "60 of 60 identifiers are in release 1 in another case: say fold_case = true" in find_reason(
        second, "not known again"
    )
    folded = leave(write_recipe(folder, "w3", small, extra="fold_case = true\n"))
    assert folded.certificate.verdict is Verdict.RELEASE
    assert find_told(folded).startswith("60 people are in it and in release 1")
    fewer = leave(write_recipe(folder, "w4", small[:-1], extra="fold_case = true\n"))
    assert fewer.certificate.verdict is Verdict.REFUSE  # whoever left is known again in both spellings
    assert find_told(fewer).startswith("59 people are in it and in release 1, 2")
    key = RegisterKey.read(folder / "rel.key", register=folder / "rel")
    entry = erase_people(Register.open(folder / "rel"), key, ["p0003"], made=MADE, fold=True)
    assert entry is not None
    assert (entry.people.count, sorted(entry.erased or {})) == (1, ["1", "2"])


def test_people_who_look_alike_under_other_identifiers_are_told(folder: Path) -> None:
    people = draw_people(60)
    renamed: list[Person] = [(f"Q{number}", *person[1:]) for number, person in enumerate(people)]
    leave(write_recipe(folder, "w1", people))
    second = leave(write_recipe(folder, "w2", renamed))
    assert second.certificate.verdict is Verdict.REVIEW
    found = find_reason(second, "not known again")
    assert "nobody of release 1 is known again, though its classes admit the keys of 60 of 60 people" in found


def test_people_of_another_population_who_are_known_again_are_told(folder: Path) -> None:
    people = draw_people(60)
    leave(write_recipe(folder, "w1", people))
    second = leave(write_recipe(folder, "w2", people[:40], population="customers"))
    assert second.certificate.verdict is Verdict.REVIEW
    assert "40 people of it are in release 1 too, of the population 'pop'" in find_reason(second, "not known again")
    strangers: list[Person] = [(f"X{number}", *person[1:]) for number, person in enumerate(people)]
    third = leave(write_recipe(folder, "w3", strangers, population="patients"))
    assert third.certificate.verdict is Verdict.RELEASE
    assert find_told(third) == (
        "nothing of this population left before; 1 other release in the register is not considered"
    )


@pytest.mark.parametrize("original", [("w1",), ("w1", "w2")])
def test_composition_asks_about_who_left(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    original: tuple[str, ...],
) -> None:
    monkeypatch.chdir(folder)
    people = draw_people(60)
    for name, listed in (("w1", people), ("w2", people[:-1])):
        write_recipe(folder, name, listed)
        (folder / f"R{name}.csv").write_text(
            "\n".join([f"{','.join(KEYS)},illness", *(f"{sex},*,[10;79],{ill}" for _, sex, _, _, ill in listed)]) + "\n"
        )
    words = ["attack", "composition", "--published", "Rw1.csv", "Rw2.csv", "--keys", ",".join(KEYS), "--k", "5"]
    words += ["--sensitive", "illness", "--stable", "illness", "--id", "person_id"]
    words += [part for name in original for part in ("--original", f"{name}.csv")]
    capsys.readouterr()
    assert status_of([*words, "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["differences"]["1-2"]["rows_gone"] == 1
    assert answer["differences"]["1-2"]["people_gone"] == (1 if len(original) > 1 else None)
    assert status_of(words) == 1
    assert "1 row stands in release 1 and not in release 2, fewer than 5" in capsys.readouterr().out
