"""The page of a study of many releases.

Tables 6 to 10 of the PWS Cup 2018 report, which correlations hold, and a picture of each use case.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

import numpy as np

from sekisho.gate.history.study import FIGURES, USE_CASES, Findings
from sekisho.report.figures.gallery import Axis, Mark, Scatter
from sekisho.report.kit.blocks import Banner, Beside, Block, Facts, Figure, Heading, Origin, Paragraph, TableBlock, Tone
from sekisho.report.kit.words import Words, format_count, format_decimal
from sekisho.utility.history.statistics import COLUMNS, STATISTICS
from sekisho.words import Said, join_words

TITLE = Said("What the releases are still good for")
UTILITY = Said("error U")
RELEASE = Said("release")
CORRELATION = Said("correlation with U")

CASE_NAMES = {
    "item_sets": Said("frequent item sets"),
    "rfm": Said("RFM table"),
    "wholesale": Said("similarity, wholesale"),
    "retail": Said("similarity, retail"),
    "top": Said("similarity, top items"),
    "months": Said("purchases by month"),
    "best_sellers": Said("best sellers"),
    "baskets": Said("basket sizes"),
}
COLUMN_NAMES = {
    "date": Said("date (days)"),
    "price": Said("price (last decimal)"),
    "quantity": Said("quantity"),
}
STATISTIC_NAMES = {
    "sum": Said("sum"),
    "mean": Said("mean"),
    "variance": Said("variance"),
    "deviation": Said("sd"),
    "largest": Said("max"),
    "least": Said("min"),
    "median": Said("median"),
    "middle": Said("middle rows"),
}
FIGURE_NAMES = {"rows": Said("rows"), "top_items": Said("top item set")}


def name_measure(name: str) -> Said:
    """Return what a use case or statistic is called."""
    names = CASE_NAMES | FIGURE_NAMES
    if name in names:
        return names[name]
    column, _, statistic = name.partition("_")
    first, second = COLUMN_NAMES[column], STATISTIC_NAMES[statistic]
    return Said("{second} of {first}", second=second, first=first)


def study_blocks(findings: Findings) -> tuple[Block, ...]:
    """Return the whole study as blocks."""
    return (
        *_summary(findings),
        *study_tables(findings),
        Heading(text=Said("Use cases against the error U")),
        Beside(blocks=tuple(Figure(picture=use_case_scatter(findings, name)) for name in (*USE_CASES, "top_items"))),
        Heading(text=Said("What made this")),
        Origin(steps=(findings.provenance, *(release.provenance for release in findings.releases))),
    )


def _summary(findings: Findings) -> tuple[Block, ...]:
    critical = findings.critical
    cases = [name for name in USE_CASES if findings.significant(name)]
    limit = Said("none: too few releases") if critical is None else format_decimal(critical, 4)
    samples = len(findings.releases[0].errors[USE_CASES[0]])
    tone = Tone.GOOD if len(cases) == len(USE_CASES) else Tone.WARN if cases else Tone.PLAIN
    return (
        Banner(text=_sentence(cases, USE_CASES, findings, Said("use cases")), tone=tone),
        Facts(
            pairs=(
                (Said("releases"), format_count(len(findings.releases))),
                (Said("samples of each"), format_count(samples)),
                (Said("significant from |r|"), limit),
                (Said("significance|level"), f"{findings.level:g}"),
            )
        ),
        Paragraph(
            text=_sentence([n for n in FIGURES if findings.significant(n)], FIGURES, findings, Said("statistics"))
        ),
    )


def _sentence(held: Sequence[str], among: Sequence[str], findings: Findings, kind: Said) -> Said:
    whole = sum(findings.correlations[name] is not None for name in among)
    if not held:
        return Said(
            "0 of {whole} {kind} correlate with the error U at level {level:g}.",
            whole=whole,
            kind=kind,
            level=findings.level,
        )
    return Said(
        "{held} of {whole} {kind} correlate with the error U at level {level:g}: {names}.",
        held=len(held),
        whole=whole,
        kind=kind,
        level=findings.level,
        names=join_words(map(name_measure, held), ", "),
    )


def study_tables(findings: Findings) -> tuple[TableBlock, ...]:
    """Return the tables in the shape of tables 6 to 10 of the PWS Cup 2018 report."""
    cases = {name: CASE_NAMES[name] for name in USE_CASES}
    columns = [
        ({f"{column}_{name}": STATISTIC_NAMES[name] for name in STATISTICS}, COLUMN_NAMES[column]) for column in COLUMNS
    ]
    return (
        _table(
            findings,
            cases,
            Said("Errors of the use cases (means over the samples)"),
        ),
        _table(findings, FIGURE_NAMES, Said("Errors of rows and top items")),
        *(_table(findings, names, Said("Errors of the statistics of {what}", what=what)) for names, what in columns),
    )


def _table(findings: Findings, names: dict[str, Said], caption: Said) -> TableBlock:
    rows: list[tuple[Words, ...]] = [
        (shorten_name(each.name), format_decimal(each.utility), *(format_decimal(each.mean(name)) for name in names))
        for each in findings.releases
    ]
    rows.append((CORRELATION, "–", *(_mark_significance(findings, name) for name in names)))
    head = (RELEASE, UTILITY, *names.values())
    return TableBlock(head=head, rows=tuple(rows), caption=caption, numeric=tuple(range(1, len(head))))


def _mark_significance(findings: Findings, name: str) -> str:
    r = findings.correlations[name]
    if r is None:
        return "–"
    return format_decimal(r) + ("*" if findings.significant(name) else "")


def shorten_name(name: str) -> str:
    """Return a release's name as a table shows it: of a path, the file."""
    return PurePath(name).name or name


def use_case_scatter(findings: Findings, name: str) -> Scatter:
    """Return a use case's errors against utility, with the line of least squares where there is a correlation."""
    points = [(each.utility, each.mean(name)) for each in findings.releases]
    r, what = findings.correlations[name], name_measure(name)
    r_words = "–" if r is None else format_decimal(r)
    fit = None
    if r is not None:
        x, y = np.array(points).T
        slope = float(np.cov(x, y, bias=True)[0, 1] / np.var(x))
        fit = (slope, float(y.mean() - slope * x.mean()))
    return Scatter(
        title=Said("{what}: r = {r_words}", what=what, r_words=r_words),
        desc=Said(
            "{releases} {releases:release|releases} by the error U and the error of {what}.",
            releases=len(points),
            what=what,
        ),
        x=Axis(label=UTILITY),
        y=Axis(label=Said("error")),
        points=tuple(
            Mark(name=shorten_name(each.name), x=x, y=y) for each, (x, y) in zip(findings.releases, points, strict=True)
        ),
        fit=fit,
    )
