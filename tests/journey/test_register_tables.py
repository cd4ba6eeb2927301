"""Tables beside a register: what they say over time is audited as one system, and every file is entered."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gate.tables.test_linked_recipe import write_cells

from sekisho.errors import ParameterError
from sekisho.gate.outcome import Verdict
from sekisho.gate.register.book import Register
from sekisho.journey.run import pass_gate

MADE = "2026-01-31T00:00:00Z"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Register.start_with_key(tmp_path / "rel", tmp_path / "rel.key", made=MADE)
    return tmp_path


def write_table(folder: Path, turn: int, cells: tuple[int, ...], hidden: tuple[int, ...], relation: str) -> Path:
    """Write a line of counts with its total, and a pattern of it."""
    names = [f"r{place}" for place in range(1, len(cells) + 1)]
    rows = [f"{name},{count}" for name, count in zip((*names, "Total"), (*cells, sum(cells)), strict=True)]
    (folder / f"t{turn}.csv").write_text("\n".join(["region,n", *rows]) + "\n", encoding="utf-8")
    marked = [
        f"{name},{'' if place in hidden else count},{'secondary' if place in hidden else 'safe'}"
        for place, (name, count) in enumerate(zip((*names, "Total"), (*cells, sum(cells)), strict=True), 1)
    ]
    (folder / f"p{turn}.csv").write_text("\n".join(["region,n,status", *marked]) + "\n", encoding="utf-8")
    recipe = folder / f"rt{turn}.toml"
    recipe.write_text(
        f'shape = "table"\noriginal = "t{turn}.csv"\ndims = ["region"]\ncount = "n"\nmin_count = 4\nwidth = 2\n'
        f'release = "p{turn}.csv"\n[policy]\ncertificate = "release"\n[register]\nfolder = "rel"\nkey = "rel.key"\n'
        f'population = "region"\nrelation = "{relation}"\n',
        encoding="utf-8",
    )
    return recipe


@pytest.mark.parametrize(
    ("relation", "hidden", "verdict"),
    [
        ("grows", (1, 4), Verdict.REFUSE),
        ("same", (1, 2), Verdict.RELEASE),
        ("same", (1, 4), Verdict.REFUSE),
        ("unknown", (1, 4), Verdict.REVIEW),
    ],
)
def test_tables_of_two_months_are_audited_as_one(
    folder: Path, relation: str, hidden: tuple[int, ...], verdict: Verdict
) -> None:
    first = (3, 7, 12, 9)
    second = (4, 7, 14, 9) if relation == "grows" else first
    alone = pass_gate(write_table(folder, 1, first, (1, 2), relation), out=folder / "t1")
    assert alone.certificate.verdict is Verdict.RELEASE, alone.reasons
    again = pass_gate(write_table(folder, 2, second, hidden, relation), out=folder / "t2")
    assert again.certificate.verdict is verdict, again.reasons
    if verdict is Verdict.REFUSE:
        assert "unsafe together" in {reason.rule for reason in again.reasons}
    assert len(Register.open(folder / "rel").entries) == (2 if verdict is Verdict.RELEASE else 1)


def write_way(folder: Path, turn: int, way: str, relation: str = "same") -> Path:
    """Write a table that is to leave as a pattern of its own, as one that is searched, or as multiples of 6."""
    recipe = write_table(folder, turn, (4, 1, 12, 6), (1, 2), relation)
    text = recipe.read_text(encoding="utf-8").replace("width = 2", "width = 5")
    methods = {"hide": "", "search": "", "round": '[[methods]]\nname = "round"\nbase = 6\n'}
    if way != "hide":
        text = text.replace(f'release = "p{turn}.csv"\n', "") + methods[way]
    recipe.write_text(text, encoding="utf-8")
    return recipe


@pytest.mark.parametrize(
    ("ways", "relation", "verdict"),
    [
        (("hide", "round"), "same", Verdict.REFUSE),
        (("round", "hide"), "same", Verdict.REFUSE),
        (("round", "round"), "same", Verdict.RELEASE),
        (("search", "search"), "same", Verdict.RELEASE),
        (("hide", "round"), "unknown", Verdict.REVIEW),
    ],
)
def test_what_tables_say_over_time_is_audited_as_one(
    folder: Path, ways: tuple[str, str], relation: str, verdict: Verdict
) -> None:
    """4 + 1 are hidden, 0 to 5 each; rounded, 4 is shown as 6 (1 to 11) and 1 as 0 (0 to 5): each of width 5 or more.

    Both together leave the first at least 1, so of the sum of 5 the second is at most 4: its width is 4.
    """
    first = pass_gate(write_way(folder, 1, ways[0], relation), out=folder / "w1")
    assert first.certificate.verdict is Verdict.RELEASE, first.reasons
    again = pass_gate(write_way(folder, 2, ways[1], relation), out=folder / "w2")
    assert again.certificate.verdict is verdict, again.reasons
    assert ("unsafe together" in {reason.rule for reason in again.reasons}) == (verdict is Verdict.REFUSE)


def write_linked(folder: Path, turn: int, more: int, *, relation: str, extra: str = "") -> Path:
    """Write two tables that share the totals of the regions, and a recipe of both beside the register."""
    by_job, by_age = ((2, 28, 30), (5, 5, 5), (15, 13, 12)), ((20, 25, 15), (3, 6, 6), (10, 16, 14))
    grown = [tuple((line[0], line[1] + more, line[2]) for line in counts) for counts in (by_job, by_age)]
    for name, dim, codes, counts in (("jobs", "job", "ABC", grown[0]), ("ages", "age", "XYZ", grown[1])):
        write_cells(folder / f"{name}{turn}.csv", dim, codes, counts)
    tables = "".join(
        f'[[tables]]\nname = "{name}"\noriginal = "{name}{turn}.csv"\ndims = ["region", "{dim}"]\ncount = "n"\n'
        for name, dim in (("jobs", "job"), ("ages", "age"))
    )
    recipe = folder / f"l{turn}.toml"
    recipe.write_text(
        f'shape = "table"\noriginal = "jobs{turn}.csv"\nmin_count = 5\nwidth = 10\n{tables}{extra}[register]\n'
        f'folder = "rel"\nkey = "rel.key"\npopulation = "regions"\nrelation = "{relation}"\nlike_last = true\n',
        encoding="utf-8",
    )
    return recipe


def test_linked_tables_of_two_months_are_audited_as_one_system(folder: Path) -> None:
    first = pass_gate(write_linked(folder, 1, 0, relation="same"), out=folder / "l1")
    assert first.certificate.verdict is Verdict.RELEASE, first.reasons
    (entry,) = Register.open(folder / "rel").entries
    assert sorted(entry.files) == ["release-ages.csv", "release-jobs.csv"]  # each of them has left
    again = pass_gate(write_linked(folder, 2, 0, relation="same"), out=folder / "l2")
    assert again.certificate.verdict is Verdict.RELEASE, again.reasons  # the same pattern tells nothing more
    assert [again.public[name] for name in sorted(entry.files)] == [first.public[name] for name in sorted(entry.files)]
    grown = pass_gate(write_linked(folder, 3, 1, relation="grows"), out=folder / "l3")
    assert (
        grown.certificate.verdict is Verdict.REFUSE
    )  # one person more in some cells: the differences are small counts
    assert "unsafe together" in {reason.rule for reason in grown.reasons}
    assert len(Register.open(folder / "rel").entries) == 2
    assert list(Register.open(folder / "rel").list_faults()) == []


def test_linked_tables_that_tell_different_things_are_refused(folder: Path) -> None:
    recipe = write_linked(folder, 1, 0, relation="same")
    text = recipe.read_text(encoding="utf-8").replace('"age"]\ncount = "n"', '"age"]\ncount = "n"\nrules = ["min:3"]')
    recipe.write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError, match="same rules"):
        pass_gate(recipe, out=folder / "l1")
