"""Whoever rebuilds people from all tables of a release: known people speak against it, what may differ is kept apart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.laws import try_examples

from sekisho.errors import ParameterError, SettingsError
from sekisho.gate.certificate.checking import verify_certificate
from sekisho.gate.explanation import explain_recipe
from sekisho.gate.outcome import Certainty, Verdict
from sekisho.gate.recipe import read_recipe
from sekisho.gate.tables.candidate import TableCandidate
from sekisho.gate.tables.people_adversary import ReconstructAdversary
from sekisho.gate.tables.stage import TableStage
from sekisho.journey.entry import ReadRecipe
from sekisho.journey.run import pass_gate
from sekisho.seeds import Seed
from sekisho.tables.audit.statements import Statements
from sekisho.tables.methods.rounding import RoundMethod
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import Table
from sekisho.tables.reconstruct.joint_people import JointPeople
from sekisho.tables.rules.table_rules import TableRules

Wholes = NDArray[np.int64]
ADVERSARY = '[[adversaries]]\nname = "reconstruct"\n'
LINKED = """
[[tables]]
name = "jobs"
dims = ["sex", "job"]
[[tables]]
name = "regions"
dims = ["job", "region"]
"""


def fill(shape: tuple[int, int], counts: Sequence[float]) -> Table:
    dimensions = [
        Dimension.flat(name, [f"{name}{at}" for at in range(size)]) for name, size in zip("ab", shape, strict=True)
    ]
    return from_inner(
        dimensions, list(product(*(each.leaves for each in dimensions))), np.array(counts, dtype=np.float64)
    )


def write_records(folder: Path, records: Sequence[str], keys: str) -> Path:
    (folder / "people.csv").write_text("\n".join(["sex,job,region", *records]) + "\n")
    recipe = folder / "recipe.toml"
    recipe.write_text(f'shape = "table"\noriginal = "people.csv"\nmicrodata = true\ntime = 5\n{keys}')
    return recipe


def try_first(recipe: Path) -> TableCandidate:
    stage = ReadRecipe.read(recipe).open().stage
    assert isinstance(stage, TableStage)
    label, protect = next(iter(stage.protections().items()))
    return stage.try_release(label, protect(seed=Seed(0)), seed=Seed(0))


def test_one_person_a_job_is_known_by_two_tables_that_are_safe_alone(tmp_path: Path) -> None:
    # A: the man is the one of the east; B: the woman is the one of the west. No other people agree with both tables.
    recipe = write_records(tmp_path, ["m,A,east", "f,B,west"], f"min_count = 0\n{LINKED}{ADVERSARY}")
    best = try_first(recipe)
    assert {reason.rule for reason in best.reasons if reason.verdict is Verdict.REFUSE} == {"people rebuilt"}
    (found,) = best.rebuilt
    assert (found.answer.unique, found.known, found.answer.may_differ) == (True, 2, 0)
    assert best.statements[1].standing is Certainty.REFUTED
    assert best.attempts[-1].refutes


def test_people_in_every_solution_are_reviewed_though_the_tables_are_not_unique(tmp_path: Path) -> None:
    # A: a man and a woman, one east, one west: two ways. B: a man of the north, in both of them.
    recipe = write_records(tmp_path, ["m,A,east", "f,A,west", "m,B,north"], f"min_count = 0\n{LINKED}{ADVERSARY}")
    best = try_first(recipe)
    (found,) = best.rebuilt
    assert (found.answer.solutions, found.answer.complete, found.answer.certain) == (2, True, 1)
    assert (found.answer.may_differ, found.answer.two_may_differ) == (2, 2)
    assert [found.people.keys[cell] for cell in found.known_cells] == [("m", "B", "north")]
    assert {reason.rule: reason.verdict for reason in best.reasons}["certain people"] is Verdict.REVIEW


def test_counts_that_may_be_published_tell_nothing_more_by_being_rebuilt(tmp_path: Path) -> None:
    # one job a region: the joint table is rebuilt whole, and has five or six people in every cell that is not empty
    people = [*["m,A,east"] * 5, *["f,A,east"] * 6, *["m,B,west"] * 6, *["f,B,west"] * 5]
    best = try_first(write_records(tmp_path, people, LINKED + ADVERSARY))
    (found,) = best.rebuilt
    assert (found.answer.unique, found.answer.certain, found.known) == (True, 22, 0)
    assert not [reason for reason in best.reasons if "people" in reason.rule]
    assert best.statements[1].standing is Certainty.PROMISED  # under a condition, which it names
    assert "no other source" in best.statements[1].assumes


@pytest.mark.parametrize("rule", ["certain people", "people rebuilt"])
def test_no_policy_lets_known_people_pass_unseen(tmp_path: Path, rule: str) -> None:
    keys = f'{LINKED}{ADVERSARY}[policy]\n"{rule}" = "release"\n'
    with pytest.raises(SettingsError, match="review at least"):
        read_recipe(write_records(tmp_path, ["m,A,east"], keys))


def test_tables_of_sums_and_unknown_adversaries_are_refused_at_once(tmp_path: Path) -> None:
    keys = 'dims = ["sex"]\nvalue = "turnover"\n[[adversaries]]\nname = "reconstruct"\n[[adversaries]]\nname = "prosecutor"\n'
    with pytest.raises(SettingsError) as caught:
        read_recipe(write_records(tmp_path, ["m,A,east"], keys))
    assert {fault.column for fault in caught.value.faults} == {"adversaries", "adversaries.2.name"}
    recipe = write_records(tmp_path, ["m,A,east"], f'dims = ["sex"]\n{ADVERSARY}solutions = 1\n')
    with pytest.raises(SettingsError, match="at least 2"):
        read_recipe(recipe)


def test_the_library_is_as_strict() -> None:
    table = fill((2, 2), [1, 2, 3, 4])
    with pytest.raises(ParameterError, match="counts only"):
        TableStage(table=table, adversaries={"reconstruct": ReconstructAdversary()})
    with pytest.raises(ParameterError, match="whole counts"):
        JointPeople.of(fill((2, 2), [1.5, 2, 3, 4]))


def test_what_leaves_does_not_tell_how_many_are_known(tmp_path: Path) -> None:
    people = [*["m,A,east"] * 9, *["f,A,east"] * 8, *["m,B,west"] * 7, *["f,B,east"] * 7, *["m,A,west"] * 6]
    recipe = write_records(tmp_path, people, LINKED + ADVERSARY)
    assert explain_recipe(recipe).adversaries == ("outsider", "reconstruct")
    result = pass_gate(recipe, out=tmp_path / "out")
    assert result.verdict is Verdict.RELEASE
    public = tmp_path / "out" / "public"
    certificate = json.loads((public / "certificate.json").read_text("utf-8"))
    said = {one["subject"]: one for one in certificate["statements"]}["reconstruction"]
    assert (said["standing"], said["detail"]) == ("promised", "")
    assert verify_certificate(public / "certificate.json").valid
    page = next(public.glob("*.html")).read_text("utf-8")
    assert "in every solution" not in page
    assert "Which people can be rebuilt" not in page
    assert "Which people can be rebuilt" in (tmp_path / "out/confidential/report.html").read_text("utf-8")


def list_people(low: Wholes, high: Wholes, rows: Wholes, most: int) -> Wholes:
    """The plainest answer: all histograms, kept where every row is inside its bounds."""
    every = np.array(list(product(range(most + 1), repeat=rows.shape[1])))
    sums = every @ rows.T
    return every[np.all((sums >= low) & (sums <= high), axis=1)]


@try_examples(15)
@given(
    st.lists(st.integers(0, 4), min_size=4, max_size=4), st.sampled_from(["hidden", "rounded", "interval", "silent"])
)
def test_one_table_by_any_method_is_rebuilt_as_enumeration_says(counts: list[int], kind: str) -> None:
    table = fill((2, 2), counts)
    people = JointPeople.of(table)
    said = {
        "hidden": Statements.suppressed(
            np.where(table.value < 3, 0.0, table.value), np.where(table.value < 3, 2.0, table.value)
        ),
        "rounded": Statements.rounded(3.0 * np.rint(table.value / 3), base=3),
        "interval": Statements.interval(np.maximum(0, table.value - 1), table.value + 1),
        "silent": Statements.suppressed(table.lower, table.upper),
    }[kind]
    found = ReconstructAdversary(solutions=20_000).attack(people, said, few=3)
    low, high = people.bound_rows(said)
    every = list_people(low, high, people.matrix.toarray(), 7)
    least = every.min(axis=0)
    assert found.answer.in_all is not None
    assert np.array_equal(found.answer.in_all, least)
    assert people.truth is not None
    assert found.known == least[(people.truth < 3) & (least > 0)].sum()
    assert found.answer.may_differ == np.maximum(0, people.truth - every).sum(axis=1).max()
    if kind == "silent":  # nothing bounds anybody: no number of solutions is told as all of them
        assert (found.answer.complete, found.answer.unique, found.answer.two_at_most) == (False, False, None)
    else:
        assert (found.answer.solutions, found.answer.complete) == (len(every), True)


def test_a_rounded_table_goes_the_same_way() -> None:
    table = fill((2, 3), [1, 7, 9, 12, 2, 8])
    stage = TableStage(
        table=table,
        rules=TableRules(min_count=3, width=4),
        searches={},
        methods={"round": RoundMethod(base=5)},
        counts=True,
        adversaries={"reconstruct": ReconstructAdversary()},
        people=JointPeople.of(table),
    )
    release = stage.protections()["round"](seed=Seed(0))
    best = stage.try_release("round", release, seed=Seed(0))
    (found,) = best.rebuilt
    assert found.answer.settled
    assert not found.answer.unique
    # the theorem of rounding: every cell by itself may be as low as its own statement says
    assert release.made is not None
    said = release.made.release.statements
    assert said is not None
    assert found.answer.in_all is not None
    inner = [table.position[key] for key in found.people.keys]
    assert np.array_equal(found.answer.in_all, said.low[inner])
