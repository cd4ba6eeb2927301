"""``sekisho plan release``: the release of records with the smallest measured risk that meets every condition."""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import Annotated

import numpy as np
import typer

from sekisho.cli.kit.answer import Answer, AsJson, AskedSeed, Verbose, settle_seed
from sekisho.cli.kit.files import GivenRules, Out, Report, Round
from sekisho.cli.kit.language import chosen_language
from sekisho.cli.kit.progress import watch_counted
from sekisho.cli.kit.review import AllowColumn, read_allowed, tell_review
from sekisho.cli.shapes.file_options import open_and_say
from sekisho.cli.shapes.records import condition_keys
from sekisho.data.files.whole_files import check_paths
from sekisho.data.records.files import write_number_lines, write_records
from sekisho.errors import ParameterError
from sekisho.gate.ending import end_release
from sekisho.gate.records.plan import PlanStep, RecordPlanner
from sekisho.gate.records.test_sets import RecordsAttempt, RiskCandidate
from sekisho.gate.rulebooks import read_record_terms, rules_path
from sekisho.provenance import Provenance, digest_file, list_parameters
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.pages.records.plan import PLAN_TITLE, plan_blocks
from sekisho.report.pages.verdicts.ending import put_ending_first
from sekisho.words import Said, join_words


def release(
    *,
    source: Annotated[Path, typer.Argument(metavar="IN", help="B, the original records.")],
    out: Out,
    deleted: Annotated[Path, typer.Option("--deleted", help="X to write, the deleted rows of the original.")],
    rules: GivenRules = "pwscup2021",
    asked_round: Round = "",
    target: Annotated[float, typer.Option("--target", help="The risk to stay below.")] = 0.067,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Test sets for the final measurement.")] = 20,
    order: Annotated[
        Path | None,
        typer.Option("--order", help="Write the published row of each kept row, confidential; rows that are shuffled."),
    ] = None,
    report: Report = None,
    allow_column: AllowColumn = None,
    seed: AskedSeed = None,
    verbose: Verbose = False,
    as_json: AsJson = False,
) -> None:
    """Search a release of records that meets every condition of the final round with the smallest measured risk.

    Its rows are shuffled (--order keeps how), unless the rules have them in the original's order.

    Example: `sekisho plan release B.csv --out D.csv --deleted X.csv --report plan.html --seed 1`
    """
    check_paths(
        reads=[rules_path(rules), source],
        writes={"--out": out, "--deleted": deleted, "--order": order, "--report": report},
    )
    chosen, allowed = settle_seed(seed), read_allowed(allow_column)
    data, book = open_and_say(source, read_record_terms(rules))
    if book.in_order and order is not None:
        raise ParameterError(
            "order", Said("not be given where the rules ({name}) fix the order of the rows", name=book.name), str(order)
        )
    planner = RecordPlanner(seeds=seeds, scouting=min(6, seeds))
    start = process_time()
    step = watch_counted(
        planner.steps(book, data, seed=chosen, target=target, round_name=asked_round, allowed=allowed),
        doing=Said("planning"),
    )
    best = step.best
    if best is None or best.strongest is None:
        raise KeyboardInterrupt
    tell_review(source, best.review)
    ending = end_release(best, out)
    files = {
        out: write_records(best.published(), book),
        deleted: write_number_lines(np.flatnonzero(best.release.deleted).astype(np.int64)),
    }
    if order is not None and best.order is not None:
        files[order] = write_number_lines(best.order)
    if report is not None:
        provenance = Provenance(
            name="plan release",
            parameters=list_parameters(planner),
            seed=chosen.value,
            inputs={source.name: digest_file(source)},
        )
        blocks = put_ending_first(ending.on_page(), plan_blocks(step, target, provenance, review=best.review))
        page = render_page(PLAN_TITLE, blocks, language=chosen_language(), edition=Edition.CONFIDENTIAL)
        files[report] = page.encode()
    keys = _list_figures(step, best, best.strongest) | {"seconds": process_time() - start, "seed": chosen.value}
    words = join_words(_tell_release(step, best, best.strongest), "\n")
    answer = Answer(keys=keys, words=words, files=files, ending=ending).judged(best.verdict)
    answer.deliver(as_json=as_json, verbose=verbose)


def _list_figures(step: PlanStep, best: RiskCandidate, top: RecordsAttempt) -> dict[str, object]:
    """Return what is told of the chosen release, as plain data."""
    return (
        condition_keys(best.conditions)
        | best.review.as_dict()
        | {
            "risk": top.mean,
            "low": top.low,
            "high": top.high,
            "largest": top.worst,
            "adversary": top.adversary,
            "risks": {risk.adversary: risk.mean for risk in best.attempts},
            "shuffled": best.order is not None,
            "in_order": {risk.adversary: risk.mean for risk in best.forbidden},
            "topk": top.topk.as_dict(),
            "tried": len(step.tried),
            "parameters": best.release.provenance.parameters,
        }
    )


def _tell_release(step: PlanStep, best: RiskCandidate, top: RecordsAttempt) -> list[str]:
    """Return what is told of the chosen release, line by line."""
    strongest = Said("strongest adversary that the round allows") if best.forbidden else Said("strongest adversary")
    deletions = int(best.release.deleted.sum())
    return [
        Said(
            "{data:,} rows kept, {deletions:,} deleted ({label}; {tried} tried)",
            data=len(best.release.deleted) - deletions,
            deletions=deletions,
            label=best.label,
            tried=len(step.tried),
        ),
        *map(str, best.conditions),
        Said(
            "risk {mean:.4f} ({low:.4f} to {high:.4f}) under the {strongest} ({adversary}) over {judged} test sets, "
            "largest {worst:.4f}",
            mean=top.mean,
            low=top.low,
            high=top.high,
            strongest=strongest,
            adversary=top.adversary,
            judged=len(top.judged),
            worst=top.worst,
        ),
        *(
            Said(
                "not counted: {adversary}, by the order of the rows, which the round forbids, reaches "
                "{mean:.4f}; outside the contest publish the rows shuffled (sekisho publish)",
                adversary=risk.adversary,
                mean=risk.mean,
            )
            for risk in best.forbidden
        ),
        Said("the rows are shuffled")
        if best.order is not None
        else Said("the rows stand in the original's order, as the rules ask"),
    ]
