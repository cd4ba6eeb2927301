"""``sekisho estimate``: what released records say about the population."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from sekisho.cli.kit.answer import AsJson, give_answer
from sekisho.cli.kit.files import Encoding, Separator, Sheet
from sekisho.cli.shapes.file_options import RecordFile
from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.whole_files import decode_text, read_bytes
from sekisho.errors import ParameterError
from sekisho.safety.mechanism import parse_mechanism
from sekisho.utility.records.estimate import estimate_table
from sekisho.words import Said, join_words


def estimate(
    released: Annotated[Path, typer.Argument(metavar="RELEASED", help="The released records.")],
    mechanism: Annotated[Path, typer.Option("--mechanism", help="The description written beside the release.")],
    table: Annotated[str, typer.Option("--table", help="The columns to count by, a or a,b.")],
    level: Annotated[float, typer.Option("--level", help="Of the intervals.")] = 0.95,
    separator: Separator = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
) -> None:
    """Estimate the population's counts from records that were changed by chance and sampled, with standard errors.

    Example: `sekisho estimate R.csv --mechanism R.csv.mechanism.json --table sex,education`
    """
    names = tuple(filter(None, table.split(",")))
    if not names:
        raise ParameterError("table", Said("name at least one column"), table)
    description = parse_mechanism(decode_text(read_bytes(mechanism), mechanism), mechanism)
    form = CsvForm(separator=separator, encoding=encoding, sheet=sheet)
    estimated, axes = estimate_table(RecordFile(path=released, form=form).read().data, description, names)
    low, high = estimated.interval(level)
    cells = [
        dict(zip(names, values, strict=True))
        | {
            "count": float(estimated.counts[place]),
            "error": float(estimated.errors[place]),
            "low": float(low[place]),
            "high": float(high[place]),
        }
        for place, values in zip(np.ndindex(estimated.counts.shape), product(*axes.values()), strict=True)
    ]
    lines = [f"{'count':>14} {'error':>12}  {', '.join(names)}"]
    lines += [
        f"{cell['count']:>14,.1f} {cell['error']:>12,.1f}  {', '.join(str(cell[name]) for name in names)}"
        for cell in cells
    ]
    give_answer(
        {"records": description.records, "level": level, "cells": cells}, join_words(lines, "\n"), as_json=as_json
    )
