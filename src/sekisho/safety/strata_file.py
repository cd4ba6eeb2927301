"""Strata given in a file: a CSV with the columns stratum, records and perhaps known, and sample or weight.

A column ``sample`` is the design: so many are drawn from each stratum, a number or a share such as ``1%``. Without it
the design is open; a column ``weight`` then says in which proportion the strata are drawn from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.values import parse_exact
from sekisho.data.records.microdata import read_microdata
from sekisho.errors import Fault, FaultsError, InputError, ParameterError, say_rule
from sekisho.safety.sampling import Stratum, count_sample
from sekisho.words import Said, quote_words

NEEDED, NUMBERS = ("stratum", "records"), ("records", "sample", "known")
DIGITS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class StrataFile:
    """The strata of a file, their weights if it has some, and the form it was found in."""

    strata: tuple[Stratum, ...]
    form: CsvForm
    weights: Mapping[str, Fraction] | None = None


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
        raise InputError(
            path, Said("has no column {missing}; it must have stratum and records", missing=", ".join(missing))
        )
    strata: list[Stratum] = []
    faults: list[Fault] = []
    names: set[str] = set()
    for row, line in enumerate(frame.iter_rows(named=True), 1):
        line_faults = list(_find_faults(row, line, names))
        faults += line_faults
        if not line_faults:
            strata.append(_make_stratum(line))
    if not faults and "sample" in frame.columns and not any(part.sample for part in strata):
        faults.append(Fault(row=0, column="sample", rule="sample", value="0", message=Said("no record is drawn")))
    if not faults and {"sample", "weight"} <= set(frame.columns):
        faults.append(Fault(row=0, column="weight", rule="weight", value="", message=Said("samples need no weights")))
    if faults:
        raise FaultsError(path, faults)
    weighted = "weight" in frame.columns
    weights = (
        {line["stratum"]: parse_exact(line["weight"]) for line in frame.iter_rows(named=True)} if weighted else None
    )
    return StrataFile(strata=tuple(strata), form=microdata.form, weights=weights)


def _find_faults(row: int, line: Mapping[str, str], names: set[str]) -> Iterator[Fault]:
    name = line["stratum"]
    if name in names:
        message = Said("stratum {name!r} was already named above", name=name)
        yield Fault(row=row, column="stratum", rule="doubled", value=name, message=message)
    names.add(name)
    odd = [column for column in NUMBERS if column in line and not _is_number(column, line[column])]
    for column in odd:
        rule = Said("be a whole number or a percentage") if column == "sample" else Said("be a whole number")
        message = say_rule(column, rule, line[column])
        yield Fault(row=row, column=column, rule="integer", value=line[column], message=message)
    if "weight" in line and not _is_weight(line["weight"]):
        message = Said("weight must be a number above 0, not {weight!r}", weight=line["weight"])
        yield Fault(row=row, column="weight", rule="weight", value=line["weight"], message=message)
    if not odd:
        try:
            _make_stratum(line)
        except ParameterError as error:
            column = error.name.partition(" ")[0]
            yield Fault(row=row, column=column, rule="limits", value=line[column], message=quote_words(str(error)))


def _is_number(column: str, text: str) -> bool:
    return _is_whole(text) or (column == "sample" and text.strip().endswith("%"))


def _is_weight(text: str) -> bool:
    try:
        return parse_exact(text) > 0
    except ValueError:
        return False


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= DIGITS


def _make_stratum(line: Mapping[str, str]) -> Stratum:
    records, known = int(line["records"]), int(line.get("known", "0"))
    size = line.get("sample", "0")
    sample = int(size) if _is_whole(size) else count_sample(size, max(1, records))
    return Stratum(name=line["stratum"], records=records, sample=sample, known=known)
