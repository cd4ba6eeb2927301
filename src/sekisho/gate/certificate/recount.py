"""What anybody counts again in a published file, and what a check comes to: classes, twins, hidden cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from stat import S_ISREG

import polars as pl

from sekisho.data.files.csv_form import CsvForm, parse_csv
from sekisho.data.files.plain_table import is_parquet, read_frame
from sekisho.data.files.whole_files import MAX_BYTES, check_encoding, read_regular_file
from sekisho.errors import InputError, MissingFileError, ParameterError, say_failure
from sekisho.words import Said

CELL, ROW = "\x1f", "\x1e"
UNKNOWN_CELLS = ("", "*")
"""What a cell holds whose value nobody reads: nothing, or the mark of suppression."""
MOST_FAULTS = 5


class CheckStanding(StrEnum):
    """What became of a claim when it was checked."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was checked.

    Attributes:
        subject: what.
        standing: what became of it.
        finding: the figures, or why not.
    """

    subject: str
    standing: CheckStanding
    finding: str

    def as_dict(self) -> dict[str, object]:
        """Return the check as plain data for JSON."""
        return {"subject": self.subject, "standing": self.standing, "detail": self.finding}


def settle(subject: str, *, right: bool, finding: str) -> Check:
    """Return a check that came to yes or no."""
    return Check(subject=subject, standing=CheckStanding.CONFIRMED if right else CheckStanding.REFUTED, finding=finding)


def settle_faults(subject: str, faults: Iterable[str], *, fine: str) -> Iterator[Check]:
    """Give a check for each of the first faults, or one that found none."""
    wrong = list(islice(faults, MOST_FAULTS))
    yield from (settle(subject, right=False, finding=fault) for fault in wrong)
    if not wrong:
        yield settle(subject, right=True, finding=fine)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedForm:
    """A published file and how it is written; its columns are told by their place, from 0, for some have no header."""

    file: str
    separator: str = ","
    header: bool = True
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        check_name("file", self.file)
        check_encoding(self.encoding)
        CsvForm(separator=self.separator)

    @property
    def named(self) -> bool:
        """Whether the file names its columns."""
        return self.header or is_parquet(Path(self.file))

    def read(self, folder: Path) -> pl.DataFrame:
        """Return the cells as text.

        Raises:
            InputError: the file is missing, a link, no regular file, too large, or no table.
            FaultsError: a line has too few or too many cells.
        """
        path = folder / self.file
        if is_parquet(path):
            find_regular_size(path)
            return _write_as_text(read_frame(path).frame, path)
        form = CsvForm(separator=self.separator, header=self.header, encoding=self.encoding)
        frame, _ = parse_csv(read_regular_file(path), path, form)
        return frame


def check_name(where: str, name: str) -> None:
    """Refuse what is no plain name of a file beside the certificate."""
    if not name or name in {".", ".."} or any(sign in name for sign in "/\\\0"):
        raise ParameterError(where, Said("be plain names of files in the folder"), name)


def find_regular_size(path: Path) -> int:
    """Return the size of a file that is no link, folder, pipe or device, and not larger than what is read.

    Raises:
        InputError: it is.
    """
    try:
        known = path.lstat()
    except FileNotFoundError as error:
        raise MissingFileError(path) from error
    except OSError as error:
        raise InputError(path, say_failure(error, Said("cannot be read"))) from error
    if not S_ISREG(known.st_mode):
        raise InputError(path, Said("is no regular file"))
    if known.st_size > MAX_BYTES:
        raise InputError(
            path, Said("is {st_size:,} bytes; the limit is {max_bytes:,}", st_size=known.st_size, max_bytes=MAX_BYTES)
        )
    return known.st_size


def _write_as_text(frame: pl.DataFrame, path: Path) -> pl.DataFrame:
    """Return the cells of a Parquet file as text: equal texts are equal values, for each column has one type."""
    try:
        return frame.with_columns(pl.all().cast(pl.String).fill_null(""))
    except pl.exceptions.PolarsError as error:
        raise InputError(path, Said("has a column of other than texts, numbers and dates")) from error


def take_columns(frame: pl.DataFrame, places: Sequence[int]) -> list[str]:
    """Return what numbered columns are called.

    Raises:
        ParameterError: there is no such column, or one is named twice.
    """
    if len(set(places)) < len(places):
        raise ParameterError("columns", Said("be named once each"), list(places))
    for place in places:
        if not 0 <= place < frame.width:
            raise ParameterError("columns", Said("be of the {width} that the file has", width=frame.width), place)
    return [str(place) for place in places]


def number_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame whose columns are called by their places: a file may call its own ``size``, ``len`` or ``*``."""
    return frame.rename(dict(zip(frame.columns, map(str, range(frame.width)), strict=True)))


