"""What is proposed was tried out: whoever follows the first proposal comes to what it said."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from sekisho.cli import status_of
from sekisho.data.history.arrays import find_owners
from sekisho.data.history.files import write_original
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.errors import InfeasibleError
from sekisho.gate.account.answers import SAY_WHAT_IT_IS, AccountAnswer
from sekisho.gate.advice.changes import Change, Edit, join_changes
from sekisho.gate.advice.proposals import list_changes
from sekisho.gate.history.stage import HistoryCandidate, HistoryStage
from sekisho.gate.outcome import Verdict
from sekisho.gate.rulebooks import read_history_terms
from sekisho.journey.advice import Advice, Proposal, advice_page, advise_steps, brings, rank_trial
from sekisho.journey.entry import ReadRecipe
from sekisho.journey.frames import advise
from sekisho.journey.recipe_edit import diff_recipe, edit_recipe, write_settings
from sekisho.journey.run import pass_gate
from sekisho.journey.trial import Trial, try_recipe
from sekisho.seeds import Seed
from sekisho.words import Said, quote_words

RECORDS = """title = "people"   # a title
shape = "records"
original = "people.csv"
keys = ["age", "town"]
seed = 5

# how
[[methods]]
name = "partition"
k = 4  # classes

[guarantees]
k = 4
"""
HISTORY = """rules = "pwscup2018"
original = "T.csv"
seed = 5

[[methods]]
name = "similar-length"
k = 3

