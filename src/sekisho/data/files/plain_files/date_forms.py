"""Dates in the forms that people write, one form a column or several: each is turned into its ISO text.

A form is a format of ``strftime`` that tells year, month and day in any order (``%d/%m/%Y``, ``%Y年%m月%d日``,
``%d. %B %Y``), year and month alone (``%Y-%m``, read as the first day), ``wareki`` (令和6年1月3日, R6.1.3, H31/4/30;
``wareki-month`` without days), or ``excel-serial`` (days since 1899-12-30). Several stand beside each other with a bar
between them: what the first does not read the next may. A time of day with its zone may follow every date, in whatever
way it is written, and a day of the week may stand beside it. Digits and marks may be wide; months have names in
English, German, French and Spanish. Two digits of a year mean 1969 to 2068.

Dates as their owner writes them: ISO (``2011-03-09``, ``2011/3/9``, perhaps with a time), or in a given format.

Formats are those of ``strftime`` (``%d.%m.%Y``). A time of day is dropped: here a date is a day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.values import find_distinct_texts, narrow
from sekisho.errors import ParameterError
from sekisho.words import Said

ISO, SLASHED, SHORT = "%Y-%m-%d", "%Y/%m/%d", "%Y/%-m/%-d"
PLAIN = frozenset({"", ISO, SLASHED, SHORT})
"""Formats read in one way: year, month and day, with dashes or slashes, with or without leading zeros."""
CLOCK = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?\s?(?:Z|UTC|[+-][0-9]{2}:?[0-9]{2}(?::[0-9]{2})?)?"
DAY = rf"^\s*([0-9]{{4}})[-/]([0-9]{{1,2}})[-/]([0-9]{{1,2}})(?:[T ]{CLOCK})?\s*$"
TIMED = rf"[T ]{CLOCK}\s*$"
SLASHED_DAY, SHORT_DAY = r"^\s*[0-9]{4}/", r"/[0-9](?:/|\s|T|$)"
TIME = re.compile(r"[\sT,]*%-?[HIkMSTRXrsfp3.].*$")
MARKS = frozenset("[];{}*")
FIRST, LAST = date(1, 1, 1), date(9999, 12, 31)
PROBES = (date(2010, 1, 2), date(2011, 12, 31), date(1987, 6, 15))


def day_format(form: str) -> str:
    """Return the part of a format that writes the day."""
    return TIME.sub("", form)


def check_date_format(form: str, name: str = "date_format") -> None:
    """Refuse a format without year, month or day, or with marks of generalised cells.

    Raises:
        ParameterError: it is such a format.
    """
    if form in PLAIN:
        return
    if MARKS & set(form):
        raise ParameterError(name, Said("hold none of the marks of generalised cells, [ ] ; {{ }} *"), form)
    try:
        probes = pl.Series(PROBES)
        reread = probes.dt.strftime(day_format(form)).str.to_date(day_format(form), strict=False)
        fits = reread.to_list() == list(PROBES)
    except pl.exceptions.PolarsError:
        fits = False
    if not fits:
        raise ParameterError(
            name,
            Said("tell year, month and day first, a time at most after them"),
            form,
            hint=Said('such as "%d.%m.%Y"'),
        )


def read_days(text: pl.Series, form: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the day number since 1970-01-01 of each text (0 where it is none), and which are dates."""
    distinct, cell = find_distinct_texts(text), pl.col("cell")
    if form in PLAIN:
        part = cell.str.extract_groups(DAY)
        joined = pl.concat_str([part.struct.field(str(place)) for place in (1, 2, 3)], separator="-")
        day = joined.str.to_date(ISO, strict=False)
    else:
        bare = cell.str.strip_chars()
        day = pl.coalesce(
            bare.str.to_date(day_format(form), strict=False),
            bare.str.replace(TIMED, "").str.to_date(day_format(form), strict=False),
        )
        if day_format(form) != form:
            timed = cell.str.strip_chars().str.to_datetime(form, strict=False, time_unit="us").dt.date()
            day = pl.coalesce(timed, day)
    within = pl.when(day.is_between(pl.lit(FIRST), pl.lit(LAST))).then(day)
    days = distinct.text.to_frame("cell").select(within.to_physical().cast(pl.Int64)).to_series()
    return days.fill_null(0).to_numpy()[distinct.place], days.is_not_null().to_numpy()[distinct.place]


