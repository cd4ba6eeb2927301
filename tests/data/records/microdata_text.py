"""Records written as text, for tests."""

from __future__ import annotations

import polars as pl

from sekisho.data.files.csv_form import CsvForm


def write_microdata(frame: pl.DataFrame, form: CsvForm) -> bytes:
    """Return a frame as a file of the given form."""
    text = frame.write_csv(separator=form.separator or ",", include_header=form.header is not False)
    return text.encode(form.encoding or "utf-8")
