"""Which columns of texts are dates, and in which forms.

Whether a day or a month stands first is decided by the whole column: one day above 12 is enough; where none is, the
file's other columns decide, else days come first, and that is told. Forms that stand beside each other in one column
are all read. Digits that could be a day (``20240103``, ``45294``) are one where the name of the column speaks of time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from sekisho.data.files.plain_files.column_reading import (
    TWINS,
    ColumnReading,
    CountedText,
    Surroundings,
    TextKind,
    Words,
    propose_missing,
)
from sekisho.data.files.plain_files.date_forms import (
    DIRECTIVE,
    EXCEL_SERIAL,
    LIKELY,
    WAREKI,
    WAREKI_MONTH,
    write_iso,
)
from sekisho.data.files.plain_files.dates import find_date_format, read_days
from sekisho.data.files.plain_files.missing_texts import LEAST_ROWS, LEAST_SHARE, SENTINEL_DAYS
from sekisho.data.files.values.widths import narrow

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
    if bool(read_days(words.text, around.date_format)[1].all()):
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
