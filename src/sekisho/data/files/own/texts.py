"""Data that were read by a schema as texts again: for questions that only ask whether two cells are the same."""

from __future__ import annotations

import polars as pl

from sekisho.data.files.own.reading import OwnData
from sekisho.data.files.own.schema_file import MISSING_VALUE, Missing
from sekisho.data.files.published_frame import publish_values
from sekisho.data.frame.release import exact_table
from sekisho.data.frame.schema import Role


def show_own(own: OwnData) -> pl.DataFrame:
    """Return data as texts, null where missing, without the identifier."""
    shown = publish_values(exact_table(own.data)).frame.cast(pl.String)
    gaps = [
        pl.col(each.output_name).replace(MISSING_VALUE, None)
        for each in own.schema.columns
        if each.role is not Role.IDENTIFIER and (each.missing or own.schema.missing_cells) is Missing.CATEGORY
    ]
    return shown.with_columns(gaps)
