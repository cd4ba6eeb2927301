"""The page about one release of a file of records: what is proven, the risk and the use before and after, attacks."""

from __future__ import annotations

from collections.abc import Iterator

from sekisho.data.frame.dataset import Dataset
from sekisho.gate.ending import Ending
from sekisho.gate.names import translate_name
from sekisho.gate.records.protection import ExaminedProtection
from sekisho.provenance import Provenance
from sekisho.report.figures.gallery import Axis, Counts, Histogram, Interval, IntervalPlot
from sekisho.report.kit.blocks import (
    Beside,
    Block,
    Bullets,
    Facts,
    Figure,
    Fold,
    Heading,
    Origin,
    Paragraph,
    TableBlock,
)
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.kit.words import Words, format_count, format_decimal, format_out_of, format_percent
from sekisho.report.pages.before_after import column_card, missing_facts
from sekisho.report.pages.risk.comparison import attack_table, explain_attacks, name_attack, name_measure
from sekisho.report.pages.risk.promises import promise_blocks, state_verdict
from sekisho.report.pages.risk.record_risk import DISTANCES, STEPS, describe_remark
from sekisho.report.pages.verdicts.ending import put_ending_first
from sekisho.report.pages.verdicts.review import review_blocks
from sekisho.safety.epsilon import StatesEpsilon
from sekisho.safety.records.record_risk import RecordRisk
from sekisho.words import Language, Said

PROTECTION_TITLE = Said("A release of records")
BEFORE, AFTER = Said("original"), Said("released")
CONFIDENTIAL = Said(
    "This page is for those who hold the original. It tells the seed, with which the order of the rows and what was "
    "drawn can be computed again: keep it inside."
)
LIMITS: tuple[Words, ...] = (
    Said("Only the keys that were named count: whoever knows further columns may find more people."),
    Said("What the attacks found is no bound: these were tried, others were not."),
    Said("NCP sees cells that became wider or were withheld, not values that were changed."),
    CONFIDENTIAL,
)


def render_protection_page(
    data: Dataset,
    protection: ExaminedProtection,
    origin: Provenance,
    *,
    ending: Ending | None = None,
    language: Language = Language.EN,
) -> str:
    """Return the page, both languages in one HTML file; no identifier and no row of the original is on it."""
    blocks = put_ending_first(ending, protection_blocks(data, protection, origin))
    return render_page(PROTECTION_TITLE, blocks, language=language, edition=Edition.CONFIDENTIAL)


def protection_blocks(data: Dataset, protection: ExaminedProtection, origin: Provenance) -> list[Block]:
    """Return the page."""
    before, after = protection.before, protection.after
    stated = after.release
    remarks = tuple(describe_remark(remark) for remark in before.classes.remarks)
    return [
        state_verdict(protection),
        *review_blocks(protection.review),
        Heading(text=Said("Risk before and after")),
        risk_table(before.classes, after.classes),
        *([Bullets(items=remarks)] if remarks else []),
        Facts(pairs=(*_list_facts(protection), *missing_facts(data, after.release))),
        *promise_blocks(protection.recounts, protection.fewest_candidates or 0, protection.review.derived),
        *([Paragraph(text=stated.epsilon.describe())] if isinstance(stated, StatesEpsilon) else []),
        Figure(picture=draw_both_sizes(before.classes, after.classes), caption=explain_sizes()),
        Heading(text=Said("What attackers find")),
        Paragraph(text=explain_attacks()),
        attack_table((before, after)),
        Figure(picture=draw_attacks(protection), caption=_explain_shares()),
        Heading(text=Said("Use before and after")),
        Beside(blocks=(_measure_table(protection), _fate_table(protection, len(data)))),
        Fold(
            summary=Said("Every column before and after"),
            blocks=(
                Beside(
                    blocks=tuple(
                        Figure(picture=column_card(data, after.release, column.name))
                        for column in data.schema.attributes
                    )
                ),
            ),
        ),
        Heading(text=Said("What this does not say")),
        Bullets(items=LIMITS),
        Heading(text=Said("What made this")),
        Origin(steps=(origin,)),
    ]


def _list_facts(protection: ExaminedProtection) -> tuple[tuple[Words, Words], ...]:
    left, rows = protection.after.rows, len(protection.after.release.deleted)
    pairs: list[tuple[Words, Words]] = [
        (Said("way|method"), translate_name(protection.after.name)),
        (Said("records released"), format_out_of(left, rows)),
        (Said("keys"), ", ".join(protection.question.keys)),
    ]
    if protection.question.sensitive:
        pairs.append((Said("column|sensitive"), ", ".join(protection.question.sensitive)))
    return tuple(pairs)


