"""The checker's look at the files beside a certificate: are they those that it speaks of, cell by cell?

A certificate proves that a pattern is safe; it says nothing of a file that shows another one. So each file is compared
with the certificate's own cells: a published cell stands there with its value, a hidden one without, and a pattern
names the status of each. Where the certificate knows the file, its digest must be the same too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from sekisho.tables.check.claims import ClaimedSystem, FileClaim
from sekisho.tables.check.release_claims import ClaimedRelease
from sekisho.words import Said

STATUS = "status"
LOW, HIGH = "low", "high"
NAMED = 5
"""So many cells are named, of each file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenFile:
    """A file to be compared with a certificate.

    Attributes:
        role: ``pattern`` or ``public``.
        name: the file's.
        digest: the SHA-256 of its bytes.
        columns: by name the texts of each column, row by row; an empty text for nothing.
    """

    role: str
    name: str
    digest: str
    columns: Mapping[str, Sequence[str]]


def file_errors(claimed: ClaimedSystem, file: GivenFile) -> Iterator[str]:
    """Tell in what a file is not the one of which the certificate speaks."""
    claim = find_claim(claimed, file)
    if claim is not None and claim.digest != file.digest:
        yield Said("{name} is not the {role} that was certified: its digest is another", name=file.name, role=file.role)
    if claim is None and any(each.role == file.role for each in claimed.files):
        yield Said("{name} is none of the files that were certified", name=file.name)
        return
    places = _place_rows(claimed, file, claim)
    if places is None:
        yield Said("{name} does not have the cells of the certificate", name=file.name)
        return
    wrong = list(
        _shown_errors(claimed, file, places)
        if isinstance(claimed, ClaimedRelease)
        else _cell_errors(claimed, file, places)
    )
    yield from (Said("{source}: {reason}", source=file.name, reason=text) for text in wrong[:NAMED])
    if wrong[NAMED:]:
        yield Said("{name}: and {wrong} more cells are wrong", name=file.name, wrong=len(wrong) - NAMED)


def find_claim(claimed: ClaimedSystem, file: GivenFile) -> FileClaim | None:
    """Return what a certificate says of a file: by its digest, by its name, or as the only one of its role."""
    same = [each for each in claimed.files if each.role == file.role]
    by_digest = [each for each in same if each.digest == file.digest]
    by_name = [each for each in same if each.name == file.name]
    return next(iter([*by_digest, *by_name, *(same if len(same) == 1 else [])]), None)


def _place_rows(claimed: ClaimedSystem, file: GivenFile, claim: FileClaim | None) -> list[int] | None:
    """Return each row's cell; None if the rows are not those of the certificate."""
    dims = [dim for dim in claimed.dims if dim in file.columns]
    rows = list(zip(*(file.columns[dim] for dim in dims), strict=True))
    keys = claimed.cells.keys
    if claim is None:
        place = {key: i for i, key in enumerate(keys)}
        own = [i for i, word in enumerate(claimed.cells.status) if word != "unpublished"]
        cells = [place.get(row, -1) for row in rows]
        return cells if dims == claimed.dims and sorted(cells) == own else None
    if len(rows) != len(claim.cells):
        return None
    at = [claimed.dims.index(dim) for dim in dims]
    same = all(
        row[axis] == keys[cell][dim] or keys[cell][dim] == claimed.margins[dim]  # files may call margins otherwise
        for row, cell in zip(rows, claim.cells, strict=True)
        for axis, dim in enumerate(at)
    )
    return claim.cells if same and dims else None


def _cell_errors(claimed: ClaimedSystem, file: GivenFile, places: Sequence[int]) -> Iterator[str]:
    values = _find_values(claimed, file)
    if values is None:
        yield Said("it has no column of values")
        return
    statuses = file.columns.get(STATUS) if file.role == "pattern" else None
    if statuses is None and file.role == "pattern":
        yield Said("it has no column of statuses")
        return
    for row, cell in enumerate(places):
        word = claimed.cells.status[cell]
        name, number, hidden = ", ".join(claimed.cells.keys[cell]), _read(values[row]), word in {"primary", "secondary"}
        if hidden and number is not None:
            yield Said("{name} is hidden by the certificate and shows {values}", name=name, values=values[row])
        if not hidden and number != claimed.cells.value[cell]:
            yield Said(
                "{name} shows {values} instead of {value:g}",
                name=name,
                values=values[row] or Said("nothing"),
                value=float(claimed.cells.value[cell]),
            )
        due = "safe" if word == "publish" else word
        if statuses is not None and statuses[row].strip().lower() not in {due, word}:
            yield Said(
                "{name} is {due} by the certificate and {statuses} here",
                name=name,
                due=due,
                statuses=statuses[row] or Said("nothing"),
            )


def _shown_errors(claimed: ClaimedRelease, file: GivenFile, places: Sequence[int]) -> Iterator[str]:
    """Tell which numbers of a published file are not those of the certificate: one column, or ``low`` and ``high``."""
    ends = [file.columns.get(name) for name in (LOW, HIGH)]
    values = _find_values(claimed, file)
    for row, cell in enumerate(places):
        shown = claimed.shown[cell]
        due = shown if isinstance(shown, tuple) else (shown, shown)
        texts = [values[row]] * 2 if values is not None else [end[row] for end in ends if end is not None]
        if [_read(text) for text in texts] != list(due):
            yield Said(
                "{name} shows {values} instead of {value:g}",
                name=", ".join(claimed.cells.keys[cell]),
                values=" ".join(dict.fromkeys(texts)) or Said("nothing"),
                value=float(due[0]),
            )


def _find_values(claimed: ClaimedSystem, file: GivenFile) -> Sequence[str] | None:
    others = [name for name in file.columns if name not in (*claimed.dims, STATUS, LOW, HIGH)]
    return file.columns[others[0]] if len(others) == 1 else None


def _read(text: str) -> Fraction | None:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    return Fraction(number) if number.is_finite() else None
