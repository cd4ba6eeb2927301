"""Attacks on a history as counts, beside chance, with intervals, and against both bounds."""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.gate.history.stage import HistoryAttempt
from sekisho.gate.names import translate_name
from sekisho.report.figures.axes import Axis
from sekisho.report.figures.bars import Interval, IntervalPlot
from sekisho.report.figures.lines import LineChart, Mark, Series
from sekisho.report.kit.blocks import Beside, Block, Figure, Heading, Paragraph, TableBlock, Tone
from sekisho.report.kit.words import Words, format_count, format_out_of, format_percent
from sekisho.safety.hit_rate import HitRate
from sekisho.safety.rejection import Bound
from sekisho.safety.terms import HistoryTerms
from sekisho.words import Said, join_words

CURVE_POINTS = 100


def attack_blocks(attacks: Sequence[HistoryAttempt], rules: HistoryTerms, people: int) -> tuple[Block, ...]:
    """Return the part of the report that tells of the attacks."""
    if not attacks:
        return ()
    words = Said(
        "Each attack is a program that knows the whole original and looks for its customers in what is published. A "
        "release is refuted as soon as one attack is right so often that a safe release would allow it once in "
        "{times} times at most.",
        times=1 / rules.verdict.alpha,
    )
    shown = [attack for attack in attacks if attack.claimed]
    return (
        Heading(text=Said("What attackers found")),
        Paragraph(text=words),
        _table(attacks, people),
        *((_pictures(shown, rules, people),) if shown else ()),
    )


def _pictures(attacks: Sequence[HistoryAttempt], rules: HistoryTerms, people: int) -> Beside:
    return Beside(
        blocks=(
            Figure(
                picture=_curves(attacks, rules, people),
                caption=Said("Points on or above a line refute the release under that bound."),
            ),
            Figure(
                picture=_rates(attacks, people),
                caption=Said(
                    "Share of right guesses with its exact 95% interval; the upright tick is what blind guessing "
                    "expects."
                ),
            ),
        )
    )


def _tone(attack: HistoryAttempt) -> Tone:
    if attack.effective(Bound.UNION):
        return Tone.BAD
    return Tone.WARN if attack.effective(Bound.EXACT) else Tone.GOOD


def _table(attacks: Sequence[HistoryAttempt], people: int) -> TableBlock:
    head = (
        Said("attack"),
        Said("customers named"),
        Said("rightly"),
        Said("by chance"),
        Said("95% interval"),
        "r(n)",
        "r*(n)",
        Said("the release is"),
    )
    caption = Said(
        "r(n) and r*(n): from how many hits the release is refuted, by the union bound and by the exact one."
    )
    rows = tuple(_row(attack, people) for attack in attacks)
    return TableBlock(head=head, rows=rows, caption=caption, numeric=(1, 2, 3, 4, 5, 6))


def _row(attack: HistoryAttempt, people: int) -> tuple[Words, ...]:
    rate = HitRate(hits=attack.hits, trials=attack.claimed)
    limits = [attack.threshold[bound] for bound in Bound]
    verdict = {
        Tone.BAD: Said("refuted"),
        Tone.WARN: Said("refuted (exact)"),
        Tone.GOOD: Said("stands"),
    }[_tone(attack)]
    verdict = verdict if attack.claimed else Said("not attacked")
    return (
        translate_name(attack.adversary),
        format_out_of(attack.claimed, people),
        format_count(attack.hits),
        f"{attack.baseline:.1f}",
        f"{format_percent(rate.low)} – {format_percent(rate.high)}" if attack.claimed else "–",
        *(format_count(limit) if limit <= attack.claimed else "–" for limit in limits),
        verdict,
    )


def _curves(attacks: Sequence[HistoryAttempt], rules: HistoryTerms, people: int) -> LineChart:
    most = max(people, *(attack.claimed for attack in attacks), 10)
    guesses = sorted({*range(min(20, most) + 1), *(most * step // CURVE_POINTS for step in range(CURVE_POINTS + 1))})
    names = {
        Bound.UNION: Said("too many: union bound r(n)"),
        Bound.EXACT: Said("too many: exact bound r*(n)"),
    }
    series = [
        Series(
            name=names[bound], x=tuple(map(float, guesses)), y=tuple(float(rules.threshold(n, bound)) for n in guesses)
        )
        for bound in Bound
    ]
    marks = [
        Mark(name=_describe_hits(attack), x=attack.claimed, y=attack.hits, tone=_tone(attack)) for attack in attacks
    ]
    return LineChart(
        title=Said("Hits that refute the release"),
        desc=_describe_attacks(attacks),
        x=Axis(label=Said("customers named, n"), low=0.0, high=float(most)),
        y=Axis(label=Said("named rightly"), low=0.0),
        series=tuple(series),
        marks=tuple(marks),
    )


def _describe_hits(attack: HistoryAttempt) -> Said:
    return Said(
        "{adversary}: {counts}",
        adversary=translate_name(attack.adversary),
        counts=format_out_of(attack.hits, attack.claimed),
    )


def _describe_attacks(attacks: Sequence[HistoryAttempt]) -> Said:
    parts = [
        Said(
            "{hits}, too many from {union:,} or {exact:,}",
            hits=_describe_hits(attack),
            union=attack.threshold[Bound.UNION],
            exact=attack.threshold[Bound.EXACT],
        )
        for attack in attacks
    ]
    return Said("{attacks}.", attacks=join_words(parts, "; ", "；"))


def _rates(attacks: Sequence[HistoryAttempt], people: int) -> IntervalPlot:
    rows: list[Interval] = []
    for attack in attacks:
        rate = HitRate(hits=attack.hits, trials=attack.claimed)
        rows.append(
            Interval(
                name=translate_name(attack.adversary),
                low=rate.low,
                middle=rate.value,
                high=rate.high,
                note=f"{attack.hits:,} / {attack.claimed:,}",
                baseline=1 / max(1, people),
            )
        )
    return IntervalPlot(
        title=Said("How often each attack was right"),
        desc=Said("Blind guessing is right once in {people:,} times.", people=people),
        rows=tuple(rows),
        axis=Axis(label=Said("guess|share of the named that were right"), low=0.0, high=1.0),
    )