[[adversaries]]
name = "containment"
"""
TABLE = """shape = "table"
original = "people.csv"
microdata = true
dims = ["town", "sex", "job"]
min_count = 5
width = 10
"""


def write_case(folder: Path, recipe: str) -> Path:
    rows = [f"{20 + n * 7 % 50},{'abc'[n % 3]},{'mf'[n % 2]},{n % 4},{'uvw'[n * n % 7 % 3]}" for n in range(60)]
    (folder / "people.csv").write_text("age,town,sex,illness,job\n" + "\n".join(rows) + "\n")
    history = SyntheticHistory(customers=24).draw(rng=Seed(3).rng())
    (folder / "T.csv").write_bytes(write_original(history, read_history_terms("pwscup2018")))
    (folder / "recipe.toml").write_text(recipe)
    return folder / "recipe.toml"


@pytest.mark.parametrize("recipe", [RECORDS, HISTORY, TABLE], ids=["records", "history", "table"])
def test_the_first_proposal_followed_leads_to_what_it_said(recipe: str, tmp_path: Path) -> None:
    """The written recipe, taken through the gate with the same seed: the same verdict, loss and risk."""
    advice = advise(write_case(tmp_path, recipe), seconds=600)
    assert advice.tried > 3
    assert advice.proposals
    (tmp_path / "better.toml").write_text(advice.apply(1))
    seed = None if recipe is TABLE else advice.seed
    followed = pass_gate(tmp_path / "better.toml", seed=seed).best
    assert followed is not None
    said = advice.proposals[0].trial
    assert (followed.verdict, followed.score.value, followed.risk) == (said.verdict, said.loss, said.risk)
    assert list_ranks(advice) == sorted(list_ranks(advice))
    assert advice.before is not None
    assert all(brings(each.trial, advice.before) for each in advice.proposals)


def test_people_hardest_to_hide_are_left_out_as_it_was_said_and_named_in_confidence_only(tmp_path: Path) -> None:
    recipe = write_case(tmp_path, HISTORY)
    stage = ReadRecipe.read(recipe).open().stage
    assert isinstance(stage, HistoryStage)
    change = next(one for one in list_changes(stage, tomllib.loads(HISTORY)) if ("leave_out",) in one.places)
    trial = try_recipe(recipe, change.apply(tomllib.loads(HISTORY)), Seed(5))
    (tmp_path / "better.toml").write_text(edit_recipe(HISTORY, change))
    result = pass_gate(tmp_path / "better.toml", out=tmp_path / "gate", seed=5)
    followed = result.best
    assert followed is not None
    assert (followed.verdict, followed.score.value, followed.risk) == (trial.verdict, trial.loss, trial.risk)
    (name,) = change.people
    assert isinstance(followed, HistoryCandidate)
    owner, names = find_owners(stage.original)
    assert followed.release.deleted[owner == names.index(name)].all()
    proposal = Proposal(change=change, trial=trial, lines=diff_recipe(HISTORY, change))
    advice = Advice(source=recipe, text=HISTORY, seed=5, before=None, proposals=(proposal,), tried=1)
    assert name in advice_page(advice, {}).decode()
    assert name not in json.dumps(advice.as_dict()) + advice.apply(1) + proposal.describe() + repr(advice)


GAPPED_SCHEMA = """shape = "{shape}"
[[columns]]
name = "person"
kind = "category"
role = "{role}"
[[columns]]
name = "day"
kind = "date"
[[columns]]
name = "age"
kind = "integer"
[[columns]]
name = "post"
kind = "category"
"""
GAPPED = """shape = "{shape}"
original = "visits.csv"
schema = "visits.schema.toml"
seed = 5
{keys}
[[methods]]
name = "{method}"
k = 3
{adversaries}
"""


def write_gapped(folder: Path, *, history: bool, gaps: bool) -> Path:
    """Write visits of twenty people, or one each of eighty; of some one cell is missing."""
    columns = [
        [f"p{n % 20 if history else n}" for n in range(80)],
        [f"2024-{1 + n % 9:02}-{1 + n * 5 % 28:02}" for n in range(80)],
        [str(20 + n * 7 % 50) for n in range(80)],
        [f"{100 + n % 3}-{n % 27:04}" for n in range(80)],
    ]
    gapped = (2, 3) if history else (1, 2, 3)  # every row of a history needs a time
    for number in range(0, 27, 3) if gaps else ():
        columns[gapped[number // 3 % len(gapped)]][number] = ""
    rows = map(",".join, zip(*columns, strict=True))
    (folder / "visits.csv").write_text("person,day,age,post\n" + "\n".join(rows) + "\n")
    shape = "history" if history else "records"
    (folder / "visits.schema.toml").write_text(GAPPED_SCHEMA.format(shape=shape, role="identifier"))
    keys = "" if history else 'keys = ["day", "age", "post"]'
    method = "similar-length" if history else "partition"
    adversaries = '[[adversaries]]\nname = "containment"' if history else ""
    (folder / "recipe.toml").write_text(GAPPED.format(shape=shape, keys=keys, method=method, adversaries=adversaries))
    return folder / "recipe.toml"


@pytest.mark.parametrize("history", [False, True], ids=["records", "history"])
def test_columns_with_missing_cells_are_told_more_coarsely_as_others_are(tmp_path: Path, *, history: bool) -> None:
    changes: dict[bool, list[Change]] = {}
    for gaps in (False, True):
        recipe = write_gapped(tmp_path, history=history, gaps=gaps)
        stage, settings = ReadRecipe.read(recipe).open().stage, tomllib.loads(recipe.read_text())
        coarser = [one for one in list_changes(stage, settings) if {place[0] for place in one.places} == {"coarser"}]
        changes[gaps] = sorted(coarser, key=lambda change: change.words)
        for change in coarser if gaps else ():
            trial = try_recipe(recipe, change.apply(settings), Seed(5))
            assert trial.verdict is not None, (change.words, trial.why)
            assert 0 < trial.loss <= 1
    assert changes[True] == changes[False]
    places = {(edit.place[1], edit.value) for change in changes[True] for edit in change.edits}
    assert places >= {("day", "month"), ("day", "out"), ("age", 5), ("age", 10), ("post", 7), ("post", "out")}


def test_numbers_are_told_in_steps_of_which_a_few_cover_all(tmp_path: Path) -> None:
    # ages in fives and tens that go three times into all; else the largest round number below a twentieth, an eighth
    steps: dict[str, tuple[str, list[float]]] = {
        "a14": ("14", []),
        "a15": ("15", [5]),
        "a29": ("29", [5]),
        "a30": ("30", [5, 10]),
        "a99": ("99", [5, 10]),
        "a160": ("160", [5, 20]),  # 8 and 20
        "a1600": ("1600", [50, 200]),  # 80 and 200
        "d30": ("30.0", [1.0, 2.0]),  # 1.5 and 3.75
        "d4": ("4.0", [0.2, 0.5]),
        "d0": ("0.0", []),
    }
    rows = [["0.0" if name[0] == "d" else "0" for name in steps], [last for last, _ in steps.values()]] * 20
    (tmp_path / "people.csv").write_text("\n".join(",".join(cells) for cells in [list(steps), *rows]) + "\n")
    kinds = "".join(
        f'[[columns]]\nname = "{name}"\nrole = "quasi"\nkind = "{"decimal" if name[0] == "d" else "integer"}"\n'
        for name in steps
    )
    (tmp_path / "s.toml").write_text('shape = "records"\n' + kinds)
    recipe = tmp_path / "recipe.toml"
    keys = json.dumps(list(steps))
    recipe.write_text(
        f'shape = "records"\noriginal = "people.csv"\nschema = "s.toml"\nkeys = {keys}\nseed = 5\n'
        '[[methods]]\nname = "partition"\nk = 4\n'
    )
    changes = list_changes(ReadRecipe.read(recipe).open().stage, tomllib.loads(recipe.read_text()))
    edits = [edit for change in changes for edit in change.edits if edit.place[0] == "coarser" and edit.value != "out"]
    listed = {name: [edit.value for edit in edits if edit.place[1] == name] for name in steps}
    assert listed == {name: widths for name, (_, widths) in steps.items()}
    assert {type(edit.value) for edit in edits if str(edit.place[1])[0] == "a"} == {int}


def test_a_table_a_level_of_its_tree_higher_comes_to_what_was_said(tmp_path: Path) -> None:
    recipe = write_case(tmp_path, TABLE + '\n[trees]\njob = "jobs.csv"\n')
    (tmp_path / "jobs.csv").write_text("node,parent\nk,Total\nw,Total\nu,k\nv,k\n")
    stage, settings = ReadRecipe.read(recipe).open().stage, tomllib.loads(recipe.read_text())
    change = next(one for one in list_changes(stage, settings, tmp_path) if ("coarser", "job") in one.places)
    trial = try_recipe(recipe, change.apply(settings), Seed(0))
    (tmp_path / "better.toml").write_text(edit_recipe(recipe.read_text(), change))
    followed = pass_gate(tmp_path / "better.toml").best
    assert followed is not None
    assert (followed.verdict, followed.score.value, followed.risk) == (trial.verdict, trial.loss, trial.risk)
    before = pass_gate(recipe).best
    assert before is not None
    assert brings(trial, Trial.of(before))


def test_trials_have_the_chance_of_the_run(tmp_path: Path) -> None:
    """Of a method that draws, another seed has another loss: the trial has that of the run."""
    text = RECORDS.replace('"partition"\nk = 4  # classes', '"rankswap"\np = 30').replace("[guarantees]\nk = 4\n", "")
    recipe = write_case(tmp_path, text)
    runs = {seed: pass_gate(recipe, seed=seed).best for seed in (5, 6)}
    before = next(advise_steps(recipe, seed=Seed(5), seconds=600)).before
    assert before is not None
    assert [before.loss == best.score.value for best in runs.values() if best is not None] == [True, False]


def list_ranks(advice: Advice) -> list[tuple[float, ...]]:
    return [rank_trial(each.trial) for each in advice.proposals]


def test_the_command_writes_the_changed_recipe_and_keeps_its_comments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = write_case(tmp_path, RECORDS)
    out = tmp_path / "better.toml"
    words = ["advise", str(recipe), "--seconds", "600", "--apply", "1", "--out", str(out), "--json"]
    assert status_of(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert {"change", "verdict", "loss", "risk", "lines"} <= set(told["proposals"][0])
    assert "# a title" in out.read_text()
    assert tomllib.loads(out.read_text()) != tomllib.loads(recipe.read_text())
    assert status_of(["advise", str(recipe), "--apply", "1"]) == 2


def test_the_gate_tells_what_would_help_and_its_files_stay_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
    recipe = write_case(tmp_path, RECORDS.replace("[guarantees]\nk = 4", "[guarantees]\nk = 6"))  # cannot be kept
    files: list[dict[str, bytes]] = []
    for seconds in ("0", "600"):
        out = tmp_path / "gate"
        assert status_of(["gate", str(recipe), "--out", str(out), "--advice", seconds, "--json"]) == 1
        told = json.loads(capsys.readouterr().out)
        assert told["ending"]["decision"] == "must not leave"
        assert bool(told["ending"]["changes"]) == (seconds != "0")
        paths = [path for path in out.rglob("*") if path.is_file() and "cache" not in str(path)]
        files.append({str(path): path.read_bytes() for path in paths if path.name != "advice.html"})
    assert files[0] == files[1]
    assert (tmp_path / "gate/confidential/advice.html").is_file()


CHANGES = (
    Change(words=Said("week"), edits=(Edit(place=("coarser", "a b"), value=5),)),
    Change(words=Said("week"), edits=(Edit(place=("methods", 1, "k"), value=7),)),
    Change(words=Said("week"), edits=(Edit(place=("keys",), value=["x", "y"]),)),
    Change(words=Said("week"), edits=(Edit(place=("trees", "x"), value=None),)),
    Change(words=Said("week"), edits=(Edit(place=("methods", 0, "suppress"), value=3),)),
)
TEXT = """# top
keys = [
  "x",  # one
  "z",
]
[trees]
x = "x.csv"
y = "y.csv"

