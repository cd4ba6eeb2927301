"""k and l counted in households: a class of people who live together is one of few households, or of one.

Against whom: one who knows the keys that a household shares, such as its town and tenure, and whom it has for members.
A class of five people of one home tells whose they are, and that one of them has the illness. So where the data say who
lives together, by a role or by a column that is called so, read or left out, a class must hold as many households as k
asks for, and as many different sets of what the members of a household have as l asks for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from sekisho.data.files.published_frame import publish_values
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.identity.survey_headers import is_household_header, is_household_number
from sekisho.gate.outcome import Reason
from sekisho.gate.policy import make_reason
from sekisho.gate.records.guarantees import RecordGuarantees
from sekisho.safety.records.classes import ColumnCodes, number_classes
from sekisho.safety.records.households import count_home_values, count_homes
from sekisho.words import Said

LARGEST_HOME = 20
"""A household has so many rows on average at most: what more rows share is a town or a kind."""
HOUSEHOLDS = "households together"


def find_homes(data: Dataset) -> tuple[str, pl.Series] | None:
    """Return the column that says who lives together, read or left out, by its role or its name; None if none does."""
    if data.schema.household:
        return data.schema.household, data.text(data.schema.household)
    named = [(column.name, data.text(column.name)) for column in data.schema if _tells_homes(column.name)]
    named += [(name, cells) for name, cells in data.unread.items() if _tells_homes(name)]
    return next(((name, cells) for name, cells in named if _are_homes(cells)), None)


def _tells_homes(name: str) -> bool:
    return is_household_number(name) or is_household_header(name)


def _are_homes(cells: pl.Series) -> bool:
    """Tell whether a column has a value in every row, and few rows share one."""
    homes = cells.n_unique()
    return not bool((cells == "").any()) and homes < len(cells) <= LARGEST_HOME * homes


def list_home_reasons(
    release: Release,
    original: Dataset,
    wanted: RecordGuarantees,
    *,
    keys: Sequence[str],
    sensitive: Sequence[str],
    ordered: bool,
) -> Iterator[Reason]:
    """Give that classes hold fewer households than people are asked for, or tell what a household has.

    Args:
        release: as it would leave.
        original: what it was made of.
        wanted: what is asked for of people.
        keys: what may be known of a person.
        sensitive: what must stay hidden.
        ordered: whether it is known which row is whose.
    """
    told = find_homes(original)
    if told is None or (wanted.k is None and wanted.l is None) or not keys:
        return
    column, cells = told
    if not ordered:
        words = Said(
            "who lives together ({column}) is not counted: nobody knows which row of the release is whose",
            column=column,
        )
        yield make_reason(HOUSEHOLDS, words)
        return
    kept = np.flatnonzero(~release.deleted)
    frame = publish_values(release).frame
    shown = [name for name in keys if name in frame.columns]
    if not len(kept) or not shown:
        return
    classes = number_classes([ColumnCodes.of(frame[name].cast(pl.String)) for name in shown], frame.height)
    homes = ColumnCodes.of(cells.gather(kept)).codes
    least = count_homes(homes, classes)
    if wanted.k is not None and least < wanted.k:
        words = Said(
            "a class of equal keys holds {least:,} {least:household|households} by {column}, k = {k:,} is asked for: "
            "whoever knows what a household shares finds it",
            least=least,
            column=column,
            k=wanted.k,
        )
        yield make_reason(HOUSEHOLDS, words)
    for name in sensitive:
        if wanted.l is None or name not in frame.columns:
            continue
        values = ColumnCodes.of(frame[name].cast(pl.String)).codes
        fewest = count_home_values(homes, classes, values)
        if fewest < wanted.l:
            words = Said(
                "the households of a class ({column}) have {fewest:,} different {fewest:set|sets} of {name}, l = "
                "{l:g} is asked for: whoever knows a household learns what its members have",
                column=column,
                fewest=fewest,
                name=name,
                l=wanted.l,
            )
            yield make_reason(HOUSEHOLDS, words)
