"""What a recipe says must be kept ranks the releases that may leave, and changes nothing about safety."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.accounts import CLOSED

from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.shape import Shape
from sekisho.errors import FaultsError, SettingsError
from sekisho.gate.explanation import explain_recipe
from sekisho.gate.outcome import Attempt, Candidate, Outcome, Reason, Verdict
from sekisho.gate.recipe import read_recipe
from sekisho.gate.recipes.keeping import read_keep, spell_entry
from sekisho.gate.records.comparison import leave_unchanged
from sekisho.journey.advice import brings, rank_trial
from sekisho.journey.run import pass_gate
from sekisho.journey.trial import NOTHING, Trial
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.text import render_text
from sekisho.report.pages.verdicts.tried import kept_blocks
from sekisho.seeds import Seed
from sekisho.utility.kept import Kept, KeptFigure, KeptKind
from sekisho.utility.score import Score
from sekisho.words import Language, Said, translate

SCHEMA = """shape = "records"
[[columns]]
name = "id"
role = "identifier"
[[columns]]
name = "age"
kind = "integer"
[[columns]]
name = "region"
kind = "category"
[[columns]]
name = "born"
kind = "date"
role = "other"
[[columns]]
name = "income"
kind = "integer"
role = "other"
[harmless]
born = "a made-up day that says nothing of anybody"
income = "a made-up number that says nothing of anybody"
"""
METHODS = """[[methods]]
name = "code"
intervals = { age = ["22"] }
[[methods]]
name = "code"
rare = { region = "40" }
[guarantees]
k = 3
"""


def write_case(folder: Path, keep: str, more: str = METHODS) -> Path:
    """Write 240 people of four regions, and a recipe that keeps something; return the recipe."""
    lines = [
        f"p{n},{20 + n % 5},{'NSNSNSEW'[n % 8]},2020-01-{1 + n % 28:02d},{1000 + 100 * (n % 8) + n % 7}"
        for n in range(240)
    ]
    (folder / "people.csv").write_text("\n".join(["id,age,region,born,income", *lines]) + "\n")
    (folder / "schema.toml").write_text(SCHEMA)
    recipe = folder / "recipe.toml"
    recipe.write_text(f'original = "people.csv"\nschema = "schema.toml"\nseed = 1\n{keep}\n{more}')
    return recipe


def test_all_forms_are_read_and_written_back() -> None:
    text = """keep = ["age", "age × income", ["age", "born"], { column = "a × b" }, { sum = "income" },
      { sum = "income", by = "region", within = 0.02 }, { pair = ["a", "b"], within = 0 }]"""
    keep, faults = read_keep(tomllib.loads(text)["keep"], source="r.toml")
    assert not faults
    assert [(one.kind.value, one.columns, one.within) for one in keep] == [
        ("column", ("age",), None),
        ("pair", ("age", "income"), None),
        ("pair", ("age", "born"), None),
        ("column", ("a × b",), None),
        ("sum", ("income",), None),
        ("sum", ("income", "region"), 0.02),
        ("pair", ("a", "b"), 0.0),
    ]
    assert read_keep([spell_entry(one) for one in keep], source="r.toml") == (keep, ())
    assert spell_entry(keep[1]) == "age × income"


NAMES = st.text(st.sampled_from("ab ×"), min_size=1, max_size=4).filter(lambda name: name == name.strip() and name)


@given(st.sampled_from(KeptKind), NAMES, NAMES, st.none() | st.floats(0, 1))
def test_every_entry_reads_back(kind: KeptKind, one: str, two: str, within: float | None) -> None:
    single = kind is KeptKind.COLUMN or (kind is KeptKind.SUM and one == two)
    if kind is KeptKind.PAIR and one == two:
        return
    kept = Kept(kind=kind, columns=(one,) if single else (one, two), within=within)
    assert read_keep([spell_entry(kept)], source="r.toml") == ((kept,), ())


def test_all_faults_at_once(tmp_path: Path) -> None:
    recipe = write_case(
        tmp_path,
        'keep = ["elder", ["id", "age"], { sum = "region" }, { sum = "born", within = -1 }, 3, "age × age", "income", '
        '"income", { pair = ["age", "born"], by = "x" }, { columns = "a" }, { sum = "born" }, "region"]\n'
        'coarser = { region = "out" }',
    )
    with pytest.raises(SettingsError) as refused:
        read_recipe(recipe)
    assert refused.value.source == str(recipe)
    assert [(fault.column, str(fault.rule), fault.value) for fault in refused.value.faults] == [
        ("keep.4.within", "be at least 0", "-1.0"),
        ("keep.5", 'be a column, a pair "a × b", or a table with column, pair or sum', "3"),
        ("keep.6.pair", "name different columns", "['age', 'age']"),
        ("keep.8", "be said once", "income"),
        ("keep.9.by", "be given beside sum only", "x"),
        ("keep.10.columns", "not be given (known: by, column, pair, sum, within)", "'a'"),
        ("keep (elder)", "name columns of the data (age, region, born, income)", "elder"),
        ("keep (id × age)", "not name a column that says who somebody is: it never leaves", "id"),
        ("keep (sum of region)", 'not name a column that coarser leaves out ("out")', "region"),
        ("keep (sum of region)", "add up a column of numbers, not of kind category", "region"),
        ("keep (sum of born)", "add up a column of numbers, not of kind date", "born"),
        ("keep (region)", 'not name a column that coarser leaves out ("out")', "region"),
    ]


def test_columns_that_only_the_data_say_are_checked_with_them(tmp_path: Path) -> None:
    recipe = write_case(tmp_path, 'keep = ["elder", { sum = "region" }]')
    (tmp_path / "schema.toml").write_text('shape = "records"\nall_columns = true\n')
    with pytest.raises(FaultsError, match=r"keep \(elder\) must name columns of the data.*keep \(sum of region\)"):
        pass_gate(recipe)


def test_tables_and_presets_and_test_sets_do_not_have_it(tmp_path: Path) -> None:
    table = tmp_path / "table.toml"
    table.write_text('shape = "table"\noriginal = "t.csv"\ndims = ["a"]\ncount = "n"\nkeep = ["a"]\n')
    with pytest.raises(SettingsError, match=r"keep must not be given for a table: apriori says which cells are shown"):
        read_recipe(table)
    (tmp_path / "own.toml").write_text('keep = ["age"]\n')
    with pytest.raises(SettingsError, match="keep must be said by the recipe, not by a preset"):
        read_recipe(write_case(tmp_path, 'preset = "own.toml"'))
    with pytest.raises(SettingsError, match="keep must not be given for records with a target"):
        read_recipe(write_case(tmp_path, 'keep = ["age"]\ntarget = 0.5\n[[adversaries]]\nname = "nearest"', ""))
    with pytest.raises(SettingsError, match="keep must be a list"):
        read_recipe(write_case(tmp_path, 'keep = "age"'))


@pytest.mark.parametrize(("kept", "chosen"), [("age", "rare"), ("region", "intervals")])
def test_the_release_that_keeps_it_is_chosen(tmp_path: Path, kept: str, chosen: str) -> None:
    result = pass_gate(write_case(tmp_path, f'keep = ["{kept}", {{ sum = "income", by = "{kept}" }}]'))
    assert result.verdict is Verdict.RELEASE
    assert result.best is not None
    assert chosen in result.best.label
    assert [one.loss for one in result.best.kept] == [0.0, 0.0]
    told: dict[str, Any] = result.as_dict()
    assert [one["what"] for one in told["kept"]] == [kept, f"sum of income by {kept}"]
    assert [one["kept"] > 0 for one in told["candidates"]] == [kept == "age", kept == "region"]
    assert f"sum of income by {kept}" in result.text
    assert "that keeps best what must be kept" in " ".join(result.text.split())


def test_a_limit_is_a_condition_of_release(tmp_path: Path) -> None:
    keep = 'keep = [{ column = "region", within = 0.001 }]'
    one = '[[methods]]\nname = "code"\nrare = { region = "40" }\n[guarantees]\nk = 3\n'
    result = pass_gate(write_case(tmp_path, keep.replace("region", "age"), one))
    assert result.verdict is Verdict.RELEASE
    recipe = write_case(tmp_path, keep.replace("column", "pair").replace('"region"', '["region", "income"]'), one)
    result = pass_gate(recipe)
    assert (result.verdict, [one.rule for one in result.reasons]) == (Verdict.REVIEW, ["limit exceeded"])
    assert "association of region and income is off by" in result.reasons[0].detail
    milder = recipe.read_text() + '[policy]\n"limit exceeded" = "release"\n'
    recipe.write_text(milder)
    assert pass_gate(recipe).verdict is Verdict.RELEASE
    assert explain_recipe(recipe).as_dict()["keep"] == [{"what": "region × income", "kind": "pair", "within": 0.001}]


DATA = Dataset.of(pl.DataFrame({"age": [1]}), Schema((Column(name="age", kind=Kind.INTEGER),)))


def make_candidate(label: str, verdict: Verdict, *, kept: float, loss: float) -> Candidate[Attempt]:
    """Return a candidate that somebody may have something against."""
    figure = KeptFigure(kept=Kept(kind=KeptKind.COLUMN, columns=("age",)), loss=kept)
    reasons = () if verdict is Verdict.RELEASE else (Reason(rule="x", verdict=verdict, detail=Said("nothing")),)
    return Candidate(
        label=label,
        release=leave_unchanged(DATA),
        score=Score(value=loss),
        attempts=(),
        reasons=reasons,
        kept=(figure,),
        account=CLOSED,
    )


def test_what_is_kept_never_outweighs_a_verdict() -> None:
    worst = make_candidate("refused", Verdict.REFUSE, kept=0.0, loss=0.0)
    review = make_candidate("reviewed", Verdict.REVIEW, kept=0.0, loss=0.0)
    much = make_candidate("much", Verdict.RELEASE, kept=0.9, loss=0.1)
    little = make_candidate("little", Verdict.RELEASE, kept=0.2, loss=0.8)
    equal = make_candidate("equal", Verdict.RELEASE, kept=0.2, loss=0.7)
    outcome = Outcome(shape=Shape.RECORDS, seed=Seed(1), candidates=(worst, review, much, little, equal))
    assert outcome.best is equal
    assert Outcome(shape=Shape.RECORDS, seed=Seed(1), candidates=(worst, review)).best is review


def test_advice_does_not_trade_what_is_kept_for_the_usual_loss() -> None:
    before = Trial(verdict=Verdict.RELEASE, loss=0.5, risk=0.1, why=NOTHING, kept=0.1)
    cheaper = Trial(verdict=Verdict.RELEASE, loss=0.1, risk=0.1, why=NOTHING, kept=0.3)
    closer = Trial(verdict=Verdict.RELEASE, loss=0.6, risk=0.1, why=NOTHING, kept=0.05)
    assert not brings(cheaper, before)
    assert brings(closer, before)
    assert rank_trial(closer) < rank_trial(before) < rank_trial(cheaper)
    assert Trial.unpack(closer.pack()) == closer


def test_the_public_page_has_no_figure_of_the_original() -> None:
    figure = KeptFigure(kept=Kept(kind=KeptKind.COLUMN, columns=("age",), within=0.1), loss=0.25, before=41.5, after=40)
    pages = {
        edition: render_text(Said("What must be kept"), kept_blocks((figure,), edition=edition), language=Language.EN)
        for edition in Edition
    }
    assert "41.5" in pages[Edition.CONFIDENTIAL]
    assert "41.5" not in pages[Edition.PUBLIC]
    assert "0.2500" in pages[Edition.PUBLIC]
    assert translate(figure.kept.words, Language.JA) == "ageの分布"