# first
[[methods]]
name = "partition"

# second
[[methods]]
name = "lattice"
k = 3
"""


@pytest.mark.parametrize("change", [*CHANGES, join_changes(CHANGES)])
def test_a_recipe_is_edited_line_by_line(change: Change) -> None:
    edited = edit_recipe(TEXT, change)
    assert tomllib.loads(edited) == change.apply(tomllib.loads(TEXT))
    assert "# first\n[[methods]]" in edited  # comments stay where they belong
    assert diff_recipe(TEXT, change)


def test_a_form_that_cannot_be_edited_is_written_anew() -> None:
    text = 'methods = [{ name = "partition", k = 3 }]\n'
    change = Change(words=Said("week"), edits=(Edit(place=("methods", 0, "k"), value=9),))
    assert tomllib.loads(edit_recipe(text, change)) == {"methods": [{"name": "partition", "k": 9}]}
    assert tomllib.loads(write_settings(tomllib.loads(TEXT))) == tomllib.loads(TEXT)


def test_a_recipe_without_any_table_gets_a_key() -> None:
    change = Change(words=quote_words("-"), edits=(Edit(place=("apriori",), value="cells.hst"),))
    assert tomllib.loads(edit_recipe('dims = ["a"]\n', change)) == {"dims": ["a"], "apriori": "cells.hst"}


ASKED = """shape = "records"
original = "people.csv"
keys = ["age", "town", "sex"]
sensitive = ["illness"]
risk = 0.2
seed = 5

