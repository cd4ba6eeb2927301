"""``sekisho gate`` and ``sekisho demo``: protect, attack, judge, measure and report in one go."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import AsJson, AskedSeed, give, say, settled
from sekisho.cli.kit.progress import watched
from sekisho.contest.history.files import publish, read_original, write_guess, write_original, write_release
from sekisho.contest.history.rules import rules_path
from sekisho.data.files.places import check_places
from sekisho.data.files.whole import write_whole
from sekisho.data.frame.dataset import Dataset
from sekisho.errors import InputError
from sekisho.gate.demo import demo_history, demo_recipe
from sekisho.gate.journey import Outcome, Verdict, run
from sekisho.gate.recipe import Recipe, read_recipe
from sekisho.report.kit.html import page
from sekisho.report.kit.text import plain
from sekisho.report.kit.words import Language
from sekisho.report.pages.outcome import outcome_blocks, outcome_title
from sekisho.seeds import Seed

Folder = Annotated[Path, typer.Option("--out", help="The folder to write to.")]
FILES = ("T.csv", "A.csv", "A1.csv", "report.html", "report.txt")
"""What the gate writes: the original, the best release, what is published of it, and the report."""


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
    _check_places(made, out, reads=[recipe, Path(told.original), rules_path(told.rules)])
    original = read_original(Path(told.original), made.rules)
    _journey(made, original, settled(told.seed if seed is None else seed), out, as_json=as_json)


def demo(out: Folder = Path("demo"), seed: AskedSeed = 2018, as_json: AsJson = False) -> None:
    """Watch the whole journey on a bundled synthetic purchase history.

    Example: `sekisho demo --out demo`
    """
    recipe, start = demo_recipe(), settled(seed)
    _check_places(recipe, out, reads=[])
    _journey(recipe, demo_history(start), start, out, as_json=as_json)


def _check_places(recipe: Recipe, out: Path, *, reads: Sequence[Path]) -> None:
    names = [*FILES, *(_guess_file(adversary) for adversary in recipe.adversaries)]
    check_places(reads=reads, writes={f"--out {name}": out / name for name in names}, folder=out)


def _guess_file(adversary: str) -> str:
    return f"F-{adversary.replace(' ', '-').replace('/', '-')}.csv"


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
    contents = (
        write_original(outcome.original, rules),
        write_release(best.release, rules),
        publish(best.release, rules),
        page(outcome_title(outcome), outcome_blocks(outcome)).encode(),
        plain(outcome_title(outcome), outcome_blocks(outcome), language=Language.EN).encode(),
    )
    files = {out / name: content for name, content in zip(FILES, contents, strict=True)}
    for trial in best.trials:
        files[out / _guess_file(trial.adversary)] = write_guess(trial.guess, rules)
    write_whole(files)
