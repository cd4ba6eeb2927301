"""``sekisho study``: what many releases are still good for, and whether their utility index says so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import AsJson, AskedSeed, give_answer, parse_fraction, settle_seed
from sekisho.cli.kit.files import Original, Report, Rules
from sekisho.cli.kit.language import chosen_language
from sekisho.cli.kit.progress import watch_counted
from sekisho.cli.shapes.file_options import open_and_say
from sekisho.data.files.whole_files import check_paths, write_whole
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.history.files import read_release
from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.gate.history.study import FIGURES, USE_CASES, Findings, Study, UseCases
from sekisho.gate.rulebooks import read_history_terms, rules_path
from sekisho.provenance import digest_file
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.kit.text import render_text
from sekisho.report.pages.history.study import TITLE, study_blocks, study_tables
from sekisho.safety.terms import HistoryTerms
from sekisho.utility import MEASURES
from sekisho.utility.history.item_sets import FrequentItemSets
from sekisho.utility.history.rfm import Borders, Normaliser, RankRule, RecencyFrequencyMoney
from sekisho.words import Said, join_words

WIDTH = 120


def study(
    rules: Rules,
    releases: Annotated[list[Path], typer.Argument(metavar="RELEASE…", help="Releases of the original.")],
    *,
    original: Original,
    samples: Annotated[int, typer.Option("--samples", min=1, help="How often each release is drawn from.")] = 100,
    support: Annotated[str, typer.Option("--support", help="Least share of baskets of a frequent item set.")] = "1/40",
    largest: Annotated[int, typer.Option("--largest", min=1, help="Size of the largest item sets.")] = 3,
    ranks: Annotated[RankRule, typer.Option("--ranks", help="Where the borders of RFM ranks lie.")] = RankRule.SHARE,
    borders: Annotated[Borders, typer.Option("--borders", help="Whose borders rank the drawn data.")] = Borders.OWN,
    normaliser: Annotated[
        Normaliser, typer.Option("--normaliser", help="What the error of the RFM table is divided by.")
    ] = Normaliser.LARGEST,
    processes: Annotated[int, typer.Option("--processes", min=1, help="Processes that share the work.")] = 1,
    report: Report = None,
    seed: AskedSeed = None,
    as_json: AsJson = False,
) -> None:
    """Draw concrete data from releases, measure the use cases, and correlate them with the utility index.

    Example: `sekisho study pwscup2018 --original T.csv A2.csv A3.csv A5.csv --samples 100 --report study.html`
    """
    check_paths(reads=[rules_path(rules), original, *releases], writes={"--report": report})
    book = read_history_terms(rules)
    start = settle_seed(seed)
    data, book = open_and_say(original, book)
    plan = Study(
        samples=samples,
        cases=UseCases(
            item_sets=FrequentItemSets(support=parse_fraction("support", support), largest=largest),
            rfm=RecencyFrequencyMoney(rule=ranks, borders=borders, normaliser=normaliser),
        ),
        utility=MEASURES.make(book.utility.measure),
        processes=processes,
    )
    steps = plan.steps(data, _read_releases(releases, book, data), seed=start)
    last = watch_counted(steps, doing=Said("samples"))
    provenance = replace(last.findings.provenance, inputs={original.name: digest_file(original)})
    findings = replace(last.findings, provenance=provenance)
    if report is not None:
        blocks = study_blocks(findings)
        page = render_page(TITLE, blocks, language=chosen_language(), edition=Edition.CONFIDENTIAL)
        write_whole({report: page.encode()})
    answer = _make_keys(findings) | {"samples": samples, "drawn": last.done, "seed": start.value}
    words = render_text(TITLE, study_tables(findings), language=chosen_language(), width=WIDTH)
    give_answer(answer, join_words([words, _describe_limit(findings)]), as_json=as_json)


def _read_releases(paths: list[Path], book: HistoryTerms, data: Dataset) -> dict[str, Release]:
    """Return the releases by path; every fault of every file is reported at once."""
    releases: dict[str, Release] = {}
    bad: list[FaultsError] = []
    for path in paths:
        if str(path) in releases:
            raise ParameterError("releases", Said("each be named once"), str(path))
        try:
            releases[str(path)] = read_release(path, book, data)
        except FaultsError as error:
            bad.append(error)
    if len(bad) == 1:
        raise bad[0]
    if bad:
        raise FaultsError(
            ", ".join(error.source for error in bad),
            [_name_source(error.source, fault) for error in bad for fault in error.faults],
            count=sum(error.count for error in bad),
        )
    return releases


def _name_source(source: str, fault: Fault) -> Fault:
    return Fault(
        row=fault.row,
        column=fault.column,
        rule=fault.rule,
        value=fault.value,
        message=Said("{source}: {reason}", source=source, reason=fault.message),
    )


def _make_keys(findings: Findings) -> dict[str, object]:
    kinds = {"use_cases": USE_CASES, "statistics": FIGURES}
    return {
        "releases": [
            {
                "release": each.name,
                "utility": each.utility,
                "columns": dict(each.columns),
                **{kind: {name: each.mean(name) for name in names} for kind, names in kinds.items()},
                "bounds": dict(each.bounds),
                "deviations": {name: each.deviation(name) for name in (*USE_CASES, *FIGURES)},
            }
            for each in findings.releases
        ],
        "correlations": {
            "critical": findings.critical,
            "level": findings.level,
            **{
                kind: {
                    name: {"r": findings.correlations[name], "significant": findings.significant(name)}
                    for name in names
                }
                for kind, names in kinds.items()
            },
        },
    }


def _describe_limit(findings: Findings) -> str:
    if findings.critical is None:
        return Said("fewer than three releases: no correlation can be significant")
    return Said(
        "* significant at level {level:g}: |r| >= {critical:.4f} with {releases} releases",
        level=findings.level,
        critical=findings.critical,
        releases=len(findings.releases),
    )
