"""The risk of a file of records as a page: who stands alone, by which columns, and what is learned of the others."""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.provenance import Provenance
from sekisho.report.figures.gallery import Class, Columns
from sekisho.report.kit.blocks import (
    Banner,
    Block,
    Bullets,
    Facts,
    Figure,
    Fold,
    Heading,
    Origin,
    Paragraph,
    TableBlock,
    Tone,
)
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.kit.text import render_text
from sekisho.report.kit.words import Words, format_count, format_out_of, format_percent
from sekisho.report.pages.risk.special_uniques import special_blocks
from sekisho.safety.records.closeness import Distance
from sekisho.safety.records.households import HouseholdRisk
from sekisho.safety.records.key_choice import Remark
from sekisho.safety.records.published import say_unknown_classes
from sekisho.safety.records.record_risk import RecordRisk, SensitiveRisk
from sekisho.safety.records.reidentification import Chances
from sekisho.safety.records.uniques.population import Estimator
from sekisho.words import Language, Said

RISK_TITLE = Said("How easily the people of this file are found")
SIZES = Said("Records by the size of their class")
STEPS = (1, 2, 3, 4, 5, 10, 20, 50, 100)
"""Where the classes of the picture begin."""

ESTIMATORS = {
    Estimator.ZAYATZ: Said("Zayatz"),
    Estimator.PITMAN: Said("Pitman (Hoshino)"),
    Estimator.POISSON_GAMMA: Said("Poisson–gamma (Bethlehem)"),
}
DISTANCES = {
    Distance.EQUAL: Said("equal"),
    Distance.ORDERED: Said("ordered"),
    Distance.HIERARCHICAL: Said("distance|tree"),
}
LIMITS: tuple[Words, ...] = (
    Said("Only the keys that were named count: whoever knows more columns finds more people."),
    Said("Figures of the population are estimates under the assumption that stands beside each; none is a bound."),
)
CONFIDENTIAL = Said("This page shows rows and key values of people who stand out: keep it inside.")


def render_risk_page(risk: RecordRisk, provenance: Provenance, *, language: Language = Language.EN) -> str:
    """Return the page, both languages in one HTML file that opens in the given one."""
    blocks = risk_blocks(risk, provenance)
    return render_page(RISK_TITLE, blocks, language=language, edition=Edition.CONFIDENTIAL)


def render_risk_words(risk: RecordRisk, provenance: Provenance, *, language: Language = Language.EN) -> str:
    """Return the page as plain text."""
    return render_text(RISK_TITLE, risk_blocks(risk, provenance), language=language)


def risk_blocks(risk: RecordRisk, provenance: Provenance) -> list[Block]:
    """Return the page."""
    return [
        _make_banner(risk),
        *([Bullets(items=tuple(describe_remark(remark) for remark in risk.remarks))] if risk.remarks else []),
        Facts(pairs=_list_facts(risk)),
        Figure(picture=draw_sizes(risk), caption=SIZES),
        *_chance_blocks(risk),
        *([] if risk.household is None else household_blocks(risk.household)),
        *_sensitive_blocks(risk.sensitive, risk.rows),
        *_population_blocks(risk),
        *([] if risk.special is None else special_blocks(risk, risk.special)),
        Heading(text=Said("What this does not say")),
        Bullets(items=(*LIMITS, *([CONFIDENTIAL] if risk.stand_outs else []))),
        Fold(summary=Said("What made this"), blocks=(Origin(steps=(provenance,)),)),
    ]


