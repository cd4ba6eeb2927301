"""Nobody may be told that a history may leave because people cannot be named in it, while it tells what they have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sekisho.data.files.layout import open_original
from sekisho.errors import SekishoError, SettingsError
from sekisho.gate.history.recipe import HistoryRecipe
from sekisho.gate.history.stage import HistoryStage
from sekisho.gate.outcome import Attempt, Certainty, ReviewedCandidate, Verdict
from sekisho.gate.recipe import read_recipe
from sekisho.journey.candidates import review_one, run
from sekisho.safety.cover import Coverage
from sekisho.seeds import Seed
from sekisho.words import Language, translate

SCHEMA = """shape = "history"
[[columns]]
name = "patient"
role = "identifier"
kind = "category"
[[columns]]
name = "day"
kind = "date"
[[columns]]
name = "ward"
kind = "category"
[[columns]]
name = "diagnosis"
kind = "category"
role = "sensitive"
"""
WARDS = {"W0": "hiv", "W1": "flu"}
ATTACKED = '[[adversaries]]\nname = "containment"\n[policy]\n"column of hardly any use" = "release"\n'
REASON = "the board of the hospital decided that it may be learnt"


def write_visits(folder: Path, *, mixed: bool) -> None:
    """Write 14 patients with two visits each; the ward tells the diagnosis unless they are mixed."""
    rows = ["patient,day,ward,diagnosis"]
    for number in range(14):
        ward = f"W{number % 2}"
        illness = ("hiv", "flu")[number // 2 % 2] if mixed else WARDS[ward]
        rows += [f"P{number * 7 % 97:02d}x,2024-01-{day:02d},{ward},{illness}" for day in (1 + number // 2, 20)]
    (folder / "visits.csv").write_text("\n".join([*rows, ""]))
    (folder / "schema.toml").write_text(SCHEMA)


def open_stage(folder: Path, more: str = "", *, k: int = 7, mixed: bool = False) -> HistoryStage:
    write_visits(folder, mixed=mixed)
    method = f'[[methods]]\nname = "groups"\nk = {k}\neffort = 0.1\n'
    head = f'shape = "history"\noriginal = "visits.csv"\nschema = "schema.toml"\n{more}\n'
    (folder / "recipe.toml").write_text(f"{head}{method}{'' if '[[adversaries]]' in more else ATTACKED}")
    recipe, file = read_recipe(folder / "recipe.toml")
    assert isinstance(recipe, HistoryRecipe)
    original, rules = open_original(Path(file.original), recipe.rules)
    return HistoryStage.open(replace(recipe, rules=rules), original.data)


def judge(folder: Path, more: str = "", *, k: int = 7, mixed: bool = False) -> ReviewedCandidate[Attempt]:
    *_, last = run(open_stage(folder, more, k=k, mixed=mixed), seed=Seed(1))
    return last.outcome.best


def list_covers(candidate: ReviewedCandidate[Attempt]) -> dict[str, Coverage]:
    return {entry.subject: entry.cover for entry in candidate.account.entries}


def test_who_somebody_is_does_not_cover_what_is_learnt(tmp_path: Path) -> None:
    made = judge(tmp_path)
    assert made.verdict is Verdict.REVIEW
    assert [one.standing for one in made.statements if one.subject == "claim H0"] == [Certainty.PROVEN]
    assert list_covers(made) == {
        "patient": Coverage.GONE,
        "day": Coverage.KEYED,
        "ward": Coverage.KEYED,
        "diagnosis": Coverage.OPEN,
    }
    (reason,) = [one for one in made.reasons if one.rule == "open account"]
    assert reason.detail.startswith(
        "diagnosis: one single value is left possible of 14 of 14 people: the claim H0 covers who somebody is, not what"
    )
    assert "diagnosis" in translate(reason.detail, Language.JA)


def test_a_person_may_say_why_it_may_be_learnt(tmp_path: Path) -> None:
    made = judge(tmp_path, f'learnable = {{diagnosis = "{REASON}"}}')
    assert (made.verdict, list_covers(made)["diagnosis"]) == (Verdict.RELEASE, Coverage.SECRET)
    with pytest.raises(SettingsError, match=r"learnable\.diagnosis"):
        open_stage(tmp_path, 'learnable = {diagnosis = "x"}')
    with pytest.raises(SekishoError, match="learnable"):
        open_stage(tmp_path, f'learnable = {{ward = "{REASON}"}}')


def test_values_that_remain_possible_cover_it_where_they_are_asked_for(tmp_path: Path) -> None:
    broken = judge(tmp_path, "guarantees = {l = 2}")
    assert broken.verdict is Verdict.REFUSE
    assert "guarantee broken" in [one.rule for one in broken.reasons]
    kept = judge(tmp_path, "guarantees = {l = 2}", mixed=True)
    assert (kept.verdict, list_covers(kept)["diagnosis"]) == (Verdict.RELEASE, Coverage.SECRET)
    said = [one for one in kept.statements if one.subject == "secret-values of diagnosis"]
    assert [(one.standing, one.figures["worst"]) for one in said] == [(Certainty.PROVEN, 2.0)]
    unasked = judge(tmp_path, mixed=True)  # it holds, and nobody asked for it: taking a demand away betters nothing
    assert (unasked.verdict, list_covers(unasked)["diagnosis"]) == (Verdict.REVIEW, Coverage.OPEN)


def test_other_columns_can_be_named_as_sensitive(tmp_path: Path) -> None:
    made = judge(tmp_path, 'sensitive = ["ward"]')
    assert list_covers(made)["ward"] is Coverage.OPEN
    with pytest.raises(SekishoError, match="sensitive"):
        open_stage(tmp_path, 'sensitive = ["patient"]')
    with pytest.raises(SettingsError, match=r"guarantees\.k"):
        open_stage(tmp_path, "guarantees = {k = 5}")


def test_a_claim_that_is_only_reported_covers_nothing(tmp_path: Path) -> None:
    made = judge(tmp_path, f'claim = "reported"\nlearnable = {{diagnosis = "{REASON}"}}')
    assert made.verdict is Verdict.REVIEW
    assert list_covers(made)["ward"] is Coverage.OPEN


def test_refuted_and_may_leave_never_stand_in_one_answer(tmp_path: Path) -> None:
    by_lot = '[[adversaries]]\nname = "chance"\n[policy]\n"column of hardly any use" = "release"\n'
    more = f'claim = "reported"\nlearnable = {{diagnosis = "{REASON}"}}\n{by_lot}'
    made = judge(tmp_path, more, k=2)
    assert made.verdict is not Verdict.RELEASE
    assert {"no attack", "open account"} <= {one.rule for one in made.reasons}


@pytest.mark.parametrize("k", [2, 7])
def test_one_release_is_accounted_for_as_at_the_gate(tmp_path: Path, k: int) -> None:
    made = review_one(open_stage(tmp_path, f'learnable = {{diagnosis = "{REASON}"}}', k=k), seed=Seed(1))
    expected = (Verdict.RELEASE, Coverage.KEYED) if k == 7 else (Verdict.REVIEW, Coverage.OPEN)
    assert (made.verdict, list_covers(made)["ward"]) == expected


def test_a_column_that_is_left_out_is_gone(tmp_path: Path) -> None:
    made = judge(tmp_path, 'coarser = {diagnosis = "out"}')
    assert (made.verdict, list_covers(made)["diagnosis"]) == (Verdict.RELEASE, Coverage.GONE)
