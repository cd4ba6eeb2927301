"""``sekisho gate`` and ``sekisho demo``: protect, attack, judge, measure and report in one go."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.answer import AsJson, AskedSeed, give, say, settled
from sekisho.cli.progress import watched
from sekisho.contest.submission import publish, read_original, write_guess, write_original, write_release
from sekisho.data.dataset import Dataset
from sekisho.data.io import write_whole
from sekisho.errors import InputError
from sekisho.gate.demo import demo_history, demo_recipe
from sekisho.gate.journey import Outcome, Verdict, run
from sekisho.gate.recipe import Recipe, read_recipe
from sekisho.report.html import page
from sekisho.report.outcome import outcome_blocks, outcome_title
from sekisho.report.text import plain
from sekisho.report.words import Language
from sekisho.seeds import Seed

Folder = Annotated[Path, typer.Option("--out", help="The folder to write to.")]


def gate(
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE.toml", help="What to protect, how, and who attacks.")],
    out: Folder = Path("gate"),
    seed: AskedSeed = None,
    as_json: AsJson = False,
) -> None:
    """Take a history through the gate as a recipe tells: exit status 1 if it may not leave, 3 if a person must decide.

    Example: `sekisho gate recipe.toml --out gate`
    """
    made, told = read_recipe(recipe)
    original = read_original(Path(told.original), made.rules)
    _journey(made, original, settled(told.seed if seed is None else seed), out, as_json=as_json)


def demo(out: Folder = Path("demo"), seed: AskedSeed = 2018, as_json: AsJson = False) -> None:
    """Watch the whole journey on a bundled synthetic purchase history.

    Example: `sekisho demo --out demo`
    """
    start = settled(seed)
    _journey(demo_recipe(), demo_history(start), start, out, as_json=as_json)


def _journey(recipe: Recipe, original: Dataset, seed: Seed, out: Path, *, as_json: bool) -> None:
    outcome = watched(run(recipe, original, seed=seed), doing="protect and attack").outcome
    best = outcome.best
    _write(outcome, out)
    say(plain(outcome_title(outcome), outcome_blocks(outcome), language=Language.EN))
    report = out / "report.html"
    keys = {
        "verdict": best.verdict,
        "method": best.method,
        "utility": best.score.value,
        "report": str(report),
        "seed": seed.value,
        "candidates": [
            {"method": each.method, "verdict": each.verdict, "utility": each.score.value} for each in outcome.candidates
        ],
    }
    words = f"{best.verdict}: {best.method}, utility {best.score.value:.4f}; the report is {report}"
    give(keys, words, as_json=as_json, good=best.verdict is not Verdict.REFUSE, review=best.verdict is Verdict.REVIEW)


def _write(outcome: Outcome, out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(out, f"cannot be made a folder: {(error.strerror or 'unknown reason').lower()}") from error
    best, rules = outcome.best, outcome.recipe.rules
    files = {
        out / "T.csv": write_original(outcome.original, rules),
        out / "A.csv": write_release(best.release, rules),
        out / "A1.csv": publish(best.release, rules),
        out / "report.html": page(outcome_title(outcome), outcome_blocks(outcome)).encode(),
        out / "report.txt": plain(outcome_title(outcome), outcome_blocks(outcome), language=Language.EN).encode(),
    }
    for trial in best.trials:
        files[out / f"F-{trial.adversary.replace(' ', '-')}.csv"] = write_guess(trial.guess, rules)
    write_whole(files)
