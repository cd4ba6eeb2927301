"""Files of perturbation tables: a line for each true count ``i`` and each ``j`` shown for it, with its chance ``p``.

The tables that come with τ-ARGUS and those of the package ptable are read too: their further columns are not needed,
and their chances, cumulated in order of ``j``, are rounded to whole units of 1e-8.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import polars as pl

from sekisho.data.files.plain_table import frame_bytes, read_frame
from sekisho.errors import Fault, FaultsError, MissingColumnsError, ParameterError
from sekisho.tables.perturb.rows import FARTHEST, UNIT, NoiseRow, NoiseTable
from sekisho.words import Said

COUNT, SHOWN, CHANCE = "i", "j", "p"
OTHER_CHANCE = "p_ij"
"""What τ-ARGUS calls it."""
CLOSE = Fraction(1, 10**5)
"""So far from 1 the chances of a row may add up: other programs round them."""
Line = tuple[int, int, Fraction]


def write_noise(table: NoiseTable, path: Path) -> bytes:
    """Return a perturbation table as the bytes of a file."""
    lines = [
        (row.count, target, f"{units // UNIT}.{units % UNIT:08d}")
        for row in table.rows
        for target, units in zip(row.targets, row.units, strict=True)
    ]
    return frame_bytes(pl.DataFrame(lines, schema=[COUNT, SHOWN, CHANCE], orient="row"), path)


def read_noise(path: Path) -> NoiseTable:
    """Return the perturbation table of a file, ours or another program's.

    Raises:
        MissingColumnsError: a column is missing.
        FaultsError: lines that hold no counts or no chance; rows that are missing or do not add up; all at once.
    """
    frame = read_frame(path).frame
    chance = OTHER_CHANCE if OTHER_CHANCE in frame.columns and CHANCE not in frame.columns else CHANCE
    missing = [name for name in (COUNT, SHOWN, chance) if name not in frame.columns]
    if missing:
        raise MissingColumnsError(path, missing, frame.columns)
    texts = frame.select(pl.col(COUNT, SHOWN, chance).cast(pl.String).fill_null("")).rows()
    faults: list[Fault] = []
    lines = [line for place, text in enumerate(texts, start=1) if (line := _parse_line(text, place, faults))]
    if faults:
        raise FaultsError(path, faults)
    try:
        counts = sorted({count for count, _, _ in lines})
        return NoiseTable(rows=tuple(_make_row(count, lines) for count in counts))
    except ParameterError as error:
        raise FaultsError(path, [_fault(0, error.name, str(error.value), error.rule)]) from error


def _parse_line(text: Sequence[str], place: int, faults: list[Fault]) -> Line | None:
    """Return the numbers of a line, or add what is wrong with it."""
    try:
        count, shown, chance = int(text[0]), int(text[1]), Fraction(text[2].strip().replace(",", "."))
    except (ValueError, ZeroDivisionError):
        faults.append(_fault(place, "", ",".join(text), Said("needs two counts and a chance")))
        return None
    if not 0 <= chance <= 1 or not 0 <= count <= 3 * FARTHEST or not 0 <= shown <= 5 * FARTHEST:
        faults.append(_fault(place, "", ",".join(text), Said("needs counts from 0 on and a chance from 0 to 1")))
        return None
    return count, shown, chance


def _make_row(count: int, lines: Sequence[Line]) -> NoiseRow:
    own = sorted((shown, chance) for at, shown, chance in lines if at == count)
    total = sum((chance for _, chance in own), Fraction(0))
    if abs(total - 1) > CLOSE:
        raise ParameterError(CHANCE, Said("add up to 1 in row {count}", count=count), f"{float(total):g}")
    units, before, so_far = list[int](), 0, Fraction(0)
    for _, chance in own:
        so_far += chance
        now = round(so_far / total * UNIT)
        units.append(now - before)
        before = now
    return NoiseRow(count=count, targets=tuple(shown for shown, _ in own), units=tuple(units))


def _fault(row: int, column: str, value: str, message: Said) -> Fault:
    return Fault(row=row, column=column, rule="noise", value=value, message=message)