def household_blocks(risk: HouseholdRisk) -> list[Block]:
    """Return what is known of those who live together."""
    facts: tuple[tuple[Words, Words], ...] = (
        (Said("households"), format_count(risk.households)),
        (Said("highest chance that a household is found"), f"{float(risk.found.max()):.4g}"),
        (Said("highest chance of a single claim"), f"{float(risk.claims.max()):.4g}"),
        (Said("the same if members were independent"), f"{float(risk.independent.max()):.4g}"),
        (Said("households found on average"), f"{float(risk.found.sum()):.4g}"),
        (Said("households of which the product says too little"), format_out_of(risk.understated, risk.households)),
        (Said("different patterns of members"), format_count(risk.patterns)),
        (Said("fewest households with one pattern (k)"), format_count(risk.k)),
        (Said("fewest rows that a person may be, rows of a household linked"), format_count(risk.candidates)),
    )
    return [
        Heading(text=Said("Households")),
        Paragraph(
            text=Said(
                "Whoever knows all members of a household names a row for each. Where the rows of a household cannot "
                "be linked he finds it with the chance below; where they can, by a number, by their order or by "
                "columns they share, only households with the same pattern of members hide it."
            )
        ),
        Facts(pairs=facts),
    ]


def _make_banner(risk: RecordRisk) -> Banner:
    share = format_percent(risk.uniques / risk.rows)
    if risk.uniques:
        return Banner(
            text=Said(
                "{uniques:,} of {rows:,} {rows:record|records} ({share}) {uniques:stands|stand} alone: "
                "whoever knows the keys knows whose they are, if the person is known to be in the file.",
                uniques=risk.uniques,
                rows=risk.rows,
                share=share,
            ),
            tone=Tone.BAD,
        )
    return Banner(
        text=Said(
            "Nobody stands alone: every record shares its keys with at least {others:,} "
            "{others:other|others} (k = {k:,}).",
            others=risk.k - 1,
            k=risk.k,
        ),
        tone=Tone.PLAIN,
    )


def describe_remark(remark: Remark) -> Words:
    """Return what is odd about a key, in both languages."""
    return Said("{remark}.", remark=str(remark))


def _list_facts(risk: RecordRisk) -> tuple[tuple[Words, Words], ...]:
    lacking = sum(risk.missing.values())
    means = Said("matches every value") if risk.missing_matches else Said("a value of its own")
    pairs: list[tuple[Words, Words]] = [
        (Said("keys"), ", ".join(risk.keys)),
        (Said("records"), format_count(risk.rows)),
        (Said("combinations of key values"), format_count(risk.classes)),
        (Said("smallest class (k)"), format_count(risk.k)),
        (Said("records that stand alone"), format_out_of(risk.uniques, risk.rows)),
    ]
    if lacking:
        pairs.append((Said("{lacking:,} missing {lacking:cell|cells}: each", lacking=lacking), means))
    return tuple(pairs)


def draw_sizes(risk: RecordRisk) -> Columns:
    """Return the picture of how many records stand in classes of which size."""
    edges = [*STEPS, None]
    classes: list[Class] = []
    sizes = risk.count_sizes()
    for low, high in zip(STEPS, edges[1:], strict=True):
        rows = sum(count for size, count in sizes if low <= size and (high is None or size < high))
        last = None if high is None else high - 1
        name = f"{low}" if last == low else f"{low}–{last}" if last else f"{low}+"
        tone = Tone.BAD if low == 1 else Tone.WARN if low < 5 else Tone.PLAIN
        classes.append(Class(name=name, value=float(rows), note=f"{rows:,}", tone=tone))
    return Columns(
        title=SIZES,
        desc=Said(
            "{uniques:,} {uniques:record stands|records stand} alone in their class, {small:,} in "
            "classes of fewer than 5.",
            uniques=risk.uniques,
            small=sum((count for size, count in sizes if size < 5)),
        ),
        x=Said("records with the same keys"),
        y=Said("records"),
        classes=tuple(classes),
    )


