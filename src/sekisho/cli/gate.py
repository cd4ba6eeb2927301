"""``sekisho gate`` and ``sekisho demo``: protect, attack, judge, measure and report in one go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from sekisho.cli.kit.answer import Answer, AsJson, AskedSeed, say, settle_seed
from sekisho.cli.kit.language import chosen_language
from sekisho.cli.kit.progress import watch_counted
from sekisho.cli.kit.suits import refuse_unsuited
from sekisho.cli.table.gate import CERTIFICATE, PATTERN, PUBLIC, answer_unprotected, read_journey
from sekisho.cli.worlds.originals import open_and_say
from sekisho.contest.history import files as history_files
from sekisho.contest.records import files as records_files
from sekisho.contest.rulebook import rules_path
from sekisho.data.files.output_paths import check_paths
from sekisho.data.records.space import take_kept
from sekisho.errors import InfeasibleError, InputError
from sekisho.gate.demo import draw_demo_history, make_demo_recipe
from sekisho.gate.history.recipe import HistoryRecipe
from sekisho.gate.history.stage import HistoryCandidate, HistoryStage
from sekisho.gate.journey import run
from sekisho.gate.outcome import Attempt, Candidate, Outcome, Verdict
from sekisho.gate.recipe import read_recipe
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.records.stage import RecordsCandidate, RecordsStage
from sekisho.gate.tables.recipe import TableRecipe, TableRecipeFile
from sekisho.provenance import Provenance, digest_file
from sekisho.report.kit.blocks import Block
from sekisho.report.kit.html import render_page
from sekisho.report.kit.text import render_text
from sekisho.report.kit.words import Text
from sekisho.report.pages.outcome import outcome_blocks, outcome_title
from sekisho.report.pages.records_outcome import records_outcome_blocks, records_outcome_title
from sekisho.report.pages.tables.outcome import TABLE_OUTCOME_TITLE, table_outcome_blocks
from sekisho.safety.rejection import Bound
from sekisho.seeds import Seed

Folder = Annotated[Path, typer.Option("--out", help="The folder to write to.")]
REPORTS = ("report.html", "report.txt")


def gate(
    context: typer.Context,
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE.toml", help="What to protect, how, and who attacks.")],
    out: Folder = Path("gate"),
    seed: AskedSeed = None,
    as_json: AsJson = False,
) -> None:
    """Take data through the gate as a recipe tells: exit status 1 if they may not leave, 3 if a person must decide.

    Example: `sekisho gate recipe.toml --out gate`
    """
    match read_recipe(recipe):
        case TableRecipe() as asked, TableRecipeFile() as table_file:
            refuse_unsuited(context, "tables, where no chance plays a part", ("seed",))
            _take_table(asked, table_file, recipe, out).deliver(as_json=as_json)
        case parsed, file:
            original = Path(file.original)
            _check_places(parsed, out, reads=[recipe, original, rules_path(file.rules)])
            start = settle_seed(file.seed if seed is None else seed)
            _take_people(parsed, original, start, out).deliver(as_json=as_json)


def _take_people(recipe: HistoryRecipe | RecordsRecipe, original: Path, seed: Seed, out: Path) -> Answer:
    if isinstance(recipe, HistoryRecipe):
        history, rules = open_and_say(original, recipe.rules)
        return _take_history(HistoryStage(recipe=replace(recipe, rules=rules), original=history), seed, out)
    data, book = open_and_say(original, recipe.rules)
    return _take_records(RecordsStage(recipe=replace(recipe, rules=book), original=data), seed, out)


def demo(out: Folder = Path("demo"), seed: AskedSeed = 2018, as_json: AsJson = False) -> None:
    """Watch the whole journey on a bundled synthetic purchase history.

    Example: `sekisho demo --out demo`
    """
    recipe, start = make_demo_recipe(), settle_seed(seed)
    _check_places(recipe, out, reads=[])
    _take_history(HistoryStage(recipe=recipe, original=draw_demo_history(start)), start, out).deliver(as_json=as_json)


def _check_places(recipe: HistoryRecipe | RecordsRecipe, out: Path, *, reads: Sequence[Path]) -> None:
    own = (
        ("T.csv", "A.csv", "A1.csv", *map(_name_guess_file, recipe.adversaries))
        if isinstance(recipe, HistoryRecipe)
        else ("B.csv", "D.csv", "X.csv")
    )
    check_paths(reads=reads, writes={f"--out {name}": out / name for name in (*own, *REPORTS)}, folders=[out])


def _name_guess_file(adversary: str) -> str:
    return f"F-{adversary.replace(' ', '-').replace('/', '-')}.csv"


def _take_history(stage: HistoryStage, seed: Seed, out: Path) -> Answer:
    outcome: Outcome[HistoryCandidate] = watch_counted(run(stage, seed=seed), doing="protecting and attacking").outcome
    best, rules = outcome.best, stage.recipe.rules
    files = {
        "T.csv": history_files.write_original(stage.original, rules),
        "A.csv": history_files.write_release(best.release, rules),
        "A1.csv": history_files.write_published(best.release, rules),
        **{_name_guess_file(each.adversary): history_files.write_guess(each.guess, rules) for each in best.attempts},
    }
    answer = _make_answer(outcome, files, outcome_title(stage), outcome_blocks(stage, outcome), out)
    return replace(answer, keys={**answer.keys, "statements": _list_statements(best)})


def _list_statements(best: HistoryCandidate) -> dict[str, object]:
    """Return apart what is proven, what attacks did not refute, and what they refuted."""
    worst = best.claim.worst
    return {
        "claim": {
            "standing": best.claim.standing,
            "assumes": best.claim.assumption,
            "worst": worst and {"size": worst.size, "chance": float(worst.chance), "allowed": float(worst.allowed)},
        },
        "attacks": {
            bound: "refuted" if any(each.effective(bound) for each in best.attempts) else "not refuted by these attacks"
            for bound in Bound
        },
        "predicted": best.predicted,
    }


def _take_records(stage: RecordsStage, seed: Seed, out: Path) -> Answer:
    outcome: Outcome[RecordsCandidate] = watch_counted(run(stage, seed=seed), doing="protecting and attacking").outcome
    best, rules = outcome.best, stage.recipe.rules
    files = {
        "B.csv": records_files.write_records(stage.original, rules),
        "D.csv": records_files.write_records(take_kept(best.release), rules),
        "X.csv": records_files.write_number_lines(np.flatnonzero(best.release.deleted).astype(np.int64)),
    }
    return _make_answer(outcome, files, records_outcome_title(stage), records_outcome_blocks(stage, outcome), out)


def _take_table(recipe: TableRecipe, file: TableRecipeFile, place: Path, out: Path) -> Answer:
    names = (PATTERN, PUBLIC, CERTIFICATE, *REPORTS)
    check_paths(reads=[place, *file.reads], writes={f"--out {name}": out / name for name in names}, folders=[out])
    journey = read_journey(recipe, file)
    try:
        outcome = journey.travel()
    except InfeasibleError as error:
        return answer_unprotected(error)
    files = journey.make_files(outcome.best)
    cells = Provenance(name="cells", inputs={path.name: digest_file(path) for path in (place, *file.reads)})
    blocks = table_outcome_blocks(journey.stage, outcome, origin=(cells,))
    answer = _make_answer(outcome, files, TABLE_OUTCOME_TITLE, blocks, out)
    public = [str(out / PUBLIC)] if PUBLIC in files else []
    confidential = [str(path) for path in answer.files if str(path) not in public]
    return replace(answer, keys={**answer.keys, "seed": None, "public": public, "confidential": confidential})


def _make_answer(
    outcome: Outcome[Candidate[Attempt]],
    files: Mapping[str, bytes],
    title: Text,
    blocks: Sequence[Block],
    out: Path,
) -> Answer:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(out, f"cannot be made a folder: {(error.strerror or 'unknown reason').lower()}") from error
    text = render_text(title, blocks, language=chosen_language())
    say(text)
    best, report = outcome.best, out / REPORTS[0]
    keys = {
        "verdict": best.verdict,
        "reasons": [{"rule": one.rule, "verdict": one.verdict, "detail": one.detail} for one in best.reasons],
        "method": best.label,
        "utility": best.score.value,
        "report": str(report),
        "seed": outcome.seed.value,
        "candidates": [
            {"method": each.label, "verdict": each.verdict, "utility": each.score.value} for each in outcome.candidates
        ],
    }
    return Answer(
        keys=keys,
        words=f"{best.verdict}: {best.label}, utility {best.score.value:.4f}; the report is {report}",
        good=best.verdict is not Verdict.REFUSE,
        review=best.verdict is Verdict.REVIEW,
        files={
            **{out / name: content for name, content in files.items()},
            report: render_page(title, blocks, language=chosen_language()).encode(),
            out / REPORTS[1]: text.encode(),
        },
    )