def risk_table(before: RecordRisk, after: RecordRisk) -> TableBlock:
    """Return the figures of both sides: classes, chances, and what is learned of sensitive columns."""
    limit = format_percent(after.reidentification.limit)
    sides = (before, after)
    rows: list[tuple[Words, ...]] = [
        (Said("smallest class (k)"), *(format_count(side.k) for side in sides)),
        (
            Said("records that stand alone"),
            *(format_out_of(side.uniques, side.rows) for side in sides),
        ),
        (Said("classes of equal keys"), *(format_count(side.classes) for side in sides)),
        (
            Said("prosecutor: records above {limit}", limit=limit),
            *(format_percent(side.reidentification.prosecutor.at_risk) for side in sides),
        ),
        (
            Said("prosecutor and journalist: highest chance"),
            *(format_percent(side.reidentification.prosecutor.highest) for side in sides),
        ),
        (
            Said("prosecutor, journalist, marketer: found on average"),
            *(format_percent(side.reidentification.marketer) for side in sides),
        ),
    ]
    rows += _list_sensitive_rows(before, after)
    caption = Said(
        "Counted on the keys as they are written, a withheld cell being a value of its own. No population is known: "
        "journalist and marketer see the file itself."
    )
    return TableBlock(head=(Said("figure"), BEFORE, AFTER), rows=tuple(rows), caption=caption, numeric=(1, 2))


def _list_sensitive_rows(before: RecordRisk, after: RecordRisk) -> Iterator[tuple[Words, ...]]:
    """Give what is learned of each sensitive column, before and after."""
    for was, now in zip(before.sensitive, after.sensitive, strict=True):
        distance, column, sides = DISTANCES[now.distance], now.column, (was, now)
        fewest = Said("{column}: fewest values of a class (l)", column=column)
        yield fewest, *(format_count(side.distinct) for side in sides)
        yield Said("{column}: entropy l", column=column), *(format_decimal(side.entropy, 2) for side in sides)
        farthest = Said("{column}: farthest class (t, {distance})", column=column, distance=distance)
        yield farthest, *(format_decimal(side.t) for side in sides)
        single = Said("{column}: records whose class has one value", column=column)
        yield single, format_out_of(was.disclosed, before.rows), format_out_of(now.disclosed, after.rows)


def draw_both_sizes(before: RecordRisk, after: RecordRisk) -> Histogram:
    """Return how many records stand in classes of which size, before and after."""
    edges = (*STEPS, None)
    names = [
        f"{low}" if high == low + 1 else f"{low}+" if high is None else f"{low}–{high - 1}"
        for low, high in zip(STEPS, edges[1:], strict=True)
    ]
    return Histogram(
        title=Said("Records by the size of their class"),
        desc=Said(
            "Alone in their class: {before:,} {before:record|records} before, {after:,} after.",
            before=before.uniques,
            after=after.uniques,
        ),
        x=Axis(
            label=Said("records with the same keys"),
            low=0.0,
            high=float(len(STEPS)),
            ticks=tuple((place + 0.5, name) for place, name in enumerate(names)),
        ),
        y=Axis(label=Said("records"), low=0.0),
        edges=tuple(map(float, range(len(STEPS) + 1))),
        counts=(
            Counts(name=BEFORE, values=_count_steps(before)),
            Counts(name=AFTER, values=_count_steps(after)),
        ),
    )


def _count_steps(risk: RecordRisk) -> tuple[float, ...]:
    sizes = risk.count_sizes()
    edges = (*STEPS, None)
    return tuple(
        float(sum(count for size, count in sizes if low <= size and (high is None or size < high)))
        for low, high in zip(STEPS, edges[1:], strict=True)
    )


def explain_sizes() -> Said:
    """Return what the sizes of classes mean."""
    return Said("How many records share their keys with how many others: to the left is the danger.")


def draw_attacks(protection: ExaminedProtection) -> IntervalPlot:
    """Return the share of the people looked for whom each attack finds in the release."""
    rows: list[Interval] = []
    for was, now in zip(protection.before.attacks, protection.after.attacks, strict=True):
        rate = now.find_rate()
        if rate is None:
            continue
        share = now.share or 0.0
        rows.append(
            Interval(
                name=name_attack(now, protection.after),
                low=min(rate.low, share),
                middle=share,
                high=max(rate.high, share),
                note=Said(
                    "{share}, {before} before", share=format_percent(share), before=format_percent(was.share or 0.0)
                ),
                baseline=now.by_chance / max(1, now.people),
            )
        )
    return IntervalPlot(
        title=Said("People found in the release"),
        desc=Said(
            "The strongest attack finds {share} of the people.", share=format_percent(protection.strongest.share or 0.0)
        ),
        rows=tuple(rows),
        axis=Axis(label=Said("share of the people looked for"), low=0.0),
    )


def _explain_shares() -> Said:
    return Said(
        "Where rows that fit alike can be counted the share is exact, the mean of 1/c over the people looked for; the "
        "line is the 95% interval of one draw. The tick is blind guessing."
    )


def _measure_table(protection: ExaminedProtection) -> TableBlock:
    before, after = protection.before.scores, protection.after.scores
    rows = tuple(
        (name_measure(name), format_decimal(before[name].value, 4), format_decimal(after[name].value, 4))
        for name in after
    )
    caption = Said("What was lost: 0 is nothing")
    return TableBlock(head=(Said("scale|measure"), BEFORE, AFTER), rows=rows, caption=caption, numeric=(1, 2))


def _fate_table(protection: ExaminedProtection, records: int) -> TableBlock:
    rows = tuple(
        (each.column, *(format_percent(count / records) for count in (each.exact, each.changed, each.wider, each.gone)))
        for each in protection.fates
    )
    head = (
        Said("column"),
        Said("kept"),
        Said("changed"),
        Said("wider"),
        Said("withheld"),
    )
    return TableBlock(head=head, rows=rows, caption=Said("What became of the cells"), numeric=(1, 2, 3, 4))
