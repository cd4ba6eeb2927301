"""Moments as text: UTC to the microsecond, always as many characters, so that their order is that of time.

Windows are planned in the contest's own zone, by whole days; only here are zones and UTC turned into one another.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sekisho.errors import ParameterError
from sekisho.words import Said

FORM = "%Y-%m-%dT%H:%M:%S.%fZ"
PATTERN = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
FIRST_YEAR = 1000  # years of four digits, so that text keeps the order


def write_moment(moment: datetime) -> str:
    """Return a moment as text; one without a zone is refused."""
    if moment.tzinfo is None:
        raise ParameterError("moment", Said("say its zone, such as +09:00 or Z"), moment.isoformat())
    try:
        return moment.astimezone(UTC).strftime(FORM)
    except OverflowError as error:
        raise ParameterError("moment", Said("lie in the years that a calendar has"), moment.isoformat()) from error


def parse_moment(text: str) -> datetime:
    """Return the moment that a text of this form says."""
    if PATTERN.fullmatch(text) is None or int(text[:4]) < FIRST_YEAR:
        raise ParameterError("moment", Said("be UTC of the form 2018-09-06T00:00:00.000000Z"), text)
    try:
        return datetime.strptime(text, FORM).replace(tzinfo=UTC)
    except ValueError as error:
        raise ParameterError("moment", Said("be a day and time that exist"), text) from error


def read_moment(text: str, zone: str) -> str:
    """Return a moment that people wrote, such as ``2018-09-06``, ``2018-09-06 12:00`` or ``2018-09-06T12:00+09:00``.

    One that says no zone is meant in the contest's.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ParameterError(
            "moment", Said("be a day or a time such as 2018-09-06 or 2018-09-06T12:00"), text
        ) from error
    if moment.year < FIRST_YEAR:
        raise ParameterError("moment", Said("lie after the year {first_year}", first_year=FIRST_YEAR), text)
    return write_moment(moment if moment.tzinfo is not None else moment.replace(tzinfo=find_zone(zone)))


def find_zone(name: str) -> ZoneInfo:
    """Return a zone by its name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ParameterError("zone", Said("be a zone that this machine knows, such as Asia/Tokyo"), name) from error


def begin_day(first: date, days: int, zone: str) -> str:
    """Return the first moment of the day that lies so many days after the first one, in a zone."""
    try:
        day = first + timedelta(days=days)
    except OverflowError as error:
        raise ParameterError("start", Said("leave room for every phase in the calendar"), first.isoformat()) from error
    return write_moment(datetime.combine(day, time(), tzinfo=find_zone(zone)))


def add_seconds(moment: str, seconds: float) -> str:
    """Return the moment that lies so many seconds later."""
    return write_moment(parse_moment(moment) + timedelta(seconds=seconds))


def show_moment(text: str, zone: str) -> str:
    """Return a moment as people in a zone read it."""
    return parse_moment(text).astimezone(find_zone(zone)).strftime("%Y-%m-%d %H:%M:%S %Z")