def count_twins(frame: pl.DataFrame, pseudonym: int) -> dict[int, int]:
    """Return how many classes of pseudonyms with the very same rows there are, by the class's size."""
    frame = number_columns(frame)
    (holder,) = take_columns(frame, [pseudonym])
    if frame.width == 1:
        raise ParameterError("pseudonym", Said("not be the only column"), pseudonym)
    cells = pl.concat_str(pl.exclude(holder), separator=CELL).alias("row")
    people = frame.select(pl.col(holder), cells).group_by(holder).agg(pl.col("row").sort().str.join(ROW))
    sizes = people.group_by("row").len().get_column("len").value_counts(sort=False)
    return {int(size): int(count) for size, count in sorted(sizes.iter_rows())}


def count_least_class(frame: pl.DataFrame, keys: Sequence[int]) -> int:
    """Return the size of the smallest class of equal keys; 0 of an empty file."""
    frame = number_columns(frame)
    names = take_columns(frame, keys)
    sizes = frame.group_by(names).len().get_column("len")
    return int(sizes.to_numpy().min(initial=frame.height)) if frame.height else 0


def count_rows_below(frame: pl.DataFrame, keys: Sequence[int], k: int) -> int:
    """Return how many rows stand in classes of equal keys that are smaller than k."""
    frame = number_columns(frame)
    sizes = frame.group_by(take_columns(frame, keys)).len().get_column("len")
    return int(sizes.filter(sizes < min(max(k, 0), frame.height + 1)).sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretFigures:
    """What the classes of a published file tell about a sensitive column.

    Attributes:
        values: the fewest distinct values of a class; None where no class has one.
        distance: how far the values of a class lie from all at most; None where that is not asked, or none has one.
        unknown: how many classes have no known value; None where a missing cell counts as a value.
    """

    values: int | None
    distance: float | None = None
    unknown: int | None = None


def count_secret(frame: pl.DataFrame, keys: Sequence[int], sensitive: int, *, distance: bool) -> SecretFigures:
    """Return what the classes of equal keys tell about a sensitive column, counted among its known values.

    Args:
        frame: the published cells as text.
        keys: the places of the keys.
        sensitive: the place of the sensitive column.
        distance: whether the distance is asked for.
    """
    frame = number_columns(frame)
    names = take_columns(frame, [*keys, sensitive])
    known = frame.filter(~pl.col(names[-1]).is_in(UNKNOWN_CELLS))
    unknown = frame.select(names[:-1]).n_unique() - known.select(names[:-1]).n_unique() if known.height else None
    if unknown is None:
        return SecretFigures(values=None, unknown=frame.select(names[:-1]).n_unique())
    return SecretFigures(
        values=count_least_values(known, keys, sensitive),
        distance=measure_farthest(known, keys, sensitive) if distance else None,
        unknown=unknown,
    )


def count_least_values(frame: pl.DataFrame, keys: Sequence[int], sensitive: int) -> int:
    """Return the fewest distinct sensitive cells of a class, a missing one among them."""
    frame = number_columns(frame)
    *names, value = take_columns(frame, [*keys, sensitive])
    counts = frame.group_by(names).agg(pl.col(value).n_unique().alias("values")).get_column("values")
    return min(counts.to_list(), default=0)


def measure_farthest(frame: pl.DataFrame, keys: Sequence[int], sensitive: int) -> float:
    """Return how far the sensitive values of a class lie from all at most: half the sum of the shares' differences."""
    frame = number_columns(frame)
    *names, value = take_columns(frame, [*keys, sensitive])
    whole = frame.group_by(value).len().select(value, share=pl.col("len") / frame.height)
    sizes = frame.group_by(names).len().rename({"len": "size"})
    inside = frame.group_by([*names, value]).len().join(sizes, on=names).join(whole, on=value)
    # values that a class lacks add their whole share: all shares add up to 1
    part = pl.col("len") / pl.col("size")
    gaps = inside.group_by(names).agg(
        ((part - pl.col("share")).abs().sum() + 1 - pl.col("share").sum()).alias("gap") / 2
    )
    return max(gaps.get_column("gap").to_list(), default=0.0)


def list_hidden_cells(
    frame: pl.DataFrame, dims: Sequence[int], value: int, mark: str
) -> tuple[dict[tuple[str, ...], str], int]:
    """Return the cells of a published table by their codes, and how many are hidden.

    Raises:
        InputError: two rows are of one cell.
    """
    frame = number_columns(frame)
    *names, column = take_columns(frame, [*dims, value])
    cells = {tuple(codes): text for *codes, text in frame.select(*names, column).iter_rows()}
    if len(cells) < frame.height:
        raise InputError("the published table", Said("has two rows of one cell"))
    return cells, sum(text == mark for text in cells.values())
