"""Histories whose rows stay with an engine, taken through the gate: the release, the claim and the words of memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.data.engines.engines import CHOICES, RECORDS
from tests.data.files.workbook_files import Cell, make_xlsx

from sekisho.data.engines.engine import EngineChoice
from sekisho.data.engines.scan import open_scan
from sekisho.errors import SettingsError
from sekisho.gate.certificate.checking import verify_certificate
from sekisho.gate.certificate.recount import count_twins
from sekisho.gate.counted.history import CountedHistory, find_sure_names
from sekisho.gate.history.engine_twins import count_twin_classes
from sekisho.gate.history.stage import HistoryCandidate
from sekisho.gate.outcome import Certainty, Verdict
from sekisho.journey.entry import ReadRecipe
from sekisho.journey.result import GateResult
from sekisho.journey.run import pass_gate
from sekisho.safety.claim import Standing
from sekisho.safety.rejection import Bound, RejectionRule
from sekisho.seeds import Seed
from sekisho.words import Language, translate

SCHEMA = """shape = "history"
[[columns]]
name = "顧客"
role = "identifier"
kind = "category"
[[columns]]
name = "購入日"
kind = "date"
[[columns]]
name = "店舗"
kind = "category"
[[columns]]
name = "金額"
"""
ENGINES = ('engine = "polars"', 'memory = "1GB"')
ATTACKED = '[[adversaries]]\nname = "maximum-knowledge"\n'
OF_USE = {"column of hardly any use", "hardly any use"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a shop's log as an office writes it: a title line, CP932, codes with leading zeros."""
    rng = Seed(9).rng()
    lines = [
        f"C{rng.integers(1, 57):03d},2024/0{rng.integers(1, 7)}/{rng.integers(1, 29):02d},"
        f"{rng.integers(1, 4):04d},{rng.integers(1, 5) * 100}"
        for _ in range(330)
    ]
    text = "購入履歴（社外秘）\n顧客,購入日,店舗,金額\n" + "\n".join(lines) + "\n"
    (tmp_path / "log.csv").write_bytes(text.encode("cp932"))
    (tmp_path / "schema.toml").write_text(SCHEMA)
    return tmp_path


def write_recipe(folder: Path, text: str, k: int = 7) -> Path:
    place = folder / "recipe.toml"
    method = f'[[methods]]\nname = "groups"\nk = {k}\nblock = 14\neffort = 0.2\n'
    place.write_text(f'shape = "history"\noriginal = "log.csv"\nschema = "schema.toml"\nseed = 3\n{text}\n{method}')
    return place


def go(folder: Path, text: str, out: str, k: int = 7) -> GateResult:
    return pass_gate(write_recipe(folder, text, k), out=folder / out)


def find_release(folder: Path, name: str = "release.csv") -> bytes:
    for place in (folder / "public", folder / "confidential" / "proposed"):
        if (place / name).exists():
            return (place / name).read_bytes()
    raise FileNotFoundError(name)


def list_safety(result: GateResult) -> set[str]:
    return {one.rule for one in result.reasons} - OF_USE


@pytest.mark.parametrize("engine", ENGINES)
def test_the_bytes_losses_and_proofs_of_memory(folder: Path, engine: str) -> None:
    there = go(folder, engine, "there")
    recipe = write_recipe(folder, "")
    recipe.write_text(recipe.read_text() + ATTACKED)
    here = pass_gate(recipe, out=folder / "here")
    assert find_release(folder / "there") == find_release(folder / "here")
    one, other = here.best, there.best
    assert isinstance(one, HistoryCandidate)
    assert isinstance(other, CountedHistory)
    assert other.score.value == pytest.approx(one.score.value, rel=1e-12)
    assert dict(other.score.detail) == pytest.approx(dict(one.score.detail), rel=1e-12)
    assert [(each.size, each.classes) for each in other.claim.by_size] == [
        (each.size, each.classes) for each in one.claim.by_size
    ]
    assert other.claim.standing is one.claim.standing is Standing.HOLDS
    assert other.people == len(one.sharing)
    assert there.verdict is here.verdict is Verdict.RELEASE
    assert list_safety(there) == set()
    (statement,) = other.statements
    assert statement.standing is Certainty.PROVEN
    assert {one.rule for one in there.reasons} == {one.rule for one in here.reasons}
    assert there.certificate.claims.twins == here.certificate.claims.twins
    assert verify_certificate(folder / "there" / there.files.certificate).valid
    page = there.text
    assert "Nobody attacked this release" in page
    assert "C001" not in (folder / "there" / "confidential" / "report.html").read_text()


