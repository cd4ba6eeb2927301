"""Made-up people in a folder of three files, what is asked of their recoding, and what a run says."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from sekisho.data.engines.engine import EngineChoice
from sekisho.data.files.schema_files.columns import Notice
from sekisho.data.files.schema_files.schema_file import ColumnRules, Missing, SchemaFile
from sekisho.data.frame.dataset import Role, Schema
from sekisho.data.records.microdata import TextColumns
from sekisho.data.shape import Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.gate.beyond_memory import EngineCandidate, EngineStage
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.records.recount import Recount
from sekisho.journey.candidates import review_one
from sekisho.protect import Method
from sekisho.protect.beyond_memory import EngineRelease, EngineTask
from sekisho.protect.records.partition import Partition
from sekisho.protect.records.recoding.key_columns import KeyColumn
from sekisho.protect.records.recoding.recoded import ClassFigures
from sekisho.safety.terms import RecordTerms
from sekisho.seeds import Seed
from sekisho.utility.schema_terms import own_rules

TOWNS = Tree(codes=("all", "north", "a", "b; c", "south", "*", "d"), parents=(-1, 0, 1, 1, 0, 4, 4))
KEYS = ("age", "town", "born")
ROWS = 300


def write_people(folder: Path, *, gaps: bool = False, seed: int = 5, alike: bool = False) -> Path:
    """Write made-up people into a folder of three files."""
    rng, path = Seed(seed).rng(), folder / "people.parquet"
    path.mkdir()
    frame = pl.DataFrame(
        {
            "id": [f"p{row}" for row in range(ROWS)],
            "age": np.append(rng.integers(20, 24 if alike else 60, ROWS - 5), [95, 96, 97, 98, 99]),
            "town": rng.choice(["a", "b; c", "*", "d"], ROWS),
            "born": [date(1990, 1, 1) + timedelta(days=int(day)) for day in rng.integers(0, 2 if alike else 9, ROWS)],
            "pay": rng.integers(0, 9, ROWS) / 4,
            "ill": rng.choice(["flu", "cold", "gout"], ROWS, p=[0.6, 0.3, 0.1]),
        }
    )
    if gaps:
        lost = pl.Series(rng.random(ROWS) < 0.1)
        frame = frame.with_columns(
            pl.when(~lost).then("age").alias("age"), pl.when(~lost.reverse()).then("town").alias("town")
        )
    for part in range(3):
        frame[part * 100 : (part + 1) * 100].write_parquet(path / f"{part}.parquet")
    return path


def describe(missing: Missing) -> RecordTerms:
    columns = (ColumnRules(name="id", role=Role.IDENTIFIER),)
    schema = SchemaFile(shape=Shape.RECORDS, columns=columns, missing_cells=missing, all_columns=True)
    book = own_rules(schema, "people")
    assert isinstance(book, RecordTerms)
    return book


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A release that was looked at and counted again."""

    candidate: EngineCandidate
    recounts: tuple[Recount, ...]

    @property
    def release(self) -> EngineRelease:
        return self.candidate.release


@contextmanager
def judge(method: Method, task: EngineTask, seed: Seed) -> Generator[Judged]:
    """Give the release of a file, looked at and counted again."""
    with ExitStack() as resources:
        assert isinstance(task.terms, RecordTerms)
        recipe = RecordsRecipe(rules=task.terms, methods={"it": method})
        stage = EngineStage.open(recipe, task, resources, shown=False)
        candidate = review_one(stage, seed=seed)
        yield Judged(candidate=candidate, recounts=stage.recount(candidate))


def boast(monkeypatch: pytest.MonkeyPatch, keys: Sequence[str]) -> None:
    """Let a method promise what it does not keep."""
    describe_figures = Partition.describe_figures

    def describe_boastfully(
        method: Partition, figures: ClassFigures, schema: Schema, columns: Sequence[KeyColumn]
    ) -> dict[str, object]:
        return {**describe_figures(method, figures, schema, columns), "alike": {"keys": list(keys), "least": 300}}

    monkeypatch.setattr(Partition, "describe_figures", describe_boastfully)


