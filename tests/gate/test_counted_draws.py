"""Records that are changed or drawn by chance while their rows stay with an engine: bytes, promises and words of memory.

The chance of a record comes from its id, so an engine that reads in blocks draws what memory draws. What is promised
(Pk, epsilon, the risk of a sample) rests on counts of the file that would leave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.gate.test_counted_stage import ENGINES, folder, go, write_recipe
from tests.laws import try_examples

from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.data.files.layout import open_original
from sekisho.data.frame.release import order_rows
from sekisho.data.review import ReleaseReview
from sekisho.errors import BugError, ParameterError
from sekisho.gate.certificate.checking import verify_certificate
from sekisho.gate.certificate.claims import Claims
from sekisho.gate.counted.records import CountedRecords
from sekisho.gate.outcome import Certainty, Verdict
from sekisho.gate.recipe import read_recipe
from sekisho.gate.records.candidate import RecordsCandidate
from sekisho.gate.records.engine.drawn_counts import recount_drawn
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.records.stage import RecordsStage
from sekisho.protect import Method
from sekisho.protect.beyond_memory import ENGINE_METHODS, EngineTask
from sekisho.protect.records.engine.release import EnginePram
from sekisho.protect.records.pram import Pram
from sekisho.protect.records.sample import Sample
from sekisho.seeds import Seed
from sekisho.utility.score import Score
from sekisho.words import Language, translate

__all__ = ["folder"]  # the made-up people

WAYS = {
    "pram": '[[methods]]\nname = "pram"\nk = 3\n',
    "pram, drawn from strata": '[[methods]]\nname = "pram"\nk = 3\nsample = 90\nstrata = "town"\n',
    "pram, strata hidden": '[[methods]]\nname = "pram"\nk = 3\nsample = 90\nstrata = "town"\nhide_strata = true\n',
    "pram, invariant": '[[methods]]\nname = "pram"\nk = 3\ninvariant = true\n',
    "sample": 'keys = ["town", "ill"]\nsensitive = ["pay"]\n[[methods]]\nname = "sample"\nsize = 60\nknown = 100\n',
    "sample of strata": 'keys = ["town"]\n[[methods]]\nname = "sample"\nsize = "25%"\nstrata = "town"\n',
}
TEXT = 'risk = 0.45\nutility = "ncp"\n'
ATTACKS = "attacks"


@pytest.mark.parametrize("way", WAYS)
def test_the_same_release_promises_and_proofs_as_in_memory(folder: Path, way: str) -> None:
    here = go(folder, f"{TEXT}{WAYS[way]}", "here")
    for number, engine in enumerate(ENGINES):
        there = go(folder, f"{engine}\n{TEXT}{WAYS[way]}", f"there-{number}")
        best, beside = there.best, here.best
        assert isinstance(best, CountedRecords)
        assert isinstance(beside, RecordsCandidate)
        assert there.verdict is here.verdict is not Verdict.REFUSE
        part = "public" if here.verdict is Verdict.RELEASE else "confidential/proposed"
        place = folder / f"there-{number}" / part
        assert (place / "release.csv").read_bytes() == (folder / "here" / part / "release.csv").read_bytes()
        said = [one for one in here.certificate.statements if one.subject != ATTACKS]
        assert list(there.certificate.statements) == said
        assert round_distances(there.certificate.claims) == round_distances(here.certificate.claims)
        assert verify_certificate(place / "certificate.json").valid
        assert best.score.value == beside.score.value
        assert best.known_part == beside.known_part
        assert best.reasons == beside.reasons
        assert best.risk >= beside.risk  # on average; here no attack has luck


def test_parquet_has_the_same_values(folder: Path) -> None:
    more = f'{TEXT}{WAYS["pram"]}[write]\nformat = "parquet"\n'
    go(folder, more, "here")
    go(folder, f"{ENGINES[1]}\n{more}", "there")
    here, there = (pl.read_parquet(folder / name / "public" / "release.parquet") for name in ("here", "there"))
    assert here.schema == there.schema
    assert here.equals(there)


def test_what_pk_promises_bounds_what_the_keys_give_away(folder: Path) -> None:
    # 240 people on 40 ages by 3 towns by 9 pays are nearly all alone: by counting classes nearly everybody is found.
    # Pk says that nobody is named with a chance above 1/4, whatever is known: that is the bound.
    text = f'{ENGINES[0]}\nkeys = ["age", "town", "pay"]\nrisk = 0.25\n[[methods]]\nname = "pram"\nk = 4\n'
    result = go(folder, text, "out")
    best = result.best
    assert isinstance(best, CountedRecords)
    assert best.figures.after.classes > 0.5 * 240
    assert 0.2 < best.risk <= 0.25
    assert result.verdict is Verdict.RELEASE
    weaker = text.replace("k = 4", "k = 3")
    assert "possible risk" in {one.rule for one in go(folder, weaker, "weaker").reasons}


def test_a_sample_promises_nothing_where_nobody_says_what_is_known(folder: Path) -> None:
    fine = WAYS["sample of strata"].replace('["town"]', '["age", "town"]')  # on which many are alone
    result = go(folder, f"{ENGINES[0]}\n{TEXT}{fine}", "out")
    assert "open account" in {one.rule for one in result.reasons}
    assert not [one for one in result.certificate.statements if one.standing is Certainty.PROMISED]


def test_the_page_tells_in_both_languages_who_attacked_and_what_is_promised(folder: Path) -> None:
    result = go(folder, f"{ENGINES[0]}\n{TEXT}{WAYS['sample']}", "out")
    page = result.confidential["report.html"].decode()
    for words in ("Nobody looked for people by their keys", "キーから人を探す攻撃は行っていません"):
        assert words in page
    assert "names one rightly with a chance of at most" in page
    assert "Pk" in go(folder, f"{ENGINES[0]}\n{TEXT}{WAYS['pram']}", "pram").public["report.html"].decode()
    assert "found by the keys at most" in translate(result.text, Language.EN)


def test_what_cannot_be_had_is_refused_in_a_sentence(folder: Path) -> None:
    hidden = f'{ENGINES[0]}\nkeys = ["town"]\n{TEXT}{WAYS["pram, strata hidden"]}'
    with pytest.raises(ParameterError, match="keys must be among what is published"):
        go(folder, hidden, "hidden")
    schema = folder / "schema.toml"
    schema.write_text(schema.read_text() + '[[columns]]\nname = "home"\nrole = "household"\n')
    people = (folder / "people.csv").read_text().splitlines()
    (folder / "people.csv").write_text("\n".join([f"{people[0]},home", *(f"{row},h" for row in people[1:])]) + "\n")
    with pytest.raises(ParameterError, match="household"):
        go(folder, f"{ENGINES[0]}\n{TEXT}{WAYS['pram']}", "home")


def test_a_file_that_is_not_what_was_drawn_is_a_bug_and_not_a_release(folder: Path) -> None:
    recipe = pass_recipe(folder)
    task = EngineTask(source=folder / "people.csv", terms=recipe.rules, out=folder / "R.csv", choice=POLARS)
    with EnginePram(method=Pram(k=Fraction(3), sample=90, strata="town")).release(task, Seed(1)) as release:
        recount_drawn(release)
        mechanism = release.mechanism
        with pytest.raises(BugError, match="rows"):
            recount_drawn(replace(release, mechanism=replace(mechanism, sample=80, strata=(), stratum="")))
        first, *others = mechanism.strata
        other = (
            replace(first, sample=first.sample - 1),
            *others[:-1],
            replace(others[-1], sample=others[-1].sample + 1),
        )
        with pytest.raises(BugError, match="strata"):
            recount_drawn(replace(release, mechanism=replace(mechanism, strata=other)))


def round_distances(claims: Claims) -> Claims:
    """Return claims whose distances are rounded: an engine adds up in another order."""
    rounded = (
        replace(one, distance=None if one.distance is None else round(one.distance, 12)) for one in claims.classes
    )
    return replace(claims, classes=tuple(rounded))


POLARS = EngineChoice(engine=Engine.POLARS)


def pass_recipe(folder: Path) -> RecordsRecipe:
    recipe, _ = read_recipe(write_recipe(folder, f"{TEXT}{WAYS['pram']}"))
    assert isinstance(recipe, RecordsRecipe)
    return recipe


@dataclass(frozen=True)
class OfficeFile:
    """A made-up file: its lines, its schema, and how its release is written."""

    lines: Sequence[str]
    schema: str
    ending: str


IDS = ("{row}", "p{row:03}", "{row:04}", "")
"""Whole numbers, names, codes with leading zeros, nobody."""
DAYS = ("%Y-%m-%d", "%d.%m.%Y", "R%Y")


@st.composite
def office_files(draw: st.DrawFn) -> OfficeFile:
    """Draw a file with gaps, dates in a form of their own, decimals, and names of columns that engines read otherwise."""
    rows = draw(st.integers(8, 30))
    rng = Seed(draw(st.integers(0, 10**6))).rng()
    ids, kind = draw(st.sampled_from(IDS)), draw(st.sampled_from(["carry", "category", "drop"]))
    form = draw(st.sampled_from(DAYS[:2]))
    names = [*(["id"] if ids else []), "age", "a.b*c", "born", "pay"]
    lines = [",".join(names)]
    for row in rng.permutation(rows):
        born = date(1980, 12, 30) + timedelta(days=int(rng.integers(0, 5)))
        cells = [
            *([ids.format(row=row)] if ids else []),
            "" if kind != "category" and rng.random() < 0.2 else str(rng.integers(8, 12)),
            "" if rng.random() < 0.1 else str(rng.choice(["x", "007", "7", "ü y"])),
            born.strftime(form),
            f"{rng.integers(0, 3)}.{rng.integers(0, 3)}0",
        ]
        lines.append(",".join(cells))
    roles = {"id": "identifier", "age": "quasi", "a.b*c": "quasi", "born": "other", "pay": "other"}
    kinds = {"age": "integer", "a.b*c": "category", "born": f'date"\nformat = "{form}', "pay": "decimal"}
    schema = f'shape = "records"\nmissing_cells = "{kind}"\n' + "".join(
        f'[[columns]]\nname = "{name}"\nrole = "{roles[name]}"\n'
        + (f'kind = "{kinds[name]}"\n' if name in kinds else "")
        for name in names
    )
    return OfficeFile(lines=lines, schema=schema, ending=draw(st.sampled_from(["csv", "parquet"])))


METHODS = st.sampled_from(
    (
        Pram(retention=Fraction(1)),
        Pram(retention=Fraction(1, 2)),
        Pram(retention=Fraction(1, 4), invariant=True, sample="50%"),
        Pram(retention=Fraction(1, 2), sample=5, strata="a.b*c", hide_strata=True),
        Sample(size="40%"),
        Sample(size=6, known=3, strata="age"),
    )
)


@try_examples(12)
@given(file=office_files(), method=METHODS, engine=st.sampled_from([Engine.POLARS, Engine.DUCKDB]), seed=st.integers(0))
def test_whatever_a_file_holds_an_engine_writes_the_bytes_of_memory(
    file: OfficeFile, method: Method, engine: Engine, seed: int
) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        source, out = folder / "people.csv", folder / f"release.{file.ending}"
        source.write_text("\n".join(file.lines) + "\n", encoding="utf-8")
        (folder / "schema.toml").write_text(file.schema, encoding="utf-8")
        label = "pram" if isinstance(method, Pram) else "sample"
        recipe, _ = read_recipe(write_recipe(folder, WAYS["pram"]))
        assert isinstance(recipe, RecordsRecipe)
        read, rules = open_original(source, recipe.rules)
        stage = RecordsStage.open(replace(recipe, rules=rules, methods={label: method}), read.data)
        drawn = Seed(seed)
        here = stage.protections()[label](drawn)
        candidate = RecordsCandidate(
            label=label, release=here, score=Score(value=0.0), attempts=(), reasons=(), review=ReleaseReview()
        )
        written = candidate.write(rules, order_rows(here, drawn), out).content
        task = EngineTask(source=source, terms=recipe.rules, out=out, choice=EngineChoice(engine=engine))
        with ENGINE_METHODS.make(label, method=method).release(task, drawn) as there:
            recount_drawn(there)
            assert there.detail == here.detail
            there.put()
        if file.ending == "csv":
            assert out.read_bytes() == written
        else:
            assert pl.read_parquet(out).equals(pl.read_parquet(written))
