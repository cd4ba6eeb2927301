"""Laws of the account for every method of histories: who somebody is, and what is learnt of them.

1. One more column of distinct values, of which nobody says anything, leaves only where the claim about who somebody is
   holds for it as well: every value that is written then stands with several people.
2. Parameters that change nothing protect nothing.
4. A claim that is only reported, or a guarantee of what is learnt that is taken out, never makes a verdict good.
"""

from __future__ import annotations

import csv
import inspect
from collections.abc import Mapping
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from tests.gate.history.test_history_account import ATTACKED, SCHEMA, list_covers, write_visits

from sekisho.data.files.layout import open_original
from sekisho.data.shape import Shape
from sekisho.gate.history.recipe import HistoryRecipe
from sekisho.gate.history.stage import HistoryStage
from sekisho.gate.outcome import Attempt, ReviewedCandidate, Verdict
from sekisho.gate.recipe import read_recipe
from sekisho.journey.candidates import run
from sekisho.protect import METHODS
from sekisho.safety.cover import Coverage
from sekisho.seeds import Seed

K = 7
"""How many people are alike: each class of the history has so many."""
METHOD_NAMES = tuple(METHODS.find_names(Shape.HISTORY))
PARAMETERS: Mapping[str, str] = {
    "coarsen": "cells = 0.9\nwidth = 0.9",
    "erase": "cells = 0.9",
    "groups": f"k = {K}\neffort = 0.1",
    "pseudonymise": "",
    "similar-length": f"k = {K}",
}
"""What each method is asked for; whoever adds one adds a line."""
CLOSING = ("groups", "similar-length")
"""Methods whose release closes its account; of the others no claim is proven."""
NOTHING_CHANGED: Mapping[str, str] = {
    "coarsen": "cells = 0.0\nwidth = 0.0\nothers = 1",
    "erase": "cells = 0.0\nrows = 0.0",
    "groups": "k = 1\neffort = 0.1",
    "similar-length": "k = 1",
}
"""The parameters with which a method gives other names and no more; one does nothing else."""
ASKED = "guarantees = {l = 2}"


def judge(
    folder: Path, method: str, asked: str = ASKED, *, parameters: str = "", values: str = ""
) -> tuple[ReviewedCandidate[Attempt], list[dict[str, str]]]:
    """Return what is said of a method's release of mixed visits, and the rows that would leave.

    Args:
        folder: to write to.
        method: its name.
        asked: what the recipe asks for.
        parameters: of the method; the usual ones if empty.
        values: of which kind a further column is, of which nobody says anything; none if empty.
    """
    write_visits(folder, mixed=True)
    if values:
        lines = (folder / "visits.csv").read_text().splitlines()
        notes = [f"{'' if values == 'integer' else 'q'}{1000 + 37 * row % 997}" for row in range(len(lines) - 1)]
        noted = [f"{line},{note}" for line, note in zip(lines[1:], notes, strict=True)]
        (folder / "visits.csv").write_text("\n".join([f"{lines[0]},note", *noted, ""]))
        (folder / "schema.toml").write_text(f'{SCHEMA}[[columns]]\nname = "note"\nkind = "{values}"\n')
    head = f'shape = "history"\noriginal = "visits.csv"\nschema = "schema.toml"\n{asked}\n'
    own = f'[[methods]]\nname = "{method}"\n{parameters or PARAMETERS[method]}\n'
    (folder / "recipe.toml").write_text(head + own + ATTACKED)
    recipe, file = read_recipe(folder / "recipe.toml")
    assert isinstance(recipe, HistoryRecipe)
    original, rules = open_original(Path(file.original), recipe.rules)
    stage = HistoryStage.open(replace(recipe, rules=rules), original.data)
    *_, last = run(stage, seed=Seed(1))
    best = last.outcome.best
    offered = stage.files(best, seed=Seed(1)).offered
    name = next((name for name in offered if name.startswith("release")), "")
    return best, [*csv.DictReader(StringIO(offered[name].decode("utf-8-sig")))] if name else []


@pytest.mark.parametrize("values", ["integer", "category"])
@pytest.mark.parametrize("method", METHOD_NAMES)
def test_a_column_of_which_nobody_speaks_leaves_under_the_claim_only(method: str, values: str, tmp_path: Path) -> None:
    best, rows = judge(tmp_path, method, values=values)
    if method not in CLOSING:
        assert best.verdict in {Verdict.REFUSE, Verdict.REVIEW}
        return
    cover = list_covers(best)["note"]
    assert cover in {Coverage.KEYED, Coverage.GONE}
    assert rows
    alike: dict[str, set[str]] = {}
    for row in rows:
        alike.setdefault(row.get("note", ""), set()).add(next(iter(row.values())))
    assert all(note in {"", "*"} or len(people) >= K for note, people in alike.items())


@pytest.mark.parametrize("method", NOTHING_CHANGED)
def test_parameters_that_change_nothing_protect_nothing(method: str, tmp_path: Path) -> None:
    best, _ = judge(tmp_path, method, parameters=NOTHING_CHANGED[method])
    assert best.verdict in {Verdict.REFUSE, Verdict.REVIEW}
    assert best.account.open_entries


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_what_is_asked_for_and_taken_out_makes_no_verdict_good(method: str, tmp_path: Path) -> None:
    closed, _ = judge(tmp_path, method)
    assert (closed.verdict is Verdict.RELEASE) == (method in CLOSING)
    unasked, _ = judge(tmp_path, method, "")
    assert unasked.verdict is not Verdict.RELEASE
    assert list_covers(unasked)["diagnosis"] is Coverage.OPEN
    reported, _ = judge(tmp_path, method, f'claim = "reported"\n{ASKED}')
    assert reported.verdict is not Verdict.RELEASE
    assert {list_covers(reported)[name] for name in ("day", "ward")} == {Coverage.OPEN}


def test_every_method_of_histories_is_tried() -> None:
    assert sorted(PARAMETERS) == sorted(METHOD_NAMES)
    bare = {name for name in METHOD_NAMES if not inspect.signature(METHODS[name]).parameters}
    assert {*NOTHING_CHANGED} == {*METHOD_NAMES} - bare
