"""All steps of a column's tree counted beside plain Python: a dictionary of rows for each step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta

import numpy as np
import polars as pl

from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.trees.rule_labels import apply_rule
from sekisho.data.trees.tree_column import TreeColumn
from sekisho.data.trees.tree_files import parse_wide, write_tree
from sekisho.data.trees.tree_rule import DateSteps, DateUnit, TreeRule
from sekisho.safety.records.tree_steps import KeyStep, count_steps
from sekisho.seeds import Seed
from spec import Case

ROWS, PART = 1_000_000, 10
KINDS = {"birth": Kind.DATE, "sex": Kind.CATEGORY, "town": Kind.CATEGORY, "job": Kind.CATEGORY}


def make_people(rows: int) -> Dataset:
    """Return made-up people with four keys."""
    rng = Seed(1).rng()
    first = date(1930, 1, 1)
    days = [first + timedelta(days=day) for day in range(80 * 365)]
    frame = pl.DataFrame(
        {
            "birth": pl.Series(days).gather(rng.integers(0, len(days), rows)),
            "sex": pl.Series(rng.choice(["f", "m"], rows)),
            "town": pl.Series([f"t{place:03}" for place in range(300)]).gather(rng.integers(0, 300, rows)),
            "job": pl.Series([f"j{place:02}" for place in range(40)]).gather(np.minimum(rng.poisson(6, rows), 39)),
        }
    )
    return Dataset.of(
        frame, Schema(columns=tuple(Column(name=name, kind=kind, role=Role.QUASI) for name, kind in KINDS.items()))
    )


def count_plainly(rows: list[tuple[str, ...]], lines: dict[str, list[str]]) -> list[tuple[int, int]]:
    """Return classes and people alone at each step, rows one by one."""
    counted = list[tuple[int, int]]()
    for step in range(len(next(iter(lines.values())))):
        classes = Counter((lines[leaf][step], *others) for leaf, *others in rows)
        counted.append((len(classes), sum(count == 1 for count in classes.values())))
    return counted


def cases() -> Iterator[Case]:
    """Yield all steps of a tree of birth dates beside three other keys."""
    data = make_people(ROWS)
    columns = {name: TreeColumn.of(data, name) for name in KINDS}
    birth = columns["birth"]
    content = write_tree(apply_rule(TreeRule(column="birth", date=DateSteps(units=tuple(DateUnit))), birth))
    wide = [line.split(";") for line in content.decode().splitlines()]
    tree, lines = parse_wide(wide), {line[0]: line for line in wide}
    others = [KeyStep(column=columns[name]) for name in ("sex", "town", "job")]
    rows = list(zip(*(data.text(name).to_list()[: ROWS // PART] for name in KINDS), strict=True))
    few = Dataset(data.frame.head(ROWS // PART), data.schema)
    small = count_steps(
        TreeColumn.of(few, "birth"), tree, [KeyStep(column=TreeColumn.of(few, name)) for name in ("sex", "town", "job")]
    )
    assert [(step.classes, step.alone) for step in small.steps] == count_plainly(rows, lines)
    yield Case(
        work=f"values, classes, alone at {len(small.steps)} steps of a tree",
        size=f"{ROWS:,} records, {len(KINDS)} keys",
        ours=lambda: count_steps(birth, tree, others),
        reference=f"plain Python, one row in {PART}",
        other=lambda: count_plainly(rows, lines),
        part=PART,
    )
