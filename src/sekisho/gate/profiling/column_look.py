"""What is seen in one column: kind, distinct and missing values, length, format, tails, topics of its name."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.plain_files.column_reading import ColumnReading
from sekisho.data.files.plain_files.numbers import (
    DIGITS,
    MOST_DECIMALS,
    POINT,
    count_digits,
    read_numbers,
    spell_out_exponents,
)
from sekisho.data.files.plain_files.understanding import count_texts, translate_dates, translate_numbers
from sekisho.data.files.schema_files.schema_file import FileRules
from sekisho.data.frame.dataset import Kind
from sekisho.data.identity.content_judgement import judge_column
from sekisho.data.identity.header_words import ColumnEvidence, Identifying, Topic
from sekisho.data.identity.identifying import do_cross, list_naming_columns
from sekisho.gate.profiling.file_form import POSTAL_CODE, FileText, find_form, list_missing_texts

SEVERAL_WORDS = r"\S\s+\S+\s+\S|[。、！？]"
"""Three words, or a mark that ends or parts a Japanese sentence."""
DIAGNOSIS = r"^[A-TV-Z][0-9][0-9AB](?:\.[0-9A-Z]{1,4})?$"
FEWEST_CODES = 3
PROBED = 1000
TAIL_SHARE, TAIL_ROWS = 0.01, 5
FENCE = 3.0
"""So many interquartile ranges from the quartiles a value is far out (Tukey, Exploratory Data Analysis, 1977)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """Values far out, and from where on they could be coded: a rounded quantile, never an extreme value itself.

    Attributes:
        side: top or bottom.
        limit: as the file writes numbers with a point.
        rows: how many rows lie at or beyond it.
    """

    side: str
    limit: str
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnLook:
    """One column.

    Attributes:
        name: under which it is read.
        place: from 0.
        text: its cells, dates and numbers in one writing, missing ones empty.
        gaps: which of them are missing.
        kind: of those that are not.
        distinct: how many different ones there are.
        single: how many rows bear a value that no other row has.
        common: how many rows bear the most frequent value.
        length: the mean number of characters of the distinct ones.
        topics: of its name, with the word.
        evidence: all by which it is judged whether it names people.
        naming: why it names people; None if nothing says so.
        postal: the share of its distinct values that are postal codes.
        diagnoses: the share of its distinct values that are codes of diagnoses with a point (ICD-10).
        tails: values far out.
        sentences: whether most of its distinct texts are of several words, as remarks are.
        reading: what its texts in the file were understood to be.
        counts: how many rows bear each of the distinct ones, which the evidence lists.
        label: what the file says of it besides its name.
    """

    name: str
    place: int
    text: pl.Series
    gaps: NDArray[np.bool_]
    kind: Kind
    distinct: int
    single: int
    common: int
    length: float
    evidence: ColumnEvidence
    topics: dict[Topic, str] = field(default_factory=dict[Topic, str])
    naming: Identifying | None = None
    postal: float = 0.0
    diagnoses: float = 0.0
    tails: tuple[Tail, ...] = ()
    sentences: bool = False
    reading: ColumnReading
    counts: pl.Series
    label: str = ""

    @property
    def rows(self) -> int:
        """How many cells there are."""
        return len(self.text)

    @property
    def missing(self) -> int:
        """How many of them are missing."""
        return int(self.gaps.sum())

    @property
    def present(self) -> int:
        """How many of them are not."""
        return self.rows - self.missing

    def fill_gaps(self) -> pl.Series:
        """Return the cells, missing ones all empty."""
        return self.text.set(pl.Series(self.gaps), "") if self.missing else self.text

    def has(self, *topics: Topic) -> bool:
        """Tell whether the name speaks of one of these."""
        return any(topic in self.topics for topic in topics)

    @property
    def is_number_of_owner(self) -> bool:
        """Whether the name says that it is the number of a person or of what belongs to one."""
        numbered = self.has(Topic.NUMBERED) and self.has(Topic.PERSON, Topic.BELONGING)
        return self.has(Topic.NUMBER) or numbered

    @property
    def names_cells(self) -> bool:
        """Whether it would name people as a dimension of a table, where every code may stand once."""
        return self.naming is not None and judge_column(replace(self.evidence, rows=None)) is not None


def look_at_columns(file: FileText) -> tuple[ColumnLook, ...]:
    """Return what is seen in each column of a file; what the file says of a column counts as its name does."""
    named = file.rules.header is not False
    looks = [
        _look_at(
            _write_alike(text, file.readings[name], file.rules),
            place,
            file,
            " ".join(filter(None, (name if named else "", file.labels.get(name, "")))),
        )
        for place, (name, text) in enumerate(file.texts.items())
    ]
    naming = list_naming_columns({each.name: each.evidence for each in looks}, file.texts)
    return tuple(replace(each, naming=naming.get(each.name)) for each in looks)