def count_times(text: pl.Series, form: str) -> int:
    """Return how many of some dates have a time beside them."""
    if form in PLAIN:
        return int(text.str.contains(TIMED).sum())
    return int(text.str.strip_chars().str.to_date(day_format(form), strict=False).is_null().sum())


def write_days(days: NDArray[np.int64], form: str) -> pl.Series:
    """Return day numbers as text."""
    return pl.Series(days).cast(pl.Int32).cast(pl.Date).dt.strftime(day_format(form) or ISO)


def find_date_format(text: pl.Series) -> str:
    """Return how plain dates are written: with dashes, or with slashes and with or without leading zeros."""
    if not bool(text.str.contains(SLASHED_DAY).all()):
        return ISO
    short = text.str.contains(SHORT_DAY).any()
    return SHORT if short else SLASHED


WAREKI, WAREKI_MONTH, EXCEL_SERIAL = "wareki", "wareki-month", "excel-serial"
BAR = "|"
ERAS = {
    **dict.fromkeys(("明治", "明", "M", "m", "㍾"), 1867),
    **dict.fromkeys(("大正", "大", "T", "t", "㍽"), 1911),
    **dict.fromkeys(("昭和", "昭", "S", "s", "㍼"), 1925),
    **dict.fromkeys(("平成", "平", "H", "h", "㍻"), 1988),
    **dict.fromkeys(("令和", "令", "R", "r", "㋿"), 2018),
}
LONGEST_ERA = {1867: 45, 1911: 15, 1925: 64, 1988: 40, 2018: 99}
"""So many years an era has, or was thought to have: 平成 went on in plans after it had ended."""
MONTH_NAMES = (
    ("january", "jan", "januar", "jänner", "janvier", "janv", "enero", "ene"),
    ("february", "feb", "februar", "février", "févr", "fév", "fevrier", "fevr", "febrero"),
    ("march", "mar", "märz", "mär", "mrz", "maerz", "mars", "marzo"),
    ("april", "apr", "avril", "avr", "abril", "abr"),
    ("may", "mai", "mayo"),
    ("june", "jun", "juni", "juin", "junio"),
    ("july", "jul", "juli", "juillet", "juil", "julio"),
    ("august", "aug", "août", "aout", "agosto", "ago"),
    ("september", "sep", "sept", "septembre", "septiembre", "setiembre"),
    ("october", "oct", "oktober", "okt", "octobre", "octubre"),
    ("november", "nov", "novembre", "noviembre"),
    ("december", "dec", "dezember", "dez", "décembre", "déc", "decembre", "diciembre", "dic"),
)
MONTHS = {name: month for month, names in enumerate(MONTH_NAMES, 1) for name in names}
WEEKDAYS = (
    r"(?i:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?i:day)?|(?i:montag|dienstag|mittwoch|donnerstag|freitag|"
    r"samstag|sonnabend|sonntag|mo|di|mi|do|fr|sa|so)|(?i:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|"
    r"martes|miércoles|jueves|viernes|sábado|domingo)|[月火水木金土日](?:曜日?)?"
)
LEAD = rf"^\s*(?:(?:{WEEKDAYS})[.,]?\s+)?"
BESIDE = rf"(?:\s*\((?:{WEEKDAYS})\.?\))?"
HALF = r"(?i:a\.?m\.?|p\.?m\.?)|午前|午後"
TAIL = (
    rf"{BESIDE}(?:(?:[T,]|\s)\s*(?<before>{HALF})?\s*(?<hour>[0-9]{{1,2}})(?::|時)(?<minute>[0-9]{{2}})"
    r"(?:(?::|分)(?:(?<second>[0-9]{2})(?:[.,](?<part>[0-9]+))?秒?)?)?"
    rf"\s?(?<after>{HALF})?\s?(?<zone>Z|UTC|GMT|JST|[+-][0-9]{{2}}:?[0-9]{{2}})?)?\s*$"
)
ERA_FORM = rf"(?<era>{BAR.join(ERAS)})\.?\s*(?<year>[0-9]{{1,2}}|元)\s*[年./-]\s*(?<month>[0-9]{{1,2}})"
PARTS = {
    "Y": "(?<year>[0-9]{4})",
    "y": "(?<short>[0-9]{2})",
    "m": "(?<month>[0-9]{1,2})",
    "d": "(?<day>[0-9]{1,2})",
    "e": "(?<day>[0-9]{1,2})",
    "B": r"(?<name>\p{L}+)\.?",
    "b": r"(?<name>\p{L}+)\.?",
}
TOLD = {"Y": "year", "y": "year", "m": "month", "B": "month", "b": "month", "d": "day", "e": "day"}
DIRECTIVE = re.compile(r"%-?(.)")
EARLIEST_SERIAL, LATEST_SERIAL, EPOCH = 20_000, 60_000, 25_569
"""Days from 1954 to 2064 as workbooks count them, and the day on which 1970 began."""
SERIAL = r"^\s*([0-9]{5})(?:\.([0-9]+))?\s*$"
PIVOT = 69


