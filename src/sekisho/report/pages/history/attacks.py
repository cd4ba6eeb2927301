"""Attacks on a history as counts, beside chance, with intervals, and against both bounds.

What is proven of a release of a history, what is only not refuted, and what is refuted: said apart, side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sekisho.gate.history.stage import HistoryAttempt, HistoryCandidate
from sekisho.gate.names import translate_name
from sekisho.gate.outcome import Verdict
from sekisho.report.figures.axes import Axis
from sekisho.report.figures.bars import Interval, IntervalPlot
from sekisho.report.figures.lines import LineChart, Mark, Series
from sekisho.report.kit.blocks import Banner, Beside, Block, Figure, Heading, Paragraph, TableBlock, Tone
from sekisho.report.kit.words import Words, format_count, format_out_of, format_percent
from sekisho.safety.claim import ClaimFinding, Standing, TwinClasses
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
        "Each attack is a program that knows the whole original and looks for its customers in what is "
        "published. A release is refuted as soon as one attack is right so often that a safe release "
        "would allow it once in {times} {times:time|times} at most.",
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
        desc=Said("Blind guessing is right once in {people:,} {people:time|times}.", people=people),
        rows=tuple(rows),
        axis=Axis(label=Said("guess|share of the named that were right"), low=0.0, high=1.0),
    )


WRITTEN_OUT = 12
"""Up to this class size chances are written out."""

OF_USE = frozenset({"limit exceeded", "hardly any use", "column of hardly any use"})
"""Rules that say nothing about safety."""
BOUNDS: Mapping[Bound, Said] = {
    Bound.UNION: Said("union bound (the contest's)"),
    Bound.EXACT: Said("exact bound"),
}
STANDINGS: Mapping[Standing, Said] = {
    Standing.HOLDS: Said("holds: proven for everybody, if the pseudonyms were drawn at random"),
    Standing.NOT_PROVEN: Said("sentence|not proven"),
    Standing.REFUTED: Said("sentence|does not hold"),
}


def verdict_banner(candidate: HistoryCandidate, bound: Bound) -> Banner:
    """Return the verdict in one sentence, with no more in it than is proven."""
    attack, by_policy = candidate.strongest, _describe_policy(candidate, bound)
    if by_policy is not None:
        return by_policy
    if attack is None:
        words = Said("Have this reviewed: nobody has tried to find people in this release.")
        return Banner(text=words, tone=Tone.WARN)
    if candidate.verdict is Verdict.REFUSE:
        hits, limit = _describe_claim_hits(attack), attack.threshold[bound]
        words = Said(
            "Do not release this: one attack rightly found {hits}; {limit:,} is already too many.",
            hits=hits,
            limit=limit,
        )
        return Banner(text=words, tone=Tone.BAD)
    if candidate.verdict is Verdict.REVIEW:
        return Banner(text=_describe_doubt(candidate, attack), tone=Tone.WARN)
    return Banner(text=_admission(candidate, attack), tone=Tone.GOOD)


def _describe_policy(candidate: HistoryCandidate, bound: Bound) -> Banner | None:
    """Return the banner where a limit, usefulness or the policy decides, not an attack or the claim; None elsewhere."""
    effective = any(each.effective(bound) for each in candidate.attempts)
    rules = {reason.rule for reason in candidate.reasons if reason.verdict is candidate.verdict}
    if candidate.verdict is Verdict.REFUSE and not effective:
        words = Said("Do not release this, for the reasons below; no attack refuted it under the bound that decides.")
        return Banner(text=words, tone=Tone.BAD)
    if candidate.verdict is Verdict.REVIEW and (effective or rules <= OF_USE):
        words = (
            Said(
                "Have this reviewed: an attack refuted it, and the policy of the recipe leaves the decision to a "
                "person."
            )
            if effective
            else Said(
                "Have this reviewed: a measure is above its limit or hardly anything is left; see the reasons below."
            )
        )
        return Banner(text=words, tone=Tone.WARN)
    return None


def statement_blocks(candidate: HistoryCandidate, p: str) -> tuple[Block, ...]:
    """Return the statements side by side: the claim, and the attacks under each bound."""
    return claim_blocks(candidate.claim, [_attack_row(candidate, bound) for bound in Bound], p)


def claim_blocks(claim: ClaimFinding, others: Sequence[tuple[Words, ...]], p: str) -> tuple[Block, ...]:
    """Return how the claim stands, and other statements below it, each with its answer and its figures.

    Args:
        claim: how H0 stands.
        others: lines of statement, answer and figures.
        p: the chance a person that H0 allows.
    """
    words = Said(
        "The claim H0: whoever tries, and whatever set of people he picks, names all of it rightly with a chance of "
        "at most {p} for one person, {p} times {p} for two, and so on. It is either proven, or not. Attacks cannot "
        "prove it: at best they do not refute it.",
        p=p,
    )
    table = TableBlock(
        head=(Said("statement"), Said("answer"), Said("figures")),
        rows=(
            (
                Said("the claim H0 itself"),
                STANDINGS[claim.standing],
                _worst(claim),
            ),
            *others,
        ),
    )
    return (
        Heading(text=Said("What is proven, and what is not")),
        Paragraph(text=words),
        table,
    )


def _attack_row(candidate: HistoryCandidate, bound: Bound) -> tuple[Words, ...]:
    number = len(candidate.attempts)
    name = Said("the {number} {number:attack|attacks} below, {bound}", number=number, bound=BOUNDS[bound])
    if not candidate.attempts:
        return (name, Said("nobody attacked"), "–")
    attack = max(candidate.attempts, key=lambda each: each.hits / each.threshold[bound])
    answer = Said("sentence|refuted") if attack.effective(bound) else Said("not refuted by these attacks")
    hits, chance = _describe_claim_hits(attack), _predicted(candidate)
    figures = Said(
        "strongest: {hits}, {limit:,} refute{chance}", hits=hits, limit=attack.threshold[bound], chance=chance
    )
    return (name, answer, figures)


def _predicted(candidate: HistoryCandidate) -> Words:
    if all(attempt.predicted is None for attempt in candidate.attempts):
        return ""
    chance = format_percent(candidate.predicted)
    return Said("; largest chance predicted {chance}", chance=chance)


def _worst(claim: ClaimFinding) -> Words:
    if claim.worst is None:
        return Said("nobody is published")
    pattern = claim.pattern
    if pattern is not None and claim.worst.standing is Standing.HOLDS:
        return str(pattern)
    return _class_words(claim.worst)


def _class_words(worst: TwinClasses) -> Said:
    chance, allowed = f"1/{worst.size}!", f"({worst.p})^{worst.size}"
    if worst.size <= WRITTEN_OUT:
        chance, allowed = f"{worst.chance}", f"{worst.allowed}"
    limit = "" if worst.closed else Said(" at most")
    return Said(
        "a class of {size} alike is named whole with a chance of {chance}{limit}; {allowed} is allowed",
        size=worst.size,
        chance=chance,
        limit=limit,
        allowed=allowed,
    )


def _describe_claim_hits(attack: HistoryAttempt) -> Said:
    return Said(
        "{hits:,} of the {claimed:,} {claimed:customer|customers} it named", hits=attack.hits, claimed=attack.claimed
    )


def _admission(candidate: HistoryCandidate, attack: HistoryAttempt) -> Said:
    number, hits = len(candidate.attempts), _describe_claim_hits(attack)
    if candidate.claim.standing is Standing.HOLDS:
        return Said(
            "This may be released: the safety claim is proven for everybody, if the pseudonyms were drawn at random, "
            "and none of {number} {number:attack|attacks} (the strongest rightly found {hits}) refuted it.",
            number=number,
            hits=hits,
        )
    return Said(
        "Not refuted by {number} {number:attack|attacks} (the strongest rightly found {hits}), which is what was "
        "asked for. The safety claim itself is not proven.",
        number=number,
        hits=hits,
    )


def _describe_doubt(candidate: HistoryCandidate, attack: HistoryAttempt) -> Said:
    exact = next((one for one in candidate.attempts if one.effective(Bound.EXACT)), None)
    if exact is not None:
        strict, limit, hits = exact.threshold[Bound.EXACT], exact.threshold[Bound.UNION], _describe_claim_hits(exact)
        return Said(
            "Have this reviewed: one attack rightly found {hits}; the union bound allows it (fewer than {limit:,}), "
            "the exact bound does not ({strict:,} is too many).",
            hits=hits,
            limit=limit,
            strict=strict,
        )
    hits = _describe_claim_hits(attack)
    if any(reason.rule == "predicted chance" for reason in candidate.reasons):
        return Said(
            "Have this reviewed: no attack refuted the release this time (the strongest rightly found {hits}), but "
            "one predicted a chance of {chance} to do so.",
            hits=hits,
            chance=format_percent(candidate.predicted),
        )
    if candidate.claim.standing is Standing.NOT_PROVEN:
        return Said("Have this reviewed: not refuted by these attacks, but the safety claim itself is not proven.")
    if candidate.claim.standing is Standing.HOLDS:
        return Said("Have this reviewed: not refuted by these attacks, but a person must look at the reasons below.")
    worst = _worst(candidate.claim)
    return Said(
        "Have this reviewed: not refuted by these attacks, but the safety claim itself does not hold: {worst}.",
        worst=worst,
    )
