"""Some people raw, the rest k-anonymous, as a page: which mixtures survive under each bound, which keep the claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sekisho.gate.history.raw_frontier import MixtureFinding, RawFrontier
from sekisho.provenance import Provenance
from sekisho.report.figures.axes import Cell, HeatMap
from sekisho.report.kit.blocks import Banner, Block, Figure, Fold, Heading, Origin, Paragraph, TableBlock, Tone
from sekisho.report.kit.words import Words, format_count, format_percent
from sekisho.safety.claim import Standing
from sekisho.safety.rejection import Bound
from sekisho.words import Said

TITLE = Said("How many people may be left raw?")
BOUNDS: Mapping[Bound, Said] = {
    Bound.UNION: Said("The contest's bound (union)"),
    Bound.EXACT: Said("The exact bound"),
}

CHANCES: Mapping[Bound, Said] = {
    Bound.UNION: Said("Chance of surviving: the contest's bound (union)"),
    Bound.EXACT: Said("Chance of surviving: the exact bound"),
}

SHORT: Mapping[Bound, Said] = {Bound.UNION: Said("bound|union"), Bound.EXACT: Said("bound|exact")}


def raw_frontier_blocks(
    frontier: RawFrontier, findings: Sequence[MixtureFinding], provenance: Provenance
) -> tuple[Block, ...]:
    """Return the page."""
    return (
        Banner(text=_summary(findings), tone=Tone.WARN),
        Paragraph(text=_explanation(frontier)),
        *(
            block
            for bound in Bound
            for block in (Heading(text=BOUNDS[bound]), Figure(picture=_map(frontier, findings, bound)))
        ),
        Fold(summary=Said("All figures"), blocks=(_figures(findings),)),
        Heading(text=Said("Border and claim by k")),
        _borders(frontier, findings),
        Fold(summary=Said("What made this"), blocks=(Origin(steps=(provenance,)),)),
    )


def _summary(findings: Sequence[MixtureFinding]) -> Said:
    proven = sorted({each.mixture.k for each in findings if each.standing is Standing.HOLDS})
    if not proven:
        return Said("None of these mixtures keeps the claim H0. Surviving attacks is no proof.")
    return Said(
        "Proven for everybody only without raw people, from k = {k} on; elsewhere surviving attacks is no proof.",
        k=proven[0],
    )


def _explanation(frontier: RawFrontier) -> Said:
    return Said(
        "{people:,} {people:person|people}: a of them published as they are, the others in groups of k. "
        "Each number is the chance that none of {attackers} attackers who know the whole original and "
        "plan their claims as well as they can refutes the release (framed: {confidence} or more).",
        people=frontier.people,
        attackers=frontier.attackers,
        confidence=format_percent(float(frontier.confidence)),
    )


def _map(frontier: RawFrontier, findings: Sequence[MixtureFinding], bound: Bound) -> HeatMap:
    by_place = {(each.mixture.k, each.mixture.raw): each.survival[bound] for each in findings}
    cells = tuple(
        tuple(
            _cell(by_place[k, raw], float(frontier.confidence)) if (k, raw) in by_place else None
            for raw in frontier.raw
        )
        for k in frontier.sizes
    )
    return HeatMap(
        title=CHANCES[bound],
        desc=Said(
            "Rows: k from {least_k} to {most_k}. Columns: raw people from {least_raw} to {most_raw}.",
            least_k=min(frontier.sizes),
            most_k=max(frontier.sizes),
            least_raw=min(frontier.raw),
            most_raw=max(frontier.raw),
        ),
        rows=tuple(f"k = {k}" for k in frontier.sizes),
        columns=tuple(str(raw) for raw in frontier.raw),
        cells=cells,
        down=Said("group size"),
        across=Said("raw people a"),
    )


def _cell(survival: float, confidence: float) -> Cell:
    return Cell(strength=survival, text=f"{survival:.3f}", tone=Tone.GOOD, framed=survival >= confidence)


def _figures(findings: Sequence[MixtureFinding]) -> TableBlock:
    """Return by mixture and bound the strongest attack and the chance of surviving: what the pictures show, as text."""
    rows: tuple[tuple[Words, ...], ...] = tuple(
        (
            str(each.mixture.k),
            format_count(each.mixture.raw),
            SHORT[bound],
            format_count(plan.claimed),
            format_count(plan.threshold),
            f"{float(plan.chance):.4g}",
            f"{each.survival[bound]:.4f}",
        )
        for each in findings
        for bound, plan in each.plans.items()
    )
    return TableBlock(
        head=(
            "k",
            Said("raw"),
            Said("bound"),
            Said("claims"),
            Said("threshold"),
            Said("chance of one attack"),
            Said("survival"),
        ),
        rows=rows,
        numeric=(0, 1, 3, 4, 5, 6),
    )


def _borders(frontier: RawFrontier, findings: Sequence[MixtureFinding]) -> TableBlock:
    borders = {bound: frontier.most_raw(findings, bound) for bound in Bound}
    standing = {each.mixture.k: each.standing for each in findings if each.mixture.raw == 0}
    rows: tuple[tuple[Words, ...], ...] = tuple(
        (
            str(k),
            *(_border(borders[bound][k]) for bound in Bound),
            STANDINGS[standing[k]] if k in standing else "–",
        )
        for k in frontier.sizes
    )
    return TableBlock(
        head=(
            "k",
            Said("most raw people, union bound"),
            Said("most raw people, exact bound"),
            Said("claim H0 without raw people"),
        ),
        rows=rows,
        numeric=(0, 1, 2),
    )


STANDINGS: Mapping[Standing, Said] = {
    Standing.HOLDS: Said("holds (proven)"),
    Standing.NOT_PROVEN: Said("not proven"),
    Standing.REFUTED: Said("does not hold"),
}


def _border(raw: int | None) -> Words:
    return Said("none") if raw is None else format_count(raw)