@dataclass(frozen=True, slots=True)
class _Extraction:
    """Year, month, day and time of each text, as expressions over the column ``cell``."""

    day: pl.Expr
    clock: pl.Expr


def split_forms(form: str) -> tuple[str, ...]:
    """Return the forms that stand beside each other."""
    return tuple(part for part in form.split(BAR) if part)


def check_forms(form: str, name: str = "format") -> None:
    """Refuse what is no form of dates.

    Raises:
        ParameterError: it is none.
    """
    for part in split_forms(form):
        if part in {WAREKI, WAREKI_MONTH, EXCEL_SERIAL} or _is_own(part):
            continue
        if "%" not in part:
            rule = Said("be a format such as %d/%m/%Y, or wareki, wareki-month or excel-serial")
            raise ParameterError(name, rule, part)
        check_date_format(part, name)


def is_month_form(form: str) -> bool:
    """Tell whether a form tells months and no days."""
    return form == WAREKI_MONTH or (form not in {WAREKI, EXCEL_SERIAL} and not re.search("%-?[de]", form))


def has_short_years(form: str) -> bool:
    """Tell whether a form tells two digits of a year."""
    return "%y" in form


def write_iso(text: pl.Series, form: str) -> pl.Series:
    """Return dates in ISO, with their times; null for what is no date of the form.

    Args:
        text: distinct texts without nulls.
        form: of them, or several with bars between them.
    """
    cells = narrow(text).to_frame("cell")
    parts = [cells.select(_write_form(part)).to_series() for part in split_forms(form)]
    return pl.select(pl.coalesce(parts)).to_series().alias(text.name)


def _write_form(form: str) -> pl.Expr:
    if form == EXCEL_SERIAL:
        return _write_serials()
    known = form in {WAREKI, WAREKI_MONTH} or _is_own(form)
    extraction = _extract(form) if known else _extract_otherwise(form)
    day = extraction.day
    sound = day.is_between(pl.lit(FIRST), pl.lit(LAST))
    return pl.when(sound).then(pl.concat_str(day.dt.strftime(ISO), extraction.clock))


def _is_own(form: str) -> bool:
    """Tell whether a format has year and month, perhaps a day, each once, and nothing else but a time after them."""
    parts = DIRECTIVE.findall(day_format(form))
    kinds = [TOLD.get(part, "") for part in parts]
    return all(kinds) and len(set(kinds)) == len(kinds) and {"year", "month"} <= set(kinds)


def _compile(form: str) -> str:
    """Return the regular expression of a format's days; digits without marks between them have their full width."""
    day, places = day_format(form), list(DIRECTIVE.finditer(day_format(form)))
    pattern, end = "", 0
    for number, place in enumerate(places):
        part = PARTS[place[1]]
        before = number > 0 and places[number - 1].end() == place.start()
        after = number + 1 < len(places) and places[number + 1].start() == place.end()
        pattern += _escape(day[end : place.start()]) + (part.replace("{1,2}", "{2}") if before or after else part)
        end = place.end()
        if place[1] in "de" and re.search("%-?[Bb]", day):
            pattern += r"(?:st|nd|rd|th|er|º|°)?"
    return pattern + _escape(day[end:])


def _escape(literal: str) -> str:
    return re.sub(r"(?:\\?\s)+", lambda _: r"\s+(?:de\s+)?", re.escape(literal))


