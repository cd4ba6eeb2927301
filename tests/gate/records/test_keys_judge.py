"""Keyed records at the gate: no class below k leaves, nobody is found more often than allowed, each word is earned."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import polars as pl
import pytest

from sekisho.data.files.layout import open_original
from sekisho.data.frame.release import order_rows
from sekisho.errors import FaultsError, InfeasibleError, ParameterError
from sekisho.gate.outcome import Certainty, Outcome, Verdict
from sekisho.gate.recipe import read_recipe
from sekisho.gate.records.keys_judge import KeyedCandidate, KeysJudge
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.records.stage import RecordsStage
from sekisho.journey.candidates import run
from sekisho.seeds import Seed

# Two classes of four by town; sex tells in each class two from two; illness has two values in town a, one in town b.
PEOPLE = """id,town,sex,illness
1,a,m,flu
2,a,m,cold
3,a,f,flu
4,a,f,cold
5,b,m,flu
6,b,m,flu
7,b,f,flu
8,b,f,flu
"""
SCHEMA = """shape = "records"
[[columns]]
name = "id"
role = "identifier"
[[columns]]
name = "town"
[[columns]]
name = "sex"
[[columns]]
name = "illness"
role = "sensitive"
[learnable]
illness = "everybody in this made-up town knows who is ill"
"""
HEAD = 'schema = "people.toml"\noriginal = "people.csv"\n'


def opened(folder: Path, text: str) -> RecordsStage:
    (folder / "people.csv").write_text(PEOPLE)
    (folder / "people.toml").write_text(SCHEMA)
    (folder / "recipe.toml").write_text(HEAD + text)
    recipe, file = read_recipe(folder / "recipe.toml")
    assert isinstance(recipe, RecordsRecipe)
    original, rules = open_original(Path(file.original), recipe.rules)
    return RecordsStage.open(replace(recipe, rules=rules), original.data)


def keyed(stage: RecordsStage) -> KeysJudge:
    assert isinstance(stage.judge, KeysJudge)
    return stage.judge


def travelled(folder: Path, text: str) -> Outcome[KeyedCandidate]:
    *_, last = run(opened(folder, text), seed=Seed(1))
    return cast("Outcome[KeyedCandidate]", last.outcome)


def list_rules(candidate: KeyedCandidate) -> list[str]:
    return [reason.rule for reason in candidate.reasons]


def test_the_least_loss_that_keeps_the_guarantees_is_released(tmp_path: Path) -> None:
    # k = 4: the towns stay, sex becomes {m;f}; each of the 8 people is found with chance 1/4, which is what is allowed
    outcome = travelled(tmp_path, "[find]\n[guarantees]\nk = 4\n")
    (best,) = outcome.candidates
    assert (best.label, best.verdict, best.reasons) == ("partition k=4", Verdict.RELEASE, ())
    assert best.compared.classes.k == 4
    strongest = best.strongest
    assert strongest is not None
    assert (strongest.attack.expected, strongest.attack.people, strongest.refutes) == (2.0, 8, False)
    standings = {one.subject: one.standing for one in best.statements}
    assert standings == {"k-anonymity": Certainty.PROVEN, "attacks": Certainty.NOT_REFUTED}
    assert best.statements[0].assumes == "the adversary knows no more of a person than town, sex"


def test_a_broken_guarantee_is_refused_and_said_to_be_refuted(tmp_path: Path) -> None:
    # town b has one illness only: with its classes kept apart l = 2 does not hold
    text = '[[methods]]\nname = "partition"\nk = 4\n[guarantees]\nk = 4\nl = 2\n'
    (broken,) = travelled(tmp_path, text).candidates
    assert (broken.verdict, list_rules(broken)) == (Verdict.REFUSE, ["guarantee broken"])
    assert "l-diversity of illness" in broken.reasons[0].detail
    assert broken.statements[1].standing is Certainty.REFUTED
    # looked for, it is kept: all eight in one class, which tells nothing of the keys, and that is of hardly any use
    (kept,) = travelled(tmp_path, "[find]\n[guarantees]\nk = 4\nl = 2\n").candidates
    assert [finding.kept for finding in kept.findings.values()] == [True, True]


def test_the_unchanged_file_is_refuted_by_attacks(tmp_path: Path) -> None:
    # pairs of equal keys: half of the people are found, a fifth may be
    (tmp_path / "own.csv").write_text("\n".join(line.partition(",")[2] for line in PEOPLE.splitlines()) + "\n")
    (own,) = travelled(tmp_path, '[[releases]]\nfile = "own.csv"\nordered = true\n').candidates
    assert (own.label, own.verdict) == ("own.csv", Verdict.REFUSE)
    assert set(list_rules(own)) == {"effective attack", "open account"}  # nobody asks for a guarantee of the keys
    assert own.statements[-1].standing is Certainty.REFUTED
    assert own.statements[-1].figures["share"] == pytest.approx(0.5)


def test_without_the_order_nothing_is_called_refuted_but_a_hoped_for_risk_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("\n".join(line.partition(",")[2] for line in PEOPLE.splitlines()) + "\n")
    (own,) = travelled(tmp_path, 'release = "own.csv"\n').candidates
    assert (own.verdict, own.ordered) == (Verdict.REFUSE, False)
    assert set(list_rules(own)) == {"possible risk", "truth unknown", "open account"}
    assert own.statements[-1].standing is Certainty.NOT_REFUTED


def test_generalised_cells_of_one_s_own_are_read_back(tmp_path: Path) -> None:
    rows = [f"{town},*,{illness}" for _, town, _, illness in (line.split(",") for line in PEOPLE.splitlines()[1:])]
    (tmp_path / "own.csv").write_text("town,sex,illness\n" + "\n".join(rows) + "\n")
    text = '[[releases]]\nfile = "own.csv"\nlabel = "by hand"\nordered = true\n[guarantees]\nk = 4\n'
    (own,) = travelled(tmp_path, text).candidates
    assert (own.label, own.verdict, own.compared.classes.k) == ("by hand", Verdict.RELEASE, 4)


def test_bad_cells_of_every_release_are_reported_at_once(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text("town,sex,illness\n" + "a,m\n" * 8)
    with pytest.raises(FaultsError) as caught:
        opened(tmp_path, '[[releases]]\nfile = "one.csv"\n[[releases]]\nfile = "two.csv"\n')
    assert all(name in str(caught.value) for name in ("one.csv", "two.csv"))


def test_a_policy_changes_the_verdict(tmp_path: Path) -> None:
    text = 'risk = 0.25\n[[methods]]\nname = "partition"\nk = 4\n[limits]\nncp = 0.1\n'  # NCP (0 + 1) / 2
    (reviewed,) = travelled(tmp_path, text).candidates
    assert (reviewed.verdict, list_rules(reviewed)) == (Verdict.REVIEW, ["limit exceeded"])
    (refused,) = travelled(tmp_path, f'{text}[policy]\n"limit exceeded" = "refuse"\n').candidates
    assert refused.verdict is Verdict.REFUSE
    (told,) = travelled(tmp_path, f'{text}[policy]\n"limit exceeded" = "release"\n').candidates
    assert (told.verdict, list_rules(told)) == (Verdict.RELEASE, ["limit exceeded"])


def test_a_useless_release_is_reviewed_never_released(tmp_path: Path) -> None:
    (one,) = travelled(tmp_path, '[[methods]]\nname = "partition"\nk = 8\n[guarantees]\nk = 8\n').candidates
    assert (one.verdict, list_rules(one)) == (
        Verdict.REVIEW,
        ["open account", "hardly any use"],
    )  # NCP 1: no key leaves


def test_numbers_and_dates_pass_through_methods_that_draw_categories(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    days = pl.Series(rng.integers(0, 30, 60)).cast(pl.Int32).cast(pl.Date)
    frame = pl.DataFrame({"age": rng.integers(20, 30, 60), "pay": rng.integers(0, 9, 60) / 4, "day": days})
    frame.write_csv(tmp_path / "people.csv")
    (tmp_path / "recipe.toml").write_text(
        'shape = "records"\noriginal = "people.csv"\nkeys = ["age", "day"]\n[[methods]]\nname = "pram"\nretention = 0.5\n'
        '[[methods]]\nname = "sample"\nsize = 20\n'
    )
    recipe, file = read_recipe(tmp_path / "recipe.toml")
    assert isinstance(recipe, RecordsRecipe)
    original, rules = open_original(Path(file.original), recipe.rules)
    stage = RecordsStage.open(replace(recipe, rules=rules), original.data)
    *_, last = run(stage, seed=Seed(1))
    changed, drawn = last.outcome.candidates
    assert set(changed.release.table.numbers("age").lower) <= set(frame["age"])
    assert not np.array_equal(changed.release.table.numbers("age").lower, frame["age"].to_numpy())
    kept = ~drawn.release.deleted
    assert int(kept.sum()) == 20
    for name in ("age", "pay", "day"):  # what is drawn is as it was
        assert np.array_equal(drawn.release.table.numbers(name).lower[kept], original.data.grid(name)[kept])
    order = order_rows(drawn.release, Seed(3))
    lines = drawn.write(stage.recipe.rules, order, Path("r.csv")).content.decode().splitlines()
    assert lines[0] == "age,pay,day"
    assert [int(line.split(",")[0]) for line in lines[1:]] == frame["age"].to_numpy()[order].tolist()


def test_a_column_that_names_people_is_reviewed(tmp_path: Path) -> None:
    lines = [f"p{number},{'ab'[number % 2]}" for number in range(40)]
    (tmp_path / "people.csv").write_text("name,town\n" + "\n".join(lines) + "\n")
    (tmp_path / "recipe.toml").write_text(
        'shape = "records"\noriginal = "people.csv"\nkeys = ["town"]\n[[methods]]\nname = "partition"\n'
    )
    recipe, file = read_recipe(tmp_path / "recipe.toml")
    assert isinstance(recipe, RecordsRecipe)
    original, rules = open_original(Path(file.original), recipe.rules)
    *_, last = run(RecordsStage.open(replace(recipe, rules=rules), original.data), seed=Seed(1))
    assert [reason.rule for reason in last.outcome.best.reasons] == ["open account", "identifying column"]


def test_a_way_that_gives_nothing_does_not_stop_the_others(tmp_path: Path) -> None:
    text = '[[methods]]\nname = "partition"\nk = 4\n[[methods]]\nname = "partition"\nk = 9\n[guarantees]\nk = 4\n'
    outcome = travelled(tmp_path, text)
    assert [each.label for each in outcome.candidates] == ["partition k=4"]
    assert outcome.impossible == {"partition k=9": "8 records cannot form a class of 9"}
    with pytest.raises(InfeasibleError, match="8 records cannot form a class of 9"):
        travelled(tmp_path, '[[methods]]\nname = "partition"\nk = 9\n')


def test_keys_stand_in_the_recipe_s_order(tmp_path: Path) -> None:
    assert keyed(opened(tmp_path, 'keys = ["sex", "town"]\n[find]\n')).question.subsets == (("sex",),)
    assert keyed(opened(tmp_path, "[find]\n")).question.subsets == (("town",),)


def test_a_column_that_is_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "recipe.toml").write_text('shape = "records"\noriginal = "people.csv"\nkeys = ["tonw"]\n[find]\n')
    recipe, file = read_recipe(tmp_path / "recipe.toml")
    assert isinstance(recipe, RecordsRecipe)
    original, rules = open_original(Path(file.original), recipe.rules)
    with pytest.raises(ParameterError, match="keys must be among id, town, sex, illness, not 'tonw'"):
        RecordsStage.open(replace(recipe, rules=rules), original.data)


def test_weights_tell_the_individual_risk(tmp_path: Path) -> None:
    # classes of one with weight 2 (risk above 1/2 at first order: f = 1, F = 2, -ln(p) p/(1-p) = ln 2) and of two with 10
    (tmp_path / "people.csv").write_text("town,weight\na,2\nb,10\nb,10\n")
    (tmp_path / "own.csv").write_text("town,weight\na,2\nb,10\nb,10\n")
    (tmp_path / "recipe.toml").write_text(
        'shape = "records"\noriginal = "people.csv"\nkeys = ["town"]\nweights = "weight"\n[[releases]]\nfile = "own.csv"\n'
        "ordered = true\n[guarantees]\nindividual = 0.5\n"
    )
    recipe, file = read_recipe(tmp_path / "recipe.toml")
    assert isinstance(recipe, RecordsRecipe)
    original, rules = open_original(Path(file.original), recipe.rules)
    *_, last = run(RecordsStage.open(replace(recipe, rules=rules), original.data), seed=Seed(1))
    best = last.outcome.best
    assert isinstance(best, KeyedCandidate)
    finding = best.findings["individual risk"]
    assert finding.worst == pytest.approx(np.log(2))
    assert (finding.kept, finding.where[0]) == (False, 0)
    assert "guarantee broken" in [reason.rule for reason in last.outcome.best.reasons]
    (tmp_path / "people.csv").write_text("town,weight\na,0\nb,10\nb,10\n")
    original, rules = open_original(Path(file.original), recipe.rules)
    with pytest.raises(FaultsError, match="row 1, weight"):
        RecordsStage.open(replace(recipe, rules=rules), original.data)


def test_what_chance_says_about_one_record_stands_beside_k(tmp_path: Path) -> None:
    """Retention 1/5 of two values: 1 + (1/5) 2/(4/5) = 3/2 for each of town, sex and illness: 27/8 in all."""
    outcome = travelled(tmp_path, '[[methods]]\nname = "pram"\nretention = 0.2\n')
    (stated,) = [one for one in outcome.candidates[0].statements if one.subject == "local-epsilon"]
    assert stated.standing is Certainty.PROMISED
    assert "taken as public: how many records there are" in stated.assumes
    assert stated.figures["epsilon_exact"] == "27/8"
    # A sample has none, and that is no promise, whatever the share.
    outcome = travelled(tmp_path, '[[methods]]\nname = "sample"\nsize = 2\n')
    (stated,) = [one for one in outcome.candidates[0].statements if one.subject == "local-epsilon"]
    assert stated.standing is Certainty.REFUTED
    assert (stated.figures["epsilon"], stated.figures["delta"]) == ("infinite", 0.25)


def test_a_number_that_links_households_is_refused_where_k_counts_persons(tmp_path: Path) -> None:
    """Three pairs of equal keys keep k = 2 person by person; linked, the two who live in b stand alone."""
    people = "hh_id,sex,town\n1,m,a\n1,f,a\n2,m,b\n2,m,b\n3,f,a\n3,m,a\n"
    (tmp_path / "homes.csv").write_text(people)
    recipe = (
        'shape = "records"\noriginal = "homes.csv"\nkeys = ["sex", "town"]\n'
        '[allowed_columns]\nhh_id = "surveys need it, and all have agreed"\n'
        '[[releases]]\nfile = "homes.csv"\nordered = true\n[guarantees]\nk = 2\n'
    )
    (tmp_path / "recipe.toml").write_text(recipe)
    read, file = read_recipe(tmp_path / "recipe.toml")
    assert isinstance(read, RecordsRecipe)
    original, rules = open_original(Path(file.original), read.rules)
    stage = RecordsStage.open(replace(read, rules=rules), original.data)
    *_, last = run(stage, seed=Seed(1))
    (candidate,) = cast("Outcome[KeyedCandidate]", last.outcome).candidates
    broken = [reason for reason in candidate.reasons if reason.rule == "guarantee broken"]
    assert [reason.verdict for reason in broken] == [Verdict.REFUSE]
    assert "hh_id links the rows" in broken[0].detail