def _write_alike(text: pl.Series, reading: ColumnReading, rules: FileRules) -> pl.Series:
    """Return cells of which dates and numbers are in one writing, and missing ones empty."""
    strange = [each.text.strip() for each in reading.misfits] if reading.kind.kind.numeric else []
    texts = (*rules.missing, *list_missing_texts(reading), *strange)
    absent = text.str.strip_chars().is_in(pl.Series(texts, dtype=pl.String).implode())
    text = text.set(absent, "") if bool(absent.any()) else text
    form = find_form(reading, rules)
    if not form:
        return text
    return translate_dates(text, form) if reading.kind.kind is Kind.DATE else translate_numbers(text, form)


def judge_beside_person(look: ColumnLook, person: ColumnLook) -> ColumnLook:
    """Return a column of a history, judged again now that it is known whose each row is: wares are nobody's."""
    if look.naming is None or look is person:
        return look
    crosses = do_cross(person.text, look.text)
    again = judge_column(replace(look.evidence, crosses=crosses)) if crosses else look.naming
    return replace(look, naming=again)


def _look_at(text: pl.Series, place: int, file: FileText, header: str) -> ColumnLook:
    known = file.counted.get(text.name) if text is file.texts[text.name] else None
    counts = count_texts(text) if known is None else known
    values, often = counts["text"].alias(text.name), counts["count"]
    is_gap = values == ""
    kept = values.filter(~is_gap)
    gaps = (text == "").to_numpy()
    reading = file.readings[text.name]
    kind = reading.kind.kind
    is_text = kind is Kind.CATEGORY
    evidence = ColumnEvidence(header=header, kind=kind, values=kept, rows=len(text) - int(gaps.sum()))
    return ColumnLook(
        name=text.name,
        place=place,
        text=text,
        gaps=gaps,
        kind=kind,
        distinct=len(kept),
        single=int(((often == 1) & ~is_gap).sum()),
        common=int(often.filter(~is_gap).to_numpy().max(initial=0)),
        length=float(kept.str.len_chars().sum()) / max(len(kept), 1),
        topics=evidence.topics,
        evidence=evidence,
        postal=float(kept.str.contains(POSTAL_CODE).sum()) / max(len(kept), 1),
        diagnoses=_share_diagnoses(kept) if is_text else 0.0,
        tails=_find_tails(kept, often.filter(~is_gap), _find_mark(reading, file.rules))
        if kind in {Kind.INTEGER, Kind.DECIMAL}
        else (),
        sentences=is_text and 2 * int(kept.str.contains(SEVERAL_WORDS).sum()) > len(kept),
        reading=reading,
        counts=often.filter(~is_gap),
        label=file.labels.get(text.name, ""),
    )


def _find_mark(reading: ColumnReading, rules: FileRules) -> str:
    return find_form(reading, rules) or rules.decimal or POINT


def _share_diagnoses(texts: pl.Series) -> float:
    """Return the share of codes of diagnoses with a point, where all of some values are such codes."""
    if len(texts) < FEWEST_CODES or not _match_all(texts, DIAGNOSIS):
        return 0.0
    return float(texts.str.contains(".", literal=True).sum()) / len(texts)


def _match_all(texts: pl.Series, pattern: str) -> bool:
    return len(texts) > 0 and all(bool(part.str.contains(pattern).all()) for part in (texts.head(PROBED), texts))


def _read_floats(texts: pl.Series, often: pl.Series, mark: str) -> NDArray[np.float64]:
    """Return the numbers that distinct texts mean, each as often as it stands in the column."""
    plain = spell_out_exponents(texts, mark)
    whole, after = count_digits(plain, mark)
    decimals = min(after, MOST_DECIMALS, max(0, DIGITS - whole))
    values, readable = read_numbers(plain, decimals, mark)
    return np.repeat(values[readable].astype(np.float64) / 10**decimals, often.to_numpy()[readable])


def _find_tails(texts: pl.Series, often: pl.Series, mark: str) -> tuple[Tail, ...]:
    values = _read_floats(texts, often, mark)
    if len(values) < 4 * TAIL_ROWS:
        return ()
    low, high = np.quantile(values, [0.25, 0.75])
    reach = FENCE * (high - low)
    share = max(TAIL_SHARE, TAIL_ROWS / len(values))
    tails = list[Tail]()
    far_above, far_below = int((values > high + reach).sum()), int((values < low - reach).sum())
    if 0 < far_above <= 5 * share * len(values):
        limit = _round_limit(float(np.quantile(values, 1 - share)), down=True)
        tails.append(Tail(side="top", limit=f"{limit:.12g}", rows=int((values >= limit).sum())))
    if 0 < far_below <= 5 * share * len(values):
        limit = _round_limit(float(np.quantile(values, share)), down=False)
        tails.append(Tail(side="bottom", limit=f"{limit:.12g}", rows=int((values <= limit).sum())))
    return tuple(tail for tail in tails if tail.rows < len(values) // 4)


def _round_limit(value: float, *, down: bool) -> float:
    """Return a number of two digits, so that it tells no single value, with more of the rows beyond it than before."""
    if value == 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    return (math.floor if down else math.ceil)(value / step) * step
