"""What a column of texts is, and how it is written: the one place that understands the columns of a file.

Everything is found from the distinct texts and how many rows hold each. A column is of dates or numbers if all its
texts are, those aside that mean missing (:mod:`missing_texts`) and a few that fit nothing (``MOST_MISFITS`` of its
rows), which are told. Whether a day or a month stands first is decided by the whole column: one day above 12 is enough;
where none is, the file's other columns decide, else days come first, and that is told. Digits that are a code and no
number (a leading zero, more than twelve of them, groups of a telephone number) stay texts. Digits that could be a day
(``20240103``, ``45294``) are one where the name of the column speaks of time.

Which columns of texts are dates, and in which forms.

Whether a day or a month stands first is decided by the whole column: one day above 12 is enough; where none is, the
file's other columns decide, else days come first, and that is told. Forms that stand beside each other in one column
are all read. Digits that could be a day (``20240103``, ``45294``) are one where the name of the column speaks of time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.plain_files.column_reading import (
    LEAST_ROWS,
    LEAST_SHARE,
    NONE_WORDS,
    NOTHING,
    SENTINEL_DAYS,
    TWINS,
    ColumnReading,
    CountedText,
    MissingText,
    Surroundings,
    TextKind,
    Words,
    find_sentinels,
    mean_missing,
    propose_missing,
)
from sekisho.data.files.plain_files.date_forms import (
    DIRECTIVE,
    EXCEL_SERIAL,
    LIKELY,
    WAREKI,
    WAREKI_MONTH,
    find_date_format,
    read_days,
    write_iso,
)
from sekisho.data.files.plain_files.number_forms import NumberParts, are_thousands, split_numbers, strip_marks
from sekisho.data.files.plain_files.numbers import (
    CODE,
    COMMA,
    MARKED,
    POINT,
    UNDECIDED,
    are_numbers,
    number_pattern,
    spell_out_exponents,
    write_points,
)
from sekisho.data.files.values import narrow

PROBED, PROBED_FORMS, MOST_FORMS = 1000, 100, 4
FEWEST_COMPACT, FEWEST_SHORT = 12, 3
"""So many distinct days make digits without marks, or with short years, dates where no name says so."""
FORMS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y年%m月%d日"),
    *("%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y", "%m/%d/%Y", "%m-%d-%Y", WAREKI),
    *("%d/%m/%y", "%d.%m.%y", "%d-%m-%y", "%m/%d/%y", "%m-%d-%y"),
    *("%d %B %Y", "%d. %B %Y", "%B %d, %Y", "%B %d %Y", "%d-%b-%Y", "%d %B %y", "%d-%b-%y", "%Y-%b-%d", "%d/%b/%Y"),
    "%d%b%Y",
    *("%Y年%m月", "%Y-%m", "%Y/%m", "%m/%Y", "%m.%Y", "%B %Y", "%b-%y", "%Y %B", WAREKI_MONTH, "%Y%m%d"),
)
ISO_FORMS = "%Y-%m-%d|%Y/%m/%d"
DATED = (
    r"[0-9元]\s*[-/.年月]\s*[0-9]|[0-9][.\s-]*\p{L}{3,}.*[0-9]|\p{L}{3,}.*[0-9]{1,2},?\s+[0-9]{4}|"
    r"\p{L}{3}[- ][0-9]{2,4}"
)
PLAIN_SERIAL = re.compile(r"(?m)^\s*[2-5][0-9]{4}(?:\.[0-9]+)?\s*$")
ERA = re.compile("[明大昭平令治正和成MTSHRmtshr㍾㍽㍼㍻㋿]")
FOUR_DIGITS, EIGHT_DIGITS, THREE_LETTERS = re.compile("[0-9]{4}"), re.compile("[0-9]{8}"), re.compile(r"[^\W\d_]{3}")


def understand_dates(words: Words, around: Surroundings) -> ColumnReading | None:
    """Return what a column of dates is; None if it is none."""
    if all(bool(read_days(part, around.date_format)[1].all()) for part in (words.text.head(PROBED), words.text)):
        forms = (CountedText(text=around.date_format or find_date_format(words.text), count=words.rows),)
        return _describe_dates(words, write_iso(words.text, around.date_format or ISO_FORMS), forms, plain=True)
    if not _look_like_dates(words.text, around):
        return None
    left, forms, iso, order_open = words, list[CountedText](), dict[str, str](), False
    while len(left.text) and len(forms) < MOST_FORMS:
        best = _choose_form(left, around)
        if best is None:
            break
        written, open_here = _settle_order(left, best, around)
        order_open |= open_here and not forms
        fits = written.text.is_not_null().to_numpy()
        forms.append(CountedText(text=written.form, count=left.take(fits).rows))
        iso |= dict(zip(left.text.filter(pl.Series(fits)), written.text.drop_nulls(), strict=True))
        left = left.take(~fits)
    if not forms or not around.bears(left, words) or not _are_likely(forms, words, left, around):
        return None
    known = words.text.replace_strict(iso, default=None, return_dtype=pl.String)
    reading = _describe_dates(words, known, tuple(forms), plain=False)
    return replace(reading, misfits=left.list_counted(), misfit_rows=left.rows, order_open=order_open)


def _look_like_dates(text: pl.Series, around: Surroundings) -> bool:
    """Tell whether most of some texts could be dates, and are not numbers of a column that does not speak of time."""
    first = text.head(PROBED)
    digits = first.str.contains(r"^\s*[0-9]{8}\s*$")
    if bool(first.str.contains(r"^[0-9.\s]*$").all()) and not bool(first.str.contains(r"\..*\.").any()):
        return around.speaks_of_time or bool(digits.all())
    return 2 * int((narrow(first).str.contains(DATED) | digits).sum()) > len(first)


def _choose_form(words: Words, around: Surroundings) -> str | None:
    """Return the form that reads the most of the first texts; None if none reads any."""
    places = np.unique(np.linspace(0, len(words.text) - 1, PROBED_FORMS).astype(np.int64))
    probe = narrow(words.text.gather(places))
    joined = "\n".join(probe.to_list())
    forms = [form for form in FORMS if _could_read(form, joined)]
    forms += [EXCEL_SERIAL] if around.speaks_of_time and PLAIN_SERIAL.search(joined) else []
    hits = {form: int(_write_likely(probe, form).is_not_null().sum()) for form in forms}
    best = max(forms, key=lambda form: hits[form], default="")
    return best if hits.get(best) else None


def _could_read(form: str, joined: str) -> bool:
    """Tell whether some texts hold the marks of a form at all; most forms need no further look."""
    if form in {WAREKI, WAREKI_MONTH}:
        return bool(ERA.search(joined))
    marks = set(DIRECTIVE.sub("", form)) - {" "}
    if not marks <= set(joined) or ("%Y" in form and not FOUR_DIGITS.search(joined)):
        return False
    if form == "%Y%m%d":
        return bool(EIGHT_DIGITS.search(joined))
    return not re.search("%[Bb]", form) or bool(THREE_LETTERS.search(joined))


def _write_likely(text: pl.Series, form: str) -> pl.Series:
    """Return dates in ISO, but not those of which nobody living speaks, unless they stand for missing ones."""
    iso = write_iso(text, form)
    day = iso.str.slice(0, 10)
    likely = day.is_between(pl.lit(LIKELY[0].isoformat()), pl.lit(LIKELY[1].isoformat()))
    return pl.select(pl.when(likely | day.is_in(pl.Series(SENTINEL_DAYS).implode())).then(iso)).to_series()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Written:
    """Texts as dates in ISO, null where they are none of the form."""

    form: str
    text: pl.Series


def _settle_order(words: Words, form: str, around: Surroundings) -> tuple[_Written, bool]:
    """Return the texts in ISO, by the form or its twin, and whether nothing says which."""
    written = _Written(form=form, text=_write_likely(words.text, form))
    twin = TWINS.get(form)
    if twin is None:
        return written, False
    other = _Written(form=twin, text=_write_likely(words.text, twin))
    alone = words.take((written.text.is_not_null() & other.text.is_null()).to_numpy()).rows
    beside = words.take((written.text.is_null() & other.text.is_not_null()).to_numpy()).rows
    if alone or beside:
        return (written if alone >= beside else other), False
    day_first, month_first = (written, other) if form.startswith("%d") else (other, written)
    if around.day_first is None:
        return day_first, True
    return (day_first if around.day_first else month_first), False


def _are_likely(forms: list[CountedText], words: Words, left: Words, around: Surroundings) -> bool:
    """Tell whether texts that could be numbers or codes as well are taken for dates."""
    form = forms[0].text
    if around.speaks_of_time:
        return True
    if form == "%Y%m%d":
        return not left.rows and len(words.text) >= FEWEST_COMPACT
    return form != "%m.%Y" and ("%y" not in form or len(words.text) >= FEWEST_SHORT)


def _describe_dates(words: Words, iso: pl.Series, forms: tuple[CountedText, ...], *, plain: bool) -> ColumnReading:
    timed = iso.str.contains(" [0-9:]*[1-9]").any()
    far = iso.str.slice(0, 10).is_in(pl.Series(SENTINEL_DAYS).implode()).fill_null(value=False).to_numpy()
    frequent = far & (words.count >= max(LEAST_ROWS, LEAST_SHARE * words.rows))
    return ColumnReading(
        kind=TextKind.DATE_TIME if timed else TextKind.DATE,
        forms=forms,
        missing=propose_missing(words.take(frequent)) if not frequent.all() else (),
        plain=plain,
    )


TELEPHONE = r"^\s*[0-9]{2,4}(?:[\s\u00a0][0-9]{2,4}){2,}\s*$"
FEWEST_CALLED = 10
"""So many numbers in groups, all of one length, are telephone numbers and no thousands."""
CALLED = r"^\s*\+[0-9]{8,}"
CODED = r"^[\x21-\x7e]*[0-9][\x21-\x7e]*$"
MOST_CODED = 0.9
SENTENCE = r"\S\s+\S+\s+\S|[。、！？]"
Writer: TypeAlias = Callable[[pl.Series], pl.Series]


def count_texts(texts: pl.Series) -> pl.DataFrame:
    """Return the distinct texts of a column as ``text``, in the order in which they come, and the ``count`` of each."""
    return texts.drop_nulls().alias("text").to_frame().group_by("text", maintain_order=True).agg(count=pl.len())


def understand(
    texts: pl.Series, around: Surroundings = NOTHING, *, counted: pl.DataFrame | None = None
) -> ColumnReading:
    """Return what a column of texts is.

    Args:
        texts: of all rows, null or empty where a cell is.
        around: what is known besides.
        counted: its distinct texts, where they were counted already.
    """
    counted = count_texts(texts) if counted is None else counted
    words = Words(text=counted["text"], count=counted["count"].to_numpy().astype(np.int64))
    empty = words.text.str.strip_chars().is_in(pl.Series(around.missing, dtype=pl.String).implode()).to_numpy()
    given = tuple(MissingText(text=each.text, count=each.count, sure=True) for each in words.take(empty).list_counted())
    words = words.take(~empty.astype(np.bool_))
    if not len(words.text):
        return ColumnReading(kind=TextKind.CATEGORY, missing=given)
    gaps = mean_missing(words.text)
    rest, absent = words.take(~gaps), words.take(gaps).list_counted()
    reading = (understand_dates(rest, around) or _understand_numbers(rest, around)) if len(rest.text) else None
    if reading is None:
        reading = _understand_texts(words)
    numeric = reading.kind.kind.numeric
    said = tuple(
        MissingText(text=each.text, count=each.count, sure=numeric)
        for each in absent
        if numeric or each.text.strip().lower() not in NONE_WORDS
    )
    return replace(
        reading,
        missing=(*given, *said, *reading.missing),
        rows=words.rows,
    )


def understand_columns(
    texts: Mapping[str, pl.Series],
    around: Surroundings = NOTHING,
    *,
    counted: Mapping[str, pl.DataFrame] | None = None,
) -> dict[str, ColumnReading]:
    """Return what the columns of a file are: where one leaves open whether days come first, the others decide.

    Args:
        texts: by column, of all rows.
        around: what is known besides.
        counted: by column its distinct texts, where they were counted already.
    """
    known = counted or {}
    readings = {
        name: understand(text, replace(around, header=name), counted=known.get(name)) for name, text in texts.items()
    }
    orders = {
        each.forms[0].text.startswith("%d")
        for each in readings.values()
        if each.forms and each.forms[0].text in TWINS and not each.order_open
    }
    if len(orders) == 1:
        settled = replace(around, day_first=orders.pop())
        readings |= {
            name: understand(texts[name], replace(settled, header=name))
            for name, each in readings.items()
            if each.order_open
        }
    return readings | _settle_marks(texts, readings, around)


def _settle_marks(
    texts: Mapping[str, pl.Series], readings: Mapping[str, ColumnReading], around: Surroundings
) -> dict[str, ColumnReading]:
    """Return columns that are understood otherwise with the decimal mark of the others.

    A comma that one column needs is the file's; where no column of its own decides, that of the others is taken.
    """
    writings = {name: each.numbers for name, each in readings.items() if each.numbers is not None}
    with_digits = {name for name in writings if readings[name].kind is TextKind.DECIMAL}
    decided = {writings[name].decimal for name in with_digits}
    grouped = any(each.thousands == COMMA for each in writings.values())
    file_mark = COMMA if COMMA in decided else POINT if decided or grouped else None
    if around.decimal is not None or file_mark is None:
        return {}
    again = [
        name
        for name, each in writings.items()
        if each.decimal == UNDECIDED or (each.decimal != file_mark and (name in with_digits or not each.thousands))
    ]
    return {name: understand(texts[name], replace(around, header=name, decimal=file_mark)) for name in again}


def translate_dates(text: pl.Series, form: str) -> pl.Series:
    """Return dates of a form in ISO, missing ones empty; what is none stays as it is."""
    return _translate(text, lambda words: write_iso(words, form))


def translate_numbers(text: pl.Series, mark: str) -> pl.Series:
    """Return numbers with nothing but a sign and a decimal mark, missing ones empty; what is none stays as it is."""

    def write(words: pl.Series) -> pl.Series:
        return write_points(strip_marks(words).fill_null(""), mark).str.replace(POINT, mark or POINT, literal=True)

    return _translate(text, write)


def _translate(text: pl.Series, write: Writer) -> pl.Series:
    words = text.drop_nulls().unique()
    written = write(words)
    gaps = pl.Series(mean_missing(words)) & written.is_null()
    written = written.zip_with(~gaps, pl.Series([""]))
    changed = written.is_not_null() & (written != words)
    if not bool(changed.any()):
        return text
    return text.replace(words.filter(changed), written.filter(changed))


def _understand_numbers(words: Words, around: Surroundings) -> ColumnReading | None:
    if 2 * int(narrow(words.text.head(PROBED)).str.contains("[0-9]").sum()) < min(PROBED, len(words.text)):
        return None
    if _are_codes(words.text):
        return None
    parts = split_numbers(words.text)
    fits = parts.bare.is_not_null().to_numpy()
    if not around.bears(words.take(~fits), words):
        return None
    mark = _choose_mark(words.take(fits), parts.take(fits), around)
    if mark is None:
        return None
    written = write_points(parts.bare.fill_null(""), mark)
    fits = written.is_not_null().to_numpy()
    writing = parts.take(fits).describe(mark)
    left = words.take(~fits)
    qualified = bool(narrow(left.text).str.contains("[0-9]").any())  # 85+ and <5 say what no number says
    if writing is None or qualified or not around.bears(left, words):
        undecided = mark == UNDECIDED and writing is not None
        return replace(_understand_texts(words), numbers=writing) if undecided else None
    values = written.drop_nulls().cast(pl.Float64, strict=False).to_numpy()
    return ColumnReading(
        kind=TextKind.DECIMAL if bool(written.str.contains(POINT, literal=True).any()) else TextKind.INTEGER,
        numbers=writing,
        missing=propose_missing(words.take(fits).take(find_sentinels(values, words.count[fits]))),
        misfits=left.list_counted(),
        misfit_rows=left.rows,
        plain=not left.rows and are_numbers(spell_out_exponents(words.text, mark), mark),
    )


def _are_codes(text: pl.Series) -> bool:
    """Tell whether digits are codes: one has a leading zero or very many digits, or all are telephone numbers."""
    if bool(text.str.contains(rf"{CODE}|{CALLED}").any()):
        return True
    alike = len(text) >= FEWEST_CALLED and text.str.len_chars().n_unique() == 1
    return alike and bool(text.str.contains(TELEPHONE).all())


def _are_readable(core: pl.Series, mark: str) -> NDArray[np.bool_]:
    return (core.str.contains(number_pattern(mark)) & core.str.contains("[0-9]")).to_numpy().astype(np.bool_)


def _choose_mark(words: Words, parts: NumberParts, around: Surroundings) -> str | None:
    """Return the decimal mark of numbers, undecided where nobody can tell; None where with none they are numbers."""
    if around.decimal is not None:
        return around.decimal
    allowed, core = around.most_misfits * words.rows, spell_out_exponents(parts.bare, POINT)
    gaps = {mark: words.take(~_are_readable(core, mark)).rows for mark in (POINT, COMMA)}
    marks = [mark for mark in gaps if gaps[mark] == min(gaps.values()) and gaps[mark] <= allowed]
    if len(marks) == 1 or not bool(core.str.contains(MARKED).any()):
        return marks[0] if marks else None
    if not marks:
        return None
    writing = parts.describe(POINT)
    unit = "" if writing is None else writing.prefix or writing.suffix
    for thousands, decimal in ((COMMA, POINT), (POINT, COMMA)):
        if are_thousands(core, thousands, unit):
            return decimal
    commas_alone = not bool(core.str.contains(POINT, literal=True).any())
    return POINT if around.separator == COMMA and commas_alone else UNDECIDED


def _understand_texts(words: Words) -> ColumnReading:
    text = words.text.head(PROBED)
    if int(text.str.contains(rf"{CODED}|{TELEPHONE}").sum()) >= MOST_CODED * len(text):
        return ColumnReading(kind=TextKind.CODE)
    sentences = 2 * int(text.str.contains(SENTENCE).sum()) > len(text)
    return ColumnReading(kind=TextKind.TEXT if sentences else TextKind.CATEGORY)
