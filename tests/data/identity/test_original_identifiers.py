"""Identifiers of the original are found in labels, cells and column names of what leaves, and nothing else is."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import Release, exact_table
from sekisho.data.identity.original_identifiers import list_leaking, part_texts
from sekisho.data.review import review_release
from sekisho.provenance import Provenance

ROWS = 40


def make_people(*, unread: bool = False, numbers: bool = False) -> Dataset:
    """Return forty people with a number each, read as the identifier or left out of what is read."""
    who = pl.Series("who", [f"10{row:04}" if numbers else f"P{row:04}" for row in range(ROWS)])
    frame = pl.DataFrame({"who": who, "sex": ["f", "m"] * 20, "group": ["a", "b"] * 20})
    columns = [Column(name=name, kind=Kind.CATEGORY) for name in ("sex", "group")]
    if unread:
        return Dataset(frame.drop("who"), Schema(tuple(columns)), unread={"who": who})
    return Dataset(frame, Schema((Column(name="who", kind=Kind.CATEGORY, role=Role.IDENTIFIER), *columns)))


def publish(data: Dataset, labels: list[str]) -> Release:
    return Release(
        table=exact_table(data),
        deleted=np.zeros(len(data), dtype=np.bool_),
        provenance=Provenance(name="made"),
        labels={"group": pl.Series("group", labels)},
    )


@pytest.mark.parametrize("unread", [False, True])
@pytest.mark.parametrize("mark", ["/", "; ", "|", ", ", " ", "、"])
def test_a_label_that_lists_members_names_people(mark: str, *, unread: bool) -> None:
    data = make_people(unread=unread)
    labels = [mark.join(("P0003", "P0011", "P0031")) if row % 2 else "the others" for row in range(ROWS)]
    review = review_release(publish(data, labels), data)
    assert [(each.column, each.sign) for each in review.identifying] == [("group", "identifiers of the original")]


@pytest.mark.parametrize("labels", [["P00031", "group P"], ["north", "south"], ["100", "2001"], ["[1;5]", "*"]])
def test_other_labels_name_nobody(labels: list[str]) -> None:
    """P00031 is no number of the file: pieces must be whole."""
    for numbers in (False, True):
        data = make_people(numbers=numbers)
        assert not review_release(publish(data, labels * (ROWS // 2)), data).identifying


def test_a_column_called_after_somebody_names_them() -> None:
    frame = pl.DataFrame({"who": [f"Huber {row}" for row in range(ROWS)], "Huber 7": ["a", "b"] * 20})
    schema = Schema(
        (Column(name="who", kind=Kind.CATEGORY, role=Role.IDENTIFIER), Column(name="Huber 7", kind=Kind.CATEGORY))
    )
    data = Dataset(frame, schema)
    assert [each.column for each in list_leaking(exact_table(data), {}, data, [])] == ["Huber 7"]


@try_examples(60)
@given(
    texts=st.lists(st.text(alphabet="PQ01/; ,|", min_size=1, max_size=12), min_size=1, max_size=8),
    names=st.lists(st.from_regex(r"[PQ][01]{2,3}", fullmatch=True), min_size=1, max_size=6, unique=True),
)
def test_pieces_are_what_a_slow_reader_parts(texts: list[str], names: list[str]) -> None:
    """The oracle goes through each text by hand: pieces between marks, then between blanks."""
    slow: set[str] = set()
    for text in texts:
        slow.add(text.strip())
        pieces = text.replace("/", "\n").replace(";", "\n").replace(",", "\n").replace("|", "\n").split("\n")
        slow |= {piece.strip() for piece in pieces}
        slow |= {word for piece in pieces for word in piece.split()}
    assert set(part_texts(pl.Series(texts)).to_list()) & set(names) == slow & set(names)
