"""Data that were read by a schema as texts again: for questions that only ask whether two cells are the same."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from sekisho.data.files.plain_table import TableSource
from sekisho.data.files.published_frame import publish_values
from sekisho.data.files.schema_files.columns import Notice
from sekisho.data.files.schema_files.reading import OwnData
from sekisho.data.files.schema_files.schema_file import MISSING_VALUE, Missing, SchemaFile
from sekisho.data.frame.cells import MISSING_TEXT
from sekisho.data.frame.release import exact_table
from sekisho.data.frame.schema import Role
from sekisho.errors import InputError
from sekisho.words import Said

CUTS = frozenset({"times dropped", "rounded"})


def refuse_cuts(path: TableSource, schema: SchemaFile, notices: Iterable[Notice]) -> None:
    """Refuse data of which something was cut off that no schema says: cells that differ would be the same.

    Raises:
        InputError: times of day were dropped, or numbers rounded, in a column whose kind was found out.
    """
    said = {each.output_name for each in schema.columns if each.kind is not None}
    cut = [each for each in notices if each.what in CUTS and each.column not in said]
    if cut:
        names = ", ".join(dict.fromkeys(each.column for each in cut))
        raise InputError(
            path,
            Said(
                "what differs would be the same: {cut}; say the kind of {names} in the schema", cut=cut[0], names=names
            ),
        )


def show_own(own: OwnData) -> pl.DataFrame:
    """Return data as texts, null where missing, without the identifier."""
    shown = publish_values(exact_table(own.data)).frame.cast(pl.String)
    texts = {Missing.CATEGORY: MISSING_VALUE, Missing.CARRY: MISSING_TEXT}
    gaps = [
        pl.col(each.output_name).replace(texts[treatment], None)
        for each in own.schema.columns
        if each.role is not Role.IDENTIFIER and (treatment := each.missing or own.schema.missing_cells) in texts
    ]
    return shown.with_columns(gaps)
