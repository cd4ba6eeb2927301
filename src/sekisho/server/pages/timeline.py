"""What was handed in when: a point for each file, in lines by team or by what it is, drawn without scripts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sekisho.contest.moment import find_zone, parse_moment
from sekisho.contest.state import Status
from sekisho.report.figures.gallery import Axis, Mark, Scatter
from sekisho.report.kit.blocks import Tone
from sekisho.report.kit.words import Words
from sekisho.server.pages.evidence import Drawing
from sekisho.server.routes.models import EntryAnswer
from sekisho.words import Language, Said, translate

TONES = {Status.VALID: Tone.GOOD, Status.INVALID: Tone.BAD, Status.FAULTED: Tone.WARN, Status.PENDING: Tone.PLAIN}
MOST_TICKS = 4
STEPS = (60, 300, 900, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400, 2 * 86400, 7 * 86400, 30 * 86400, 365 * 86400)
DAY = 86400
RELEASE = Said("release")


def draw_timeline(entries: Sequence[EntryAnswer], zone: str, language: Language, *, by_team: bool) -> Drawing | None:
    """Return the files as points over time: for the referee a line for each team, for a team one for each kind.

    Args:
        entries: the files.
        zone: of the contest; its days and hours are shown.
        language: of the page.
        by_team: whether lines are teams.
    """
    if not entries:
        return None
    lines = _name_lines(entries, by_team=by_team)
    moments = [parse_moment(each.at).timestamp() for each in entries]
    margin = 1 + (max(moments) - min(moments)) / 20
    places = [lines.index(_name_line(each, by_team=by_team)) for each in entries]
    picture = Scatter(
        title=Said("When files were handed in"),
        desc=Said("{entries} files in {lines} lines.", entries=len(entries), lines=len(lines)),
        x=Axis(
            label=Said("received, in the contest's zone"),
            ticks=list_ticks(min(moments), max(moments), zone),
            low=min(moments) - margin,
            high=max(moments) + margin,
        ),
        y=Axis(
            label="",
            low=-0.5,
            high=len(lines) - 0.5,
            ticks=tuple((float(place), _show_line(name, by_team=by_team)) for place, name in enumerate(lines)),
        ),
        points=tuple(
            Mark(name="", x=moment, y=float(place), tone=TONES[Status(each.status)])
            for each, moment, place in zip(entries, moments, places, strict=True)
        ),
    )
    caption = Said("Each point is a file: green valid, red invalid, grey not scored yet.")
    return Drawing(
        title=translate(picture.title, language), svg=picture.draw(language), caption=translate(caption, language)
    )


def _name_lines(entries: Sequence[EntryAnswer], *, by_team: bool) -> list[str]:
    """Return the names of the lines from below: the first name stands on top, releases above attacks."""
    return sorted({_name_line(each, by_team=by_team) for each in entries}, reverse=True)


def _name_line(entry: EntryAnswer, *, by_team: bool) -> str:
    return entry.team if by_team else entry.target


def _show_line(name: str, *, by_team: bool) -> Words:
    return name if by_team or name else RELEASE


def list_ticks(first: float, last: float, zone: str) -> tuple[tuple[float, Words], ...]:
    """Return round moments between two, with words: days, or hours where all lies within two days."""
    step = next((each for each in STEPS if (last - first) / each <= MOST_TICKS), STEPS[-1])
    place = find_zone(zone)
    begun = datetime.fromtimestamp(first, place)
    midnight = begun.replace(hour=0, minute=0, second=0, microsecond=0)
    if step < DAY:
        passed = int((begun - midnight).total_seconds()) // step
        start, form = midnight + timedelta(seconds=passed * step), "%m-%d %H:%M"
    else:
        start, form = midnight, "%Y-%m-%d"
    count = int((last - start.timestamp()) // step) + 1
    moments = [start + timedelta(seconds=step * each) for each in range(count)]
    inside = [each for each in moments if first <= each.timestamp() <= last]
    shown = inside or [begun]
    return tuple((each.timestamp(), each.strftime(form if inside else "%m-%d %H:%M")) for each in shown)
