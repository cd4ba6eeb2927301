"""``sekisho gate`` and ``sekisho demo``: protect, attack, judge, measure and report in one go."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from sekisho.cli.kit.answer import AsJson, AskedSeed, give_answer, say, settle_seed
from sekisho.cli.kit.language import chosen_language
from sekisho.cli.kit.progress import watch_counted
from sekisho.cli.kit.suits import refuse_unsuited
from sekisho.gate.certificate.signing import PrivateKey
from sekisho.gate.demo import draw_demo_history, make_demo_recipe
from sekisho.gate.entry import AnyEntry, HistoryEntry, ReadRecipe, TableEntry, list_names
from sekisho.gate.history.stage import HistoryCandidate, HistoryStage
from sekisho.gate.outcome import Verdict
from sekisho.gate.outputs.folders import OutputFolders
from sekisho.gate.tables.recipe import TableRecipe
from sekisho.report.passage.result import GateResult
from sekisho.report.passage.run import RunOptions, run_entry

UNLOCKED_BY = "SEKISHO_KEY_PASSPHRASE"
Folder = Annotated[Path, typer.Option("--out", help="The folder to write to.")]
Key = Annotated[
    Path | None,
    typer.Option(
        "--key",
        help=f"Sign the certificate with this private key; its passphrase, if it has one, is in ${UNLOCKED_BY}.",
    ),
]


def gate(
    context: typer.Context,
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE.toml", help="What to protect, how, and who attacks.")],
    out: Folder = Path("gate"),
    key: Key = None,
    seed: AskedSeed = None,
    as_json: AsJson = False,
) -> None:
    """Take data through the gate as a recipe tells: exit status 1 if they may not leave, 3 if a person must decide.

    What may leave is in `public`, what stays in `confidential`; `sekisho verify` checks the certificate.

    Example: `sekisho gate recipe.toml --out gate --key key.pem`
    """
    prepared = ReadRecipe.read(recipe)
    if isinstance(prepared.recipe, TableRecipe):
        refuse_unsuited(context, "tables, where no chance plays a part", ("seed",))
    OutputFolders(out).check(reads=[*prepared.reads, key], names=prepared.names)
    signer = _read_key(key)
    entry = prepared.open()
    for notice in entry.notices:
        say(notice)
    _take(entry, out, signer, seed, as_json=as_json)


def demo(out: Folder = Path("demo"), key: Key = None, seed: AskedSeed = 2018, as_json: AsJson = False) -> None:
    """Watch the whole journey on a bundled synthetic purchase history.

    Example: `sekisho demo --out demo`
    """
    recipe, start = make_demo_recipe(), settle_seed(seed)
    OutputFolders(out).check(reads=[key], names=list_names(recipe))
    stage = HistoryStage(recipe=recipe, original=draw_demo_history(start))
    _take(HistoryEntry(stage=stage), out, _read_key(key), start.value, as_json=as_json)


def _read_key(key: Path | None) -> PrivateKey | None:
    return None if key is None else PrivateKey.read(key, passphrase=os.environ.get(UNLOCKED_BY, ""))


def _take(entry: AnyEntry, out: Path, key: PrivateKey | None, seed: int | None, *, as_json: bool) -> NoReturn:
    if seed is None and not isinstance(entry, TableEntry):
        seed = settle_seed(entry.seed).value

    def watch(steps: Any) -> Any:
        return watch_counted(steps, doing="protecting and attacking")

    options = RunOptions(out=out, seed=seed, key=key, language=chosen_language(), watch=watch)
    result = run_entry(entry, options)
    say(result.text)
    _answer(result, as_json=as_json)


def _answer(result: GateResult, *, as_json: bool) -> NoReturn:
    best = result.best
    keys = result.as_dict()
    if isinstance(best, HistoryCandidate):
        keys["claim"] = _describe_claim(best)
    word = "nothing protects it" if best is None else f"{best.label}, utility {best.score.value:.4f}"
    give_answer(
        keys,
        f"{result.verdict}: {word}; the report is {result.report}",
        as_json=as_json,
        good=result.verdict is not Verdict.REFUSE,
        review=result.verdict is Verdict.REVIEW,
    )


def _describe_claim(best: HistoryCandidate) -> dict[str, object]:
    """Return how the safety claim H0 itself stands."""
    worst = best.claim.worst
    return {
        "standing": best.claim.standing,
        "assumes": best.claim.assumption,
        "worst": worst and {"size": worst.size, "chance": float(worst.chance), "allowed": float(worst.allowed)},
    }