def _extract(form: str) -> _Extraction:
    if form == WAREKI:
        pattern = rf"{ERA_FORM}\s*[月./-]\s*(?<day>[0-9]{{1,2}})\s*日?"
    elif form == WAREKI_MONTH:
        pattern = rf"{ERA_FORM}\s*月?(?:分|度)?"
    else:
        pattern = _compile(form)
    names = set(re.findall(r"\?<(\w+)>", pattern))
    parts = pl.col("cell").str.extract_groups(LEAD + pattern + TAIL)
    year = _read_year(parts, names)
    month = parts.struct.field("month") if "month" in names else _name_months(parts.struct.field("name"))
    day = parts.struct.field("day") if "day" in names else pl.lit("1")
    joined = pl.concat_str([year.cast(pl.String).str.zfill(4), month.cast(pl.String), day], separator="-")
    return _Extraction(joined.str.to_date(ISO, strict=False), _write_clock(parts))


def _read_year(parts: pl.Expr, names: set[str]) -> pl.Expr:
    if "era" in names:
        start = parts.struct.field("era").replace_strict(ERAS, default=None, return_dtype=pl.Int64)
        count = parts.struct.field("year").replace("元", "1").cast(pl.Int64, strict=False)
        longest = start.replace_strict(LONGEST_ERA, default=None, return_dtype=pl.Int64)
        return pl.when(count.is_between(1, longest)).then(start + count)
    if "short" in names:
        short = parts.struct.field("short").cast(pl.Int64, strict=False)
        return pl.when(short >= PIVOT).then(short + 1900).otherwise(short + 2000)
    return parts.struct.field("year").cast(pl.Int64, strict=False)


def _name_months(name: pl.Expr) -> pl.Expr:
    return name.str.to_lowercase().replace_strict(MONTHS, default=None, return_dtype=pl.Int64)


def _write_clock(parts: pl.Expr) -> pl.Expr:
    """Return a time as ISO writes it, with a blank before it; nothing where there is none, null where it is none."""
    field = parts.struct.field
    half = pl.coalesce(field("before"), field("after")).str.to_lowercase()
    late, early = half.str.contains("^p|午後"), half.str.contains("^a|午前")
    hour = field("hour").cast(pl.Int64, strict=False)
    turned = pl.when(late & (hour < 12)).then(hour + 12).when(early & (hour == 12)).then(0).otherwise(hour)
    minute, second = field("minute"), field("second").fill_null("00")
    part = pl.when(field("part").is_null()).then(pl.lit("")).otherwise(pl.concat_str(pl.lit("."), field("part")))
    zone = field("zone").replace({"GMT": "UTC", "JST": "+09:00"}).fill_null("")
    sound = (turned < 24) & (minute.cast(pl.Int64, strict=False) < 60) & (second.cast(pl.Int64, strict=False) <= 60)
    clock = pl.concat_str(
        pl.lit(" "), turned.cast(pl.String).str.zfill(2), pl.lit(":"), minute, pl.lit(":"), second, part, zone
    )
    return pl.when(hour.is_null()).then(pl.lit("")).when(sound).then(clock)


def _extract_otherwise(form: str) -> _Extraction:
    """Return days of a format that only the library behind knows, such as ``%Y %j``."""
    bare = pl.col("cell").str.strip_chars()
    timed = rf"([T ]{CLOCK})\s*$"
    day = pl.coalesce(
        bare.str.to_date(day_format(form), strict=False),
        bare.str.replace(timed, "").str.to_date(day_format(form), strict=False),
    )
    return _Extraction(day, pl.lit(""))


def _write_serials() -> pl.Expr:
    parts = pl.col("cell").str.extract_groups(SERIAL)
    serial = parts.struct.field("1").cast(pl.Int64, strict=False)
    part = pl.concat_str(pl.lit("0."), parts.struct.field("2").fill_null("0")).cast(pl.Float64, strict=False)
    seconds = (part * 86_400).round().cast(pl.Int64)
    moment = pl.from_epoch((serial - EPOCH) * 86_400 + seconds, time_unit="s")
    clock = pl.when(seconds > 0).then(moment.dt.strftime(" %H:%M:%S")).otherwise(pl.lit(""))
    fits = serial.is_between(EARLIEST_SERIAL, LATEST_SERIAL)
    return pl.when(fits).then(pl.concat_str(moment.dt.strftime(ISO), clock))


LIKELY = (date(1850, 1, 1), date(2150, 1, 1))
"""Between these lie dates of people and their doings; others may be codes that look like dates."""