def test_smaller_groups_wait_for_a_person_and_pairs_are_refused(folder: Path) -> None:
    three = go(folder, f'{ENGINES[1]}\nclaim = "reported"', "three", k=3)
    assert three.verdict is Verdict.REVIEW  # attacks alone were to decide, and nobody attacked
    assert list_safety(three) == {"no attack", "open account"}  # a claim that is only reported covers nothing
    required = go(folder, ENGINES[1], "required", k=3)
    assert list_safety(required) == {"no attack", "claim not proven", "open account"}
    alone = go(folder, ENGINES[1], "alone", k=1)
    assert alone.verdict is Verdict.REFUSE
    assert "effective attack" in list_safety(alone)
    with pytest.raises(SettingsError, match="effective attack"):  # no recipe softens what is certain
        ReadRecipe.read(write_recipe(folder, f'{ENGINES[1]}\n[policy]\n"effective attack" = "release"', k=1))
    assert not list((folder / "alone" / "public").iterdir())
    assert not (folder / "alone" / "confidential" / "proposed").exists()
    strict = go(folder, f'{ENGINES[1]}\n[policy]\n"limit exceeded" = "refuse"\n[limits]\ncell-error = 0.0', "strict")
    assert strict.verdict is Verdict.REFUSE
    for result, name in ((three, "three"), (required, "required"), (alone, "alone"), (strict, "strict")):
        assert verify_certificate(folder / name / result.files.certificate).valid


def test_a_certificate_that_hides_that_nobody_attacked_is_found_out(folder: Path) -> None:
    result = go(folder, f'{ENGINES[1]}\nclaim = "reported"', "three", k=3)
    place = folder / "three" / result.files.certificate
    told = json.loads(place.read_text())
    told["reasons"] = [one for one in told["reasons"] if one["rule"] != "no attack"]
    place.write_text(json.dumps(told))
    assert not verify_certificate(place).valid


def test_parquet_and_both_languages(folder: Path) -> None:
    result = go(folder, f'{ENGINES[0]}\n[write]\nformat = "parquet"\n', "out")
    frame = pl.read_parquet(next((folder / "out").rglob("release.parquet")))
    assert frame.columns == ["顧客", "購入日", "店舗", "金額"]
    assert not frame["顧客"].cast(pl.String).str.contains("C0").any()
    assert result.best is not None
    assert isinstance(result.best, CountedHistory)
    assert "正しく名指しできる" in translate(result.best.found, Language.JA)
    told = json.loads((folder / "out" / result.files.certificate).read_text())
    assert told["claims"]["twins"]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (f'memory = "1GB"\n{ATTACKED}', {"adversaries"}),
        ('engine = "spark"', {"engine"}),
        ('memory = "plenty"', {"memory"}),
        ('memory = "1GB"\nleave_out = 2\nkeep = ["店舗"]', {"leave_out", "keep"}),
        ('memory = "1GB"\n[coarser]\n"金額" = 100', {"coarser"}),
        ('memory = "1GB"\n[limits]\nsales = 0.5', {"limits.sales"}),
        ('memory = "1GB"\n[[methods]]\nname = "pseudonymise"', {"methods"}),
        ('memory = "1GB"\n[[methods]]\nname = "groups"\nraw = 3', {"methods (groups raw=3) raw"}),
    ],
)
def test_what_has_no_way_there_is_told_at_once(folder: Path, text: str, keys: set[str]) -> None:
    place = write_recipe(folder, text)
    with pytest.raises(SettingsError) as caught:
        ReadRecipe.read(place)
    assert {fault.column for fault in caught.value.faults} == keys


def test_a_contest_s_file_stays_in_memory(tmp_path: Path) -> None:
    place = tmp_path / "recipe.toml"
    place.write_text('rules = "pwscup2018"\noriginal = "T.csv"\nmemory = "1GB"\n[[methods]]\nname = "groups"\n')
    with pytest.raises(SettingsError, match="file of one's own"):
        ReadRecipe.read(place)


HEAD = ("顧客", "購入日", "店舗", "金額")


def draw_rows() -> list[tuple[str, int, int, str, int]]:
    """Return customers with leading zeros, months, days, items with marks of the grammar, and amounts."""
    rng = Seed(2).rng()
    items = ["米", "茶;紅", "酒, 大", "*"]
    numbers = rng.integers([1, 1, 1, 0, 1], [41, 7, 7, 4, 6], (220, 5)).tolist()
    return [(f"{who:05d}", month, day, items[item], much) for who, month, day, item, much in numbers]


def write_wareki(path: Path) -> str:
    rows = [f'{who},令和6年{month}月{day}日,"{item}",{much}000' for who, month, day, item, much in draw_rows()]
    path.write_bytes("\n".join([",".join(HEAD), *rows, ""]).encode("utf-8-sig"))
    return SCHEMA.replace('kind = "date"', 'kind = "date"\nformat = "wareki"')