def ask_texts(path: Path, choice: EngineChoice, *, identifier: str = "", secret: bool = False) -> EngineTask:
    """Return a file whose cells are texts as they stand."""
    return EngineTask(
        source=path,
        terms=describe(Missing.REFUSE),
        out=path.parent / "out.csv",
        choice=choice,
        texts=TextColumns(identifier=identifier),
        secret=secret,
    )


class Told:
    """What a run made and said."""

    def __init__(self, outcome: Judged, notices: Sequence[Notice]) -> None:
        release = outcome.release
        release.put()
        self.detail, self.warnings = release.detail, outcome.candidate.review.remarks
        self.notices = list(map(str, notices))
        self.recounts = outcome.recounts
        self.deleted = None if release.deleted is None else release.deleted.read_text()


@dataclass(frozen=True)
class Asked:
    """How a file is read and written."""

    size: int = 40
    ordered: bool = False
    missing: Missing = Missing.REFUSE


USUAL = Asked()


def run(
    method: Partition,
    source: Path,
    choice: EngineChoice,
    asked: Asked = USUAL,
    tell: Callable[[str], None] = lambda _: None,
) -> tuple[Told, pl.DataFrame]:
    """Return what a run said and its release."""
    book, out = describe(asked.missing), source.with_name(f"{choice.engine}.parquet")
    notices = list[Notice]()
    task = EngineTask(
        source=source,
        terms=book,
        out=out,
        choice=choice,
        ordered=asked.ordered,
        size=asked.size,
        say=notices.append,
        tell=tell,
    )
    with judge(method, task, Seed(9)) as outcome:
        told = Told(outcome, notices)
    return told, read_release(out)


def read_release(path: Path) -> pl.DataFrame:
    """Return a release, of one file or of a folder in the order of its files' names."""
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    return pl.concat([pl.read_parquet(file) for file in files])


WHOLE, ORDERED = Asked(size=10**6), Asked(ordered=True)
OLD = Partition(keys=("age", "town"), k=30, suppress=Fraction(1, 10))
CASES: dict[str, tuple[Partition, Asked]] = {
    "one part": (Partition(keys=KEYS, k=4), WHOLE),
    "many parts": (Partition(keys=KEYS, k=4), USUAL),
    "strict": (Partition(keys=KEYS, k=4, strict=True), USUAL),
    "decimals": (Partition(keys=("age", "town", "born", "pay"), k=3), USUAL),
    "a tree": (Partition(keys=KEYS, k=4, tree={"town": TOWNS}), USUAL),
    "distinct l": (Partition(keys=KEYS, k=4, sensitive="ill", l=2), USUAL),
    "t of numbers": (Partition(keys=KEYS, k=4, sensitive="pay", t=0.4, ordered=True), USUAL),
    "left out": (OLD, Asked(size=100, ordered=True)),
    "left out, one part": (OLD, Asked(size=10**6, ordered=True)),
    "nobody left out": (Partition(keys=KEYS, k=2), ORDERED),
    "gaps dropped": (Partition(keys=KEYS, k=4), Asked(ordered=True, missing=Missing.DROP)),
    "gaps dropped, shuffled": (Partition(keys=KEYS, k=4), Asked(missing=Missing.DROP)),
    "left out, of a tree, gaps dropped": (
        Partition(keys=KEYS, k=20, tree={"town": TOWNS}, sensitive="ill", l=2, suppress=Fraction(1, 10)),
        Asked(size=60, ordered=True, missing=Missing.DROP),
    ),
    "gaps carried": (Partition(keys=KEYS, k=4), Asked(ordered=True, missing=Missing.CARRY)),
    "gaps carried, of a tree": (
        Partition(keys=KEYS, k=4, tree={"town": TOWNS}, sensitive="ill", l=2),
        Asked(size=60, missing=Missing.CARRY),
    ),
    "numbers as they are": (Partition(keys=("age",), k=1), USUAL),
    "categories as they are": (Partition(keys=("town",), k=2), USUAL),
}