[[methods]]
name = "partition"
k = 5
sensitive = "illness"
l = 2

[guarantees]
k = 5
l = 2
t = 0.5
"""


def list_lessened(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    """Return what a recipe asks less of than another: slowly, key by key, knowing nothing of how changes are made."""
    lessened = [key for key in ("keys", "sensitive") if not set_of(before, key) <= set_of(after, key)]
    lessened += ["risk"] if number_of(after, "risk") > number_of(before, "risk") else []
    for name, least in table_of(before, "guarantees").items():
        now = table_of(after, "guarantees").get(name, 0 if name != "t" else 1)
        lessened += [name] if (now > least if name == "t" else now < least) else []
    for method, other in zip(tables_of(before), tables_of(after), strict=True):
        lessened += [f"methods.{name}" for name in ("k", "l") if other.get(name, 0) < method.get(name, 0)]
    lessened += [name for name in ("min_count", "width") if number_of(after, name) < number_of(before, name)]
    return lessened


def set_of(settings: Mapping[str, object], key: str) -> set[str]:
    names = settings.get(key, [])
    assert isinstance(names, list)
    return {str(name) for name in names}


def number_of(settings: Mapping[str, object], key: str) -> float:
    value = settings.get(key, 0)
    assert isinstance(value, int | float)
    return value


def table_of(settings: Mapping[str, object], key: str) -> dict[str, float]:
    table = settings.get(key, {})
    assert isinstance(table, dict)
    return table


def tables_of(settings: Mapping[str, object]) -> list[dict[str, float]]:
    tables = settings.get("methods", [])
    assert isinstance(tables, list)
    return [{name: value for name, value in table.items() if isinstance(value, int | float)} for table in tables]


@pytest.mark.parametrize("recipe", [RECORDS, ASKED, HISTORY, TABLE], ids=["records", "asked", "history", "table"])
def test_no_change_asks_for_less(recipe: str, tmp_path: Path) -> None:
    """Law 4 of the account: a proposal's verdict is never better because less is asked."""
    settings = tomllib.loads(recipe)
    stage = ReadRecipe.read(write_case(tmp_path, recipe)).open().stage
    changes = list_changes(stage, settings, tmp_path, {"job": tuple(AccountAnswer), "illness": tuple(AccountAnswer)})
    assert changes
    assert {str(change.words): list_lessened(settings, change.apply(settings)) for change in changes} == {
        str(change.words): [] for change in changes
    }
    worse = Change(words=Said("week"), edits=(Edit(place=("keys",), value=["town"]),))
    assert recipe not in {RECORDS, ASKED} or list_lessened(settings, worse.apply(settings)) == ["keys"]