def _chance_blocks(risk: RecordRisk) -> list[Block]:
    found = risk.reidentification
    known = risk.population is not None
    rows: list[tuple[Words, ...]] = [
        (
            Said("prosecutor"),
            Said("knows that his target is in the file"),
            *_format_chances(found.prosecutor),
        ),
    ]
    if known:
        rows += [
            (
                Said("journalist"),
                Said("looks for anybody in the population"),
                *_format_chances(found.journalist),
            ),
            (
                Said("marketer"),
                Said("matches all records with the population"),
                "",
                "",
                format_percent(found.marketer),
            ),
        ]
    about = Paragraph(text=Said("What each can hope for who knows the keys and nothing else."))
    limit = format_percent(found.limit)
    table = TableBlock(
        head=(
            Said("who|adversary"),
            Said("assumption|what he does"),
            Said("records above {limit}", limit=limit),
            Said("highest chance"),
            Said("found on average"),
        ),
        rows=tuple(rows),
        numeric=(2, 3, 4),
    )
    return [Heading(text=Said("Chances of being found")), about, table]


def _format_chances(chances: Chances) -> tuple[Words, ...]:
    return tuple(format_percent(value) for value in (chances.at_risk, chances.highest, chances.average))


def _sensitive_blocks(sensitive: Sequence[SensitiveRisk], rows: int) -> list[Block]:
    if not sensitive:
        return []
    body = tuple(
        (
            each.column,
            f"{each.distinct:,}",
            f"{each.entropy:.3g}",
            "–" if each.recursive is None else f"{each.recursive:.3g}",
            f"{each.t:.3f}",
            DISTANCES[each.distance],
            f"{each.beta:.3g}",
            f"{each.delta:.3g}",
            format_out_of(each.disclosed, rows),
        )
        for each in sensitive
    )
    head: tuple[Words, ...] = (
        Said("column"),
        "l",
        Said("entropy l"),
        Said("c for l = 2"),
        "t",
        Said("distance"),
        "β",
        "δ",
        Said("records whose class has one value"),
    )
    about = Said(
        "Of the worst class each: the fewest different values (l), the largest distance from the whole file (t), the "
        "largest gain of a value (β) and the largest |log2| of its ratio (δ). Where a class has one value only, it is "
        "told without finding the record."
    )
    unknown = [
        Paragraph(text=Said("{source}: {reason}", source=column.column, reason=say_unknown_classes(column.unknown)))
        for column in sensitive
        if column.unknown
    ]
    return [
        Heading(text=Said("What is learned of the others")),
        Paragraph(text=about),
        TableBlock(head=head, rows=body, numeric=(1, 2, 3, 4, 6, 7)),
        *unknown,
    ]


def _population_blocks(risk: RecordRisk) -> list[Block]:
    if risk.people is None:
        return []
    blocks: list[Block] = [Heading(text=Said("In the population"))]
    facts: list[tuple[Words, Words]] = [(Said("count|people"), format_count(risk.people))]
    if risk.population is not None:
        low, high = risk.population.presence
        facts += [
            (
                Said("fewest people that a record fits (k-map)"),
                format_count(risk.population.least_map),
            ),
            (
                Said("chance of being in the file (δ-presence)"),
                f"{low:.3g} – {high:.3g}",
            ),
        ]
    if risk.individual is not None:
        facts += [
            (
                Said("right matches expected (Benedetti and Franconi)"),
                f"{risk.individual.expected:,.1f}",
            ),
            (Said("highest risk of a record"), f"{risk.individual.highest:.3g}"),
        ]
    blocks.append(Facts(pairs=tuple(facts)))
    return [*blocks, _tabulate_estimates(risk)] if risk.estimates else blocks


def _tabulate_estimates(risk: RecordRisk) -> TableBlock:
    head = (Said("model"), Said("unique in the population"), Said("of the file's uniques"), Said("estimated if"))
    rows = tuple(
        (
            ESTIMATORS[estimate.estimator],
            "–" if estimate.uniques is None else f"{estimate.uniques:,.0f}",
            "–" if estimate.of_sample is None else format_percent(estimate.of_sample),
            estimate.assumes,
        )
        for estimate in risk.estimates
    )
    return TableBlock(head=head, rows=rows, numeric=(1, 2))
