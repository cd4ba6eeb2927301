"""Strata given in a file: a CSV with the columns stratum, records and perhaps sample and known.

A column ``sample`` is the design: so many are drawn from each stratum. Without it the design is open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.records.microdata import read_microdata
from sekisho.errors import Fault, FaultsError, InputError, ParameterError
from sekisho.safety.sampling import Stratum

NEEDED, NUMBERS = ("stratum", "records"), ("records", "sample", "known")
DIGITS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class StrataFile:
    """The strata of a file and the form it was found in."""

    strata: tuple[Stratum, ...]
    form: CsvForm


def read_strata(path: Path) -> StrataFile:
    """Return the strata of a file.

    Raises:
        InputError: a column is missing, or there is no stratum.
        FaultsError: numbers that are none, samples above a stratum's records or missing in some, strata named twice;
            all at once.
    """
    microdata = read_microdata(path)
    frame = microdata.data.frame
    if missing := [name for name in NEEDED if name not in frame.columns]:
        raise InputError(path, f"has no column {', '.join(missing)}; it must have stratum and records")
    strata: list[Stratum] = []
    faults: list[Fault] = []
    names: set[str] = set()
    for row, line in enumerate(frame.iter_rows(named=True), 1):
        line_faults = list(_find_faults(row, line, names))
        faults += line_faults
        if not line_faults:
            strata.append(_make_stratum(line))
    if not faults and "sample" in frame.columns and not any(part.sample for part in strata):
        faults.append(Fault(row=0, column="sample", rule="sample", value="0", message="no record is drawn"))
    if faults:
        raise FaultsError(path, faults)
    return StrataFile(strata=tuple(strata), form=microdata.form)


def _find_faults(row: int, line: Mapping[str, str], names: set[str]) -> Iterator[Fault]:
    name = line["stratum"]
    if name in names:
        message = f"stratum {name!r} was already named above"
        yield Fault(row=row, column="stratum", rule="doubled", value=name, message=message)
    names.add(name)
    odd = [column for column in NUMBERS if column in line and not _is_whole(line[column])]
    for column in odd:
        message = f"{column} must be a whole number, not {line[column]!r}"
        yield Fault(row=row, column=column, rule="integer", value=line[column], message=message)
    if not odd:
        try:
            _make_stratum(line)
        except ParameterError as error:
            column = error.name.partition(" ")[0]
            yield Fault(row=row, column=column, rule="limits", value=line[column], message=str(error))


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= DIGITS


def _make_stratum(line: Mapping[str, str]) -> Stratum:
    return Stratum(name=line["stratum"], **{column: int(line.get(column, "0")) for column in NUMBERS})
