"""Whoever contributes to a table of intervals knows what they gave, and must not find another's cell by it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sekisho.gate.tables.stated import audit_release
from sekisho.gate.tables.stated_insiders import withstands_insiders
from sekisho.gate.tables.system import wrap_table
from sekisho.tables.audit.statements import Statements
from sekisho.tables.certificate.seal_release import ShownRelease
from sekisho.tables.model.geometry import Dimension, from_cells
from sekisho.tables.model.table import Table

# a = 5 of one firm, b = 20 of two; their total of 25 is shown. Both cells are shown as intervals that reach 10 above
# and below b: a reader finds b in [10, 25], and the firm of a knows that it is 20.
NUMBERS = {"a": 5.0, "b": 20.0}
LOW = {"a": 0.0, "b": 10.0, "Total": 25.0}
HIGH = {"a": 15.0, "b": 30.0, "Total": 25.0}


def make_table(*, alone: bool) -> Table:
    """Return the table; ``alone`` tells whether one firm or four give all of a."""
    table = from_cells([Dimension.flat("cell", ("a", "b"))], [("a",), ("b",)], np.array([*NUMBERS.values()]))
    largest = {"a": [5, 0] if alone else [2, 1], "b": [12, 8], "Total": [12, 8]}
    counts = {"a": 1 if alone else 4, "b": 2, "Total": 3 if alone else 6}
    table = replace(
        table,
        frequency=np.array([counts[key[0]] for key in table.keys]),
        largest=np.array([largest[key[0]] for key in table.keys], dtype=np.float64),
    )
    unsafe = np.array([key[0] == "b" for key in table.keys])
    return table.flag_cells(unsafe, lower=3.0, upper=3.0)


def publish(table: Table) -> ShownRelease:
    """Return the release of its intervals."""
    low, high = (np.array([ends[key[0]] for key in table.keys]) for ends in (LOW, HIGH))
    shown = np.stack([low, high], axis=1)
    said = Statements.interval(low, high)
    return ShownRelease(table=table, method="intervals", parameters={}, shown=shown, statements=said, cost=0.0)


@pytest.mark.parametrize("alone", [True, False])
def test_a_contributor_who_knows_their_cell_finds_the_one_beside_it(*, alone: bool) -> None:
    table = make_table(alone=alone)
    system = wrap_table(table)
    assert audit_release(publish(table), system).safe
    # four who gave 5 together leave it open how much of the total is b's: none knows more than 2 of it
    assert withstands_insiders(publish(table), system) is not alone