def write_commas(path: Path) -> str:
    rows = [f'{who};{day:02d}.{month:02d}.2024;"{item}";{much},50' for who, month, day, item, much in draw_rows()]
    path.write_bytes("\n".join([";".join(HEAD), *rows, ""]).encode("utf-16"))
    return SCHEMA.replace("[[columns]]", '[file]\ndate_format = "%d.%m.%Y"\n[[columns]]', 1)


def write_gaps(path: Path) -> str:
    rows = [
        f'{who if number % 37 else ""},2024-{month:02d}-{day:02d},"{item if number % 11 else "不明"}",{much}'
        for number, (who, month, day, item, much) in enumerate(draw_rows())
    ]
    path.write_text("\n".join([",".join(HEAD), *rows, ""]))
    text = SCHEMA.replace("[[columns]]", '[file]\nmissing = ["", "不明"]\n[[columns]]', 1)
    return f'missing_cells = "drop"\n{text}'


def write_workbook(path: Path) -> str:
    rows: list[list[Cell]] = [
        [who, f"2024-{month:02d}-{day:02d}", item, much] for who, month, day, item, much in draw_rows()
    ]
    path.write_bytes(make_xlsx({"売上": [["購入記録"], list(HEAD), *rows]}))
    return SCHEMA


@pytest.mark.parametrize(
    ("name", "write"),
    [("a.csv", write_wareki), ("a.csv", write_commas), ("a.csv", write_gaps), ("a.xlsx", write_workbook)],
)
def test_files_as_offices_write_them_leave_in_the_bytes_of_memory(
    tmp_path: Path, name: str, write: Callable[[Path], str]
) -> None:
    (tmp_path / "schema.toml").write_text(write(tmp_path / name))
    made: list[GateResult] = []
    for more in ("", *ENGINES):
        place = write_recipe(tmp_path, more)
        text = place.read_text().replace("log.csv", name)
        place.write_text(text if more else text + '[[adversaries]]\nname = "unique-rows"\n')
        made.append(pass_gate(place))
    here, *there = ((each.public or each.proposed)["release.csv"] for each in made)
    assert there == [here, here]
    assert len({each.verdict for each in made}) == 1


CELLS = st.sampled_from(["a", "b", "a:b", "1:a", "", "\u3042"])


@pytest.mark.parametrize("choice", CHOICES)
@given(rows=st.lists(st.tuples(st.integers(0, 6), CELLS, CELLS), min_size=1, max_size=40))
@example(rows=[(0, "a", ""), (1, "", "a"), (2, "a:b", "")])  # cells that are joined alike
@example(rows=[(0, "a", "b"), (0, "a", "b"), (1, "a", "b")])  # the same row, once and twice
@example(rows=[(0, "a", "b"), (1, "b", "a"), (0, "b", "a"), (1, "a", "b")])  # in another order
def test_twins_are_those_of_a_plain_count(
    tmp_path_factory: pytest.TempPathFactory, choice: EngineChoice, rows: list[tuple[int, str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("twins")
    frame = pl.DataFrame(rows, schema=["who", "x", "y"], orient="row")
    frame.write_parquet(folder / "r.parquet")
    with open_scan(folder / "r.parquet", RECORDS, choice) as scan:
        sizes = count_twin_classes(scan, "who").tolist()
    by_person = dict[int, list[tuple[str, str]]]()
    for who, x, y in rows:
        by_person.setdefault(who, []).append((x, y))
    alike = [tuple(sorted(one)) for one in by_person.values()]
    assert sizes == sorted(alike.count(one) for one in set(alike))
    assert {size: sizes.count(size) for size in sizes} == count_twins(
        frame.with_columns(pl.col("who").cast(pl.String)), 0
    )


@pytest.mark.parametrize(
    ("sizes", "bound", "refuted"),
    [
        ([2] * 500, Bound.EXACT, True),  # one name a pair: 500 of 1,000, and 392 refute
        ([2] * 500, Bound.UNION, False),  # 612 would
        ([3] * 400, Bound.EXACT, False),
        ([1] * 6 + [7] * 100, Bound.UNION, False),
        ([1] * 7 + [7] * 100, Bound.UNION, True),  # seven for certain; named with the others they would not refute it
        ([2] * 300_000, Bound.EXACT, True),  # more people than a rule has thresholds for
        ([], Bound.EXACT, False),
    ],
)
def test_who_is_named_for_certain(sizes: list[int], bound: Bound, *, refuted: bool) -> None:
    sure = find_sure_names(np.array(sizes, dtype=np.int64), RejectionRule(bound=bound))
    assert (sure is not None and sure.refutes) is refuted
    if sure is not None:
        assert sure.threshold == RejectionRule(bound=bound).threshold(sure.people)
        assert sure.people == sum(sizes[: sure.classes])
