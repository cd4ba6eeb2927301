"""How easily people were found in the original and are in its release, and which columns gave them away.

Both editions tell counts over the keys, and of the release how diverse its classes are in what must stay hidden: they
name nobody and show no value, and whoever has the release can count them of it again. What the classes of the original
tell about sensitive columns stays in the house.
"""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.gate.records.comparison import Compared
from sekisho.gate.records.keys_judge import KeyedCandidate, KeysJudge
from sekisho.gate.records.unprotected import find_prosecutor
from sekisho.report.figures.bars import Bar, Bars
from sekisho.report.kit.blocks import Block, Figure, Heading, Paragraph, TableBlock, Tone
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.words import Words, format_count, format_decimal, format_percent
from sekisho.safety.records.record_risk import RecordRisk
from sekisho.safety.records.uniques.key_uniques import KeyUniques
from sekisho.words import Said, join_words

HEADING = Said("How easily people are found: before and now")
BLAME = Said("people|Which columns give people away")
FOUND = Said("found by him, on average")
HOPED = Said("found by him, on average (of the release, as he hopes)")
UNKNOWN = "–"


def change_blocks(judge: KeysJudge, best: KeyedCandidate, *, edition: Edition) -> tuple[Block, ...]:
    """Return the risk of the original beside that of the release, in plain words first."""
    return (
        Heading(text=HEADING),
        Paragraph(text=join_words((_say_before(judge.unprotected.classes), _say_now(best.compared)), " ")),
        _table(judge, best, edition),
        *blame_blocks(judge.unprotected.uniques),
    )


def _say_before(classes: RecordRisk) -> Said:
    if not classes.uniques:
        return Said(
            "Before, nobody was alone on the keys: everybody shared them with at least {others:,} others.",
            others=classes.k - 1,
        )
    alone, people, share = classes.uniques, classes.rows, format_percent(classes.uniques / classes.rows)
    return Said(
        "Before, {alone:,} of {people:,} people ({share}) were alone in their class of equal keys: whoever knew their "
        "keys found them for certain.",
        alone=alone,
        people=people,
        share=share,
    )


def _say_now(now: Compared) -> Said:
    if not now.uniques:
        return Said(
            "Now nobody is: every record of the release shares its keys with at least {others:,} others.",
            others=now.k - 1,
        )
    return Said(
        "Now {uniques:,} of {rows:,} records of the release are alone. Alone is not yet found, where values were "
        "changed: what attackers find is told below.",
        uniques=now.uniques,
        rows=now.rows,
    )


def _table(judge: KeysJudge, best: KeyedCandidate, edition: Edition) -> TableBlock:
    before, now = judge.unprotected.classes, best.compared
    attack = find_prosecutor(now.attacks, judge.question.keys)
    hopes = attack is not None and attack.rate is None
    rows: list[tuple[Words, ...]] = [
        (Said("unit|records"), format_count(before.rows), format_count(now.rows)),
        (Said("smallest class of equal keys (k)"), str(before.k), format_count(now.k)),
        (
            Said("alone in their class"),
            _show_share(before.uniques, before.rows),
            _show_share(now.uniques, now.rows),
        ),
        (
            Said("people looked for by one who knows all keys"),
            format_count(before.rows),
            UNKNOWN if attack is None else format_count(attack.people),
        ),
        (
            HOPED if hopes else FOUND,
            _show_share(judge.unprotected.found, before.rows),
            UNKNOWN
            if attack is None or attack.share is None
            else _show_share(attack.share * attack.people, attack.people),
        ),
    ]
    if judge.question.sensitive:
        own = edition is Edition.CONFIDENTIAL
        diversity = (before.diversity if own else None, now.diversity)
        closeness = (before.closeness if own else None, now.classes.closeness)
        rows += [
            (
                Said("fewest sensitive values of a class (l)"),
                *(UNKNOWN if each is None else format_count(each) for each in diversity),
            ),
            (
                Said("farthest class from the whole file (t)"),
                *(UNKNOWN if each is None else format_decimal(each) for each in closeness),
            ),
        ]
    head = (Said("figure"), Said("original"), Said("release"))
    return TableBlock(head=head, rows=tuple(rows), numeric=(1, 2))


def _show_share(count: float, whole: int) -> str:
    shown = format_count(int(count)) if count == int(count) else format_decimal(count, 1)
    return f"{shown} ({format_percent(count / whole)})" if whole else shown


def blame_blocks(uniques: KeyUniques) -> tuple[Block, ...]:
    """Return which keys make people of the original unique: how many fewer would be without each."""
    if not uniques.unique or len(uniques.without) < 2:
        return ()
    fewer = sorted(((name, uniques.unique - left) for name, left in uniques.without.items()), key=lambda pair: -pair[1])
    worst, most = fewer[0]
    share = format_percent(uniques.unique / uniques.records)
    words = Said(
        "On all keys together {unique:,} of {records:,} people ({share}) of the original are unique. If {worst} were "
        "not known, or not published, it would be {most:,} fewer. One person may be unique by several columns, so the "
        "bars do not add up.",
        unique=uniques.unique,
        records=uniques.records,
        share=share,
        worst=worst,
        most=most,
    )
    if 2 * most < uniques.unique:
        more = Said("No single column is to blame: what is left is enough to tell people apart.")
        words = join_words((words, more), " ")
    figure = Bars(
        title=Said("Fewer unique people without each column"),
        desc=_say_fewer(fewer),
        axis=Said("fewer unique people, of {unique:,}", unique=uniques.unique),
        bars=tuple(
            Bar(
                name=name,
                value=float(count),
                note=Said("{count:,} fewer, {left:,} left", count=count, left=uniques.unique - count),
                tone=Tone.BAD if 2 * count >= uniques.unique else Tone.PLAIN,
            )
            for name, count in fewer
        ),
        high=float(uniques.unique),
    )
    return (Heading(text=BLAME), Paragraph(text=words), Figure(picture=figure))


def _say_fewer(fewer: Sequence[tuple[str, int]]) -> Said:
    parts = [Said("without {name} {count:,} fewer", name=name, count=count) for name, count in fewer]
    return join_words(parts, "; ", "、")