def test_columns_that_nobody_accounts_for_are_taken_for_keys_or_left_out(tmp_path: Path) -> None:
    """Of five columns two are keys: the others leave, and what closes the account is tried before all else."""
    recipe = write_case(tmp_path, RECORDS)
    advice = advise(recipe, seconds=600)
    assert advice.before is not None
    assert advice.before.verdict is Verdict.REVIEW
    assert set(advice.before.answers) == {"sex", "illness", "job"}
    assert all(answers == SAY_WHAT_IT_IS for answers in advice.before.answers.values())
    closing = [one for one in advice.proposals if not one.trial.answers]
    words = {str(one.change.words): one.trial for one in closing}
    as_keys, left_out = (
        words["take sex, illness, job for known to others"],
        words["leave out sex, illness, job, which the loss does not count"],
    )
    assert as_keys.loss != left_out.loss  # both were measured
    assert left_out.verdict is Verdict.RELEASE
    assert tomllib.loads(edit_recipe(RECORDS, closing[0].change)) != tomllib.loads(RECORDS)
    best = pass_gate_of(tmp_path, advice.apply(1))
    assert best is Verdict.RELEASE
    assert not any("harmless" in line for one in advice.proposals for line in one.lines)  # reasons are a person's
    single = try_recipe(recipe, {**tomllib.loads(RECORDS), "keys": ["age", "town", "sex"]}, Seed(advice.seed))
    assert set(single.answers) == {"illness", "job"}
    assert brings(single, advice.before)  # one column fewer is open, though a person still decides


