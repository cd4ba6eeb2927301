"""What a step comes to is what counting the records one by one gives."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_column import TreeColumn
from sekisho.data.trees.tree_files import parse_wide
from sekisho.errors import ParameterError
from sekisho.safety.records.tree_steps import KeyStep, count_steps, list_steps

LINES = [
    ["driver", "hands", "hands", "*"],
    ["cook", "hands", "hands", "*"],
    ["clerk", "desk", "office", "*"],
    ["monk", "monk", "monk", "*"],
]
JOBS = parse_wide(LINES)


def make_columns(rows: list[tuple[str, int]]) -> tuple[TreeColumn, TreeColumn]:
    names = (("job", Kind.CATEGORY), ("age", Kind.INTEGER))
    schema = Schema(columns=tuple(Column(name=name, kind=kind, role=Role.QUASI) for name, kind in names))
    data = Dataset.of(pl.DataFrame(rows, schema=["job", "age"], orient="row"), schema)
    return TreeColumn.of(data, "job"), TreeColumn.of(data, "age")


def count_plainly(rows: list[tuple[str, int]], step: int, hidden: int) -> tuple[int, int, int]:
    label = {line[0]: line[step] for line in LINES}
    last = step == len(LINES[0]) - 1
    keys = [(label.get(job, "*" if last else job), 0 if hidden else age) for job, age in rows]
    classes = Counter(keys)
    return len({job for job, _ in keys}), len(classes), sum(count == 1 for count in classes.values())


@given(
    st.lists(
        st.tuples(st.sampled_from(["driver", "cook", "clerk", "monk", "nurse", ""]), st.integers(1, 3)), min_size=1
    ),
    st.integers(0, 1),
)
@example([("driver", 1), ("cook", 1)], 0)
def test_every_step_is_counted_as_by_hand(rows: list[tuple[str, int]], hidden: int) -> None:
    job, age = make_columns(rows)
    counts = count_steps(job, JOBS, [KeyStep(column=age, step=hidden)])
    for found in counts.steps:
        assert (found.values, found.classes, found.alone) == count_plainly(rows, found.step, hidden)
    assert counts.strangers == (("nurse",) if any(name == "nurse" for name, _ in rows) else ())
    assert len(counts.steps) == len(LINES[0])


def test_another_key_is_written_at_its_own_step() -> None:
    job, age = make_columns([("driver", 1), ("cook", 2), ("monk", 3)])
    ages = parse_wide([["1", "1-2", "*"], ["2", "1-2", "*"], ["3", "3-4", "*"]])
    counts = count_steps(job, JOBS, [KeyStep(column=age, tree=ages, step=1)])
    assert [(step.values, step.classes, step.alone) for step in counts.steps] == [
        (3, 3, 3),
        (2, 2, 1),
        (2, 2, 1),
        (1, 2, 1),
    ]
    assert counts.steps[1].shown == ("hands", "monk")


def test_the_steps_of_a_tree_are_those_of_its_file_or_by_depth() -> None:
    assert list_steps(JOBS) == (
        ("driver", "cook", "clerk", "monk"),
        ("hands", "desk", "monk"),
        ("hands", "office", "monk"),
        ("*",),
    )
    pairs = Tree.of([("driver", "hands"), ("hands", "*"), ("clerk", "desk"), ("desk", "office"), ("office", "*")])
    assert list_steps(pairs)[1] == ("driver", "desk")


def test_keys_named_twice_are_refused() -> None:
    job, _ = make_columns([("cook", 1)])
    with pytest.raises(ParameterError, match="each named once"):
        count_steps(job, JOBS, [KeyStep(column=job)])
    with pytest.raises(ParameterError, match="one row for each record"):
        count_steps(job, JOBS, [KeyStep(column=make_columns([("cook", 1), ("cook", 2)])[1])])
