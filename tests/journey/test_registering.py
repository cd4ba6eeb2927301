"""The gate beside a register: the next release is attacked together with what has left, and entered as it leaves."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from sekisho.errors import InputError, SettingsError
from sekisho.gate.outcome import Certainty, Verdict
from sekisho.gate.records.stage import RecordsStage
from sekisho.gate.register.book import Register
from sekisho.gate.register.erasing import erase_people
from sekisho.gate.register.key import RegisterKey
from sekisho.gate.register.records import RegisteredRecords
from sekisho.journey import registering
from sekisho.journey.entry import ReadRecipe
from sekisho.journey.folders import OutputFolders
from sekisho.journey.review import hand_over
from sekisho.journey.run import RunOptions, pass_gate, run_entry

SCHEMA = """shape = "records"
[[columns]]
name = "番号"
role = "identifier"
[[columns]]
name = "age"
role = "quasi"
[[columns]]
name = "town"
role = "quasi"
[[columns]]
name = "illness"
role = "sensitive"
"""
LEARNABLE = '[learnable]\nillness = "asked of each release by itself, not here"\n'
MADE = "2026-01-31T00:00:00Z"


def write_people(place: Path, *, turn: int, size: int = 120) -> None:
    rng = np.random.default_rng(7)
    ages, towns = rng.integers(20, 90, size), rng.choice(["北", "南", "東"], size)
    ills = rng.choice(["none", "asthma", "gout", "flu"], size)
    rows = [f"{number:04d},{ages[number]},{towns[number]},{ills[number]}" for number in range(size)]
    text = "\n".join(["番号,age,town,illness", *rows[turn * 10 :]])
    place.write_text(f"{text}\n", encoding="utf-8")


def write_recipe(folder: Path, turn: int, *, method: str = 'name = "partition"\nk = 4', extra: str = "") -> Path:
    (folder / "schema.toml").write_text(SCHEMA, encoding="utf-8")
    write_people(folder / f"m{turn}.csv", turn=turn)
    recipe = folder / f"r{turn}.toml"
    recipe.write_text(
        f'schema = "schema.toml"\noriginal = "m{turn}.csv"\nseed = {turn + 1}\n{extra}\n[guarantees]\nk = 4\n'
        f'{LEARNABLE}[[methods]]\n{method}\n[register]\nfolder = "rel"\nkey = "rel.key"\npopulation = "patients"\n'
        'stable = ["illness"]\n',
        encoding="utf-8",
    )
    return recipe


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Register.start_with_key(tmp_path / "rel", tmp_path / "rel.key", made=MADE)
    return tmp_path


def test_who_is_erased_is_in_no_earlier_release_and_what_left_stays_attacked(folder: Path) -> None:
    first = pass_gate(write_recipe(folder, 0), out=folder / "a")
    assert first.certificate.verdict is Verdict.RELEASE
    recipe = write_recipe(folder, 1)

    def count() -> str:
        told = pass_gate(recipe, out=folder / "b").certificate.statements
        return next(each.detail for each in told if each.subject == "together")

    assert count().startswith("110 people are in it")
    key = RegisterKey.read(folder / "rel.key", register=folder / "rel")
    entry = erase_people(Register.open(folder / "rel"), key, ["0100", "0101", "0005"], made=MADE)
    assert entry is not None
    assert entry.people.count == 3
    assert count().startswith("108 people are in it")  # 0005 is in the first one only


def test_a_release_that_is_safe_alone_is_refused_where_it_is_unsafe_together(folder: Path) -> None:
    first = pass_gate(write_recipe(folder, 0), out=folder / "a")
    assert first.certificate.verdict is Verdict.RELEASE
    second = pass_gate(write_recipe(folder, 1), out=folder / "b")
    assert second.certificate.verdict is Verdict.REFUSE
    (reason,) = [reason for reason in second.reasons if reason.rule == "unsafe together"]
    assert "safe alone, unsafe together" in reason.detail
    assert [each.standing for each in second.certificate.statements if each.subject == "together"] == [
        Certainty.REFUTED.value
    ]
    register = Register.open(folder / "rel")
    assert [each.number for each in register.entries] == [1]
    assert register.entries[0].together.least_joint == register.entries[0].together.least_alone == 4
    assert list(register.list_faults()) == []


def test_the_same_classes_again_are_safe_together(folder: Path) -> None:
    method = 'name = "lattice"\nk = 4\nsuppress = 0.1\ntree = { age = "age.csv", town = "town.csv" }'
    (folder / "age.csv").write_text("".join(f"{age};{age // 40 * 40}+;*\n" for age in range(20, 90)), encoding="utf-8")
    (folder / "town.csv").write_text("北;*\n南;*\n東;*\n".replace(";", ";x;"), encoding="utf-8")
    policy = '[policy]\n"left or came" = "release"\n'
    verdicts = [
        pass_gate(write_recipe(folder, turn, method=method, extra=policy), out=folder / f"o{turn}").certificate.verdict
        for turn in range(3)
    ]
    assert verdicts == [Verdict.RELEASE] * 3
    known = pass_gate(write_recipe(folder, 3, method=method), out=folder / "known")  # ten more left, from nine classes
    assert known.certificate.verdict is Verdict.REVIEW
    told = {reason.rule: reason.detail for reason in known.reasons}
    assert set(told) == {"left or came", "open account"}
    assert "fitting rows among those that the two do not share" in told["left or came"]
    assert "earlier releases: what left before tells more than was considered" in told["open account"]
    register = Register.open(folder / "rel")
    assert [each.together.linked for each in register.entries] == [(), (1,), (1, 2)]
    assert min(each.together.least_joint or 0 for each in register.entries) >= 4
    assert sorted(register.find_trees(register.entries[0])) == ["age", "town"]


def test_nobody_is_named_in_the_register(folder: Path) -> None:
    pass_gate(write_recipe(folder, 0), out=folder / "a")
    entry = Register.open(folder / "rel").entries[0]
    assert entry.people.count == 120
    kept = Register.open(folder / "rel").read_people(entry)
    assert kept["person"].n_unique() == 120
    names = [f"{number:04d}".encode() for number in range(120)]
    plain = {*names, *(sha256(name).digest()[:16] for name in names)}
    assert not plain & set(kept["person"].to_list())
    told = b"".join(path.read_bytes() for path in (folder / "rel").rglob("*.json"))
    assert not any(b'"' + name + b'"' in told for name in names)
    public = b"".join(path.read_bytes() for path in (folder / "a" / "public").iterdir())
    assert b"rel.key" not in public


def test_what_is_only_looked_at_is_entered_when_it_is_handed_over(folder: Path) -> None:
    entry = ReadRecipe.read(write_recipe(folder, 0)).open()
    run_entry(entry, RunOptions(out=folder / "case", enters=False))
    assert Register.open(folder / "rel").entries == ()
    hand_over(folder / "case", folder / "place")
    assert len(Register.open(folder / "rel").entries) == 1
    assert (folder / "place" / "public" / "release.csv").exists()


def test_a_run_that_is_overtaken_must_be_made_again(folder: Path) -> None:
    entry = ReadRecipe.read(write_recipe(folder, 0)).open()
    pass_gate(write_recipe(folder, 0), out=folder / "a")
    with pytest.raises(InputError, match="run the gate again"):
        run_entry(entry, RunOptions(out=folder / "b"))
    assert not (folder / "b" / "public").exists() or not list((folder / "b" / "public").iterdir())
    assert len(Register.open(folder / "rel").entries) == 1


def test_a_program_killed_before_the_release_stands_there_enters_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(_: OutputFolders, __: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(OutputFolders, "deliver", die)
    with pytest.raises(KeyboardInterrupt):
        pass_gate(write_recipe(folder, 0), out=folder / "a")
    with Register.open(folder / "rel").hold() as register:
        assert register.entries == ()


def test_a_program_killed_after_the_release_stands_there_has_entered_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(_: Register) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(registering.Register, "commit", die)
        with pytest.raises(KeyboardInterrupt):
            pass_gate(write_recipe(folder, 0), out=folder / "a")
    assert (folder / "a" / "public" / "release.csv").exists()
    with Register.open(folder / "rel").hold() as register:
        assert len(register.entries) == 1


def test_a_recipe_says_all_that_a_register_needs(folder: Path) -> None:
    recipe = write_recipe(folder, 0)
    text = recipe.read_text(encoding="utf-8").replace('key = "rel.key"\npopulation = "patients"\n', "")
    recipe.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as error:
        ReadRecipe.read(recipe)
    assert [fault.column for fault in error.value.faults] == ["register.key", "register.population"]


def test_people_without_an_identifier_are_assumed_to_be_there_and_a_person_decides(folder: Path) -> None:
    recipe = write_recipe(folder, 0)
    schema = folder / "schema.toml"
    schema.write_text(SCHEMA.replace('[[columns]]\nname = "番号"\nrole = "identifier"\n', ""), encoding="utf-8")
    source = folder / "m0.csv"
    lines = [line.partition(",")[2] for line in source.read_text(encoding="utf-8").splitlines()]
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = pass_gate(recipe, out=folder / "a")
    assert result.certificate.verdict is Verdict.REVIEW
    assert {reason.rule for reason in result.reasons} == {"people assumed", "open account"}
    assert Register.open(folder / "rel").entries == ()


PSEUDONYMS = (718, 21, 390, 87, 455, 203, 964, 32, 671, 509, 148, 826, 7, 253)


def write_history(folder: Path, month: int, *, stay: str) -> Path:
    """Write a month of fourteen customers in two groups, of which two change from month to month, and its release."""
    groups = {1: (range(7), range(7, 14)), 2: ((*range(6), 13), range(6, 13))}[month]
    rows, released = [], []
    for number, group in enumerate(groups):
        for customer in group:
            rows.append(f"c{customer},2026-0{month}-0{number + 1},item{number},100,1")
            released.append(f"{PSEUDONYMS[customer]},2026-0{month}-0{number + 1},item{number},100,1")
    header = "customer,date,item,price,quantity"
    (folder / f"h{month}.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    (folder / f"a{month}.csv").write_text("\n".join([header, *released]) + "\n", encoding="utf-8")
    (folder / "history.toml").write_text(
        'shape = "history"\n[[columns]]\nname = "customer"\nrole = "identifier"\n'
        '[[columns]]\nname = "date"\nmeans = "time"\n[[columns]]\nname = "item"\nmeans = "item"\n'
        '[[columns]]\nname = "price"\nmeans = "price"\n[[columns]]\nname = "quantity"\nmeans = "quantity"\n',
        encoding="utf-8",
    )
    recipe = folder / f"rh{month}.toml"
    recipe.write_text(
        f'schema = "history.toml"\noriginal = "h{month}.csv"\nrelease = "a{month}.csv"\nseed = 1\n'
        '[[adversaries]]\nname = "unique-rows"\n[register]\nfolder = "rel"\nkey = "rel.key"\n'
        f'population = "customers"\npseudonyms = "{stay}"\n',
        encoding="utf-8",
    )
    return recipe


@pytest.mark.parametrize("stay", ["stay", "anew"])
def test_months_under_one_pseudonym_are_read_together(folder: Path, stay: str) -> None:
    results = [pass_gate(write_history(folder, month, stay=stay), out=folder / f"h{month}") for month in (1, 2)]
    told = [
        next(each for each in result.certificate.statements if each.subject == "together").standing
        for result in results
    ]
    figures = [
        next(each for each in result.outcome.best.statements if each.subject == "together").figures
        for result in results
        if result.outcome is not None
    ]
    assert figures[0]["least_joint"] == 7
    assert figures[1]["least_joint"] == (1 if stay == "stay" else 7)  # whoever changed is alone in both together
    assert told[1] == (Certainty.REFUTED.value if stay == "stay" else Certainty.PROMISED.value)


def test_a_value_that_nobody_has_any_more_stays_a_value_of_its_own(folder: Path) -> None:
    recipes = [write_recipe(folder, turn) for turn in range(2)]
    lines = [f"{number:04d},30,{'湊岬'[number % 2]},{'xyz'[number % 3]}" for number in range(24)]
    (folder / "m0.csv").write_text("\n".join(["番号,age,town,illness", *lines]) + "\n", encoding="utf-8")
    pass_gate(recipes[0], out=folder / "a")
    entry = ReadRecipe.read(recipes[1]).open()
    assert entry.register is not None
    joined = entry.register.joined
    assert isinstance(joined, RegisteredRecords)
    (earlier,) = joined.records.earlier
    written = [tuple(line.split(",")[:2]) for line in (folder / "a/public/release.csv").read_text().splitlines()[1:]]
    assert earlier.rows.size == len(set(written))
    assert earlier.rows.classes.tolist() == [list(dict.fromkeys(written)).index(one) for one in written]
    assert earlier.people is not None
    assert earlier.people.own is not None
    assert int(np.bincount(earlier.people.own.classes).min()) >= 4


def test_a_value_of_any_sensitive_column_may_be_settled_together(folder: Path) -> None:
    """Whoever was with y and is with z has x: the second of two sensitive columns, and the only one that lasts."""
    (folder / "schema.toml").write_text(
        SCHEMA.replace('name = "illness"', 'name = "mood"\nrole = "sensitive"\n[[columns]]\nname = "illness"'),
        encoding="utf-8",
    )
    values = (("a", "x"), ("a", "y"), ("a", "z"), ("a", "x"))
    for turn, towns in enumerate((("n", "n", "s", "s"), ("n", "s", "n", "s"))):
        rows = [f"30,{town},{mood},{ill}" for town, (mood, ill) in zip(towns, values, strict=True)]
        named = [f"{number},{row}" for number, row in enumerate(rows)]
        (folder / f"m{turn}.csv").write_text("\n".join(["番号,age,town,mood,illness", *named]) + "\n")
        (folder / f"p{turn}.csv").write_text("\n".join(["age,town,mood,illness", *rows]) + "\n")
        (folder / f"r{turn}.toml").write_text(
            f'schema = "schema.toml"\noriginal = "m{turn}.csv"\n[register]\nfolder = "rel"\nkey = "rel.key"\n'
            f'population = "p"\nstable = ["illness"]\n[[releases]]\nfile = "p{turn}.csv"\nordered = true\n'
        )
    first = ReadRecipe.read(folder / "r0.toml").open()
    assert first.register is not None
    registering.add_release(first.register, folder / "p0.csv", made=MADE)
    second = ReadRecipe.read(folder / "r1.toml").open()
    assert second.register is not None
    assert isinstance(second.stage, RecordsStage)
    standing = second.register.joined.stand(second.stage.written["p1.csv"].release)
    assert (standing.figures.disclosed_alone, standing.figures.disclosed_joint) == (4, 4)  # the mood of everybody
    assert "the sensitive value of 2 people is settled only together with release 1" in standing.unsafe