def test_columns_that_tell_most_people_apart_are_left_out_where_the_others_become_keys(tmp_path: Path) -> None:
    """Of 60 people 41 values of a column and more are a value of its own for most; answers to one column never meet."""
    recipe = write_case(tmp_path, RECORDS)
    rows = (tmp_path / "people.csv").read_text().splitlines()
    lines = [f"{row},{'born' if number == 0 else number}" for number, row in enumerate(rows)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    answers = {"sex": SAY_WHAT_IT_IS, "born": SAY_WHAT_IT_IS}
    stage = ReadRecipe.read(recipe).open().stage
    first, both, *rest = list_changes(stage, tomllib.loads(RECORDS), tmp_path, answers)
    changed = first.apply(tomllib.loads(RECORDS))
    assert (changed["keys"], changed["coarser"]) == (["age", "town", "sex"], {"born": "out"})
    assert both.columns == ("sex", "born")
    out = next(change for change in rest if change.columns == ("sex", "born"))
    assert not both.goes_with(out)
    assert not both.places & out.places


def pass_gate_of(folder: Path, text: str) -> Verdict:
    (folder / "followed.toml").write_text(text)
    best = pass_gate(folder / "followed.toml", seed=5).best
    assert best is not None
    return best.verdict


def test_of_a_sensitive_column_without_a_guarantee_its_diversity_is_asked_for(tmp_path: Path) -> None:
    text = RECORDS.replace('keys = ["age", "town"]', 'keys = ["age", "town", "sex", "job"]\nsensitive = ["illness"]')
    recipe = write_case(tmp_path, text)
    before = next(advise_steps(recipe, seed=Seed(5), seconds=600)).before
    assert before is not None
    assert before.answers == {"illness": (AccountAnswer.DIVERSE, AccountAnswer.LEARNABLE, AccountAnswer.DROP)}
    stage = ReadRecipe.read(recipe).open().stage
    asked = next(iter(list_changes(stage, tomllib.loads(text), tmp_path, before.answers)))
    changed = asked.apply(tomllib.loads(text))
    assert changed["guarantees"] == {"k": 4, "l": 2}
    trial = try_recipe(recipe, changed, Seed(5))
    assert trial.verdict is Verdict.RELEASE
    assert not trial.answers


def test_what_brings_something() -> None:
    def trial(verdict: Verdict | None, loss: float, risk: float = 0.1, against: int = 0) -> Trial:
        return Trial(verdict=verdict, loss=loss, risk=risk, against=against, why=quote_words("x"))

    before = trial(Verdict.REVIEW, 0.3, against=2)
    assert brings(trial(Verdict.RELEASE, 0.9), before)  # a better verdict, at whatever loss
    assert brings(trial(Verdict.REVIEW, 0.9, against=1), before)
    assert brings(trial(Verdict.REVIEW, 0.2, against=2), before)
    assert brings(trial(Verdict.REVIEW, 0.3, 0.05, against=2), before)
    assert not brings(trial(Verdict.REVIEW, 0.3, against=2), before)
    assert not brings(trial(Verdict.REFUSE, 0.0, 0.0), before)
    assert not brings(trial(None, 0.0, 0.0), before)
    opened = replace(before, answers={"job": (AccountAnswer.KEY, AccountAnswer.DROP)})
    assert brings(replace(before, loss=0.9), opened)  # what is accounted for, at whatever loss
    assert not brings(replace(opened, loss=0.0), before)
    assert Trial.unpack(opened.pack()) == opened
    assert Trial.unpack(before.pack()) == before


def test_where_nothing_helps_there_is_nothing_to_apply() -> None:
    with pytest.raises(InfeasibleError, match="there is nothing to write"):
        Advice(source=Path("recipe.toml"), text=RECORDS, seed=5, before=None, tried=3).apply(1)
    with pytest.raises(InfeasibleError, match="no change could be tried in the time"):
        Advice(source=Path("recipe.toml"), text=RECORDS, seed=5, before=None).apply(1)
