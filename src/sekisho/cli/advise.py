"""``sekisho advise``: what should I change?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sekisho.cli.kit.answer import Answer, AsJson, AskedSeed, Verbose, say
from sekisho.cli.kit.files import Report
from sekisho.cli.kit.language import chosen_language
from sekisho.cli.kit.progress import watch
from sekisho.data.files.whole_files import check_paths
from sekisho.errors import ParameterError
from sekisho.words import Said, join_words

if TYPE_CHECKING:  # the gate, which is loaded once the command is asked for
    from sekisho.journey.advice import Advice

SHOWN = 5
Seconds = Annotated[float, typer.Option("--seconds", min=1, help="How long changes are tried.")]


def advise(
    source: Annotated[Path, typer.Argument(metavar="FILE|RECIPE.toml", help="A recipe, or a file of data.")],
    *,
    seconds: Seconds = 120.0,
    number: Annotated[int | None, typer.Option("--apply", min=1, help="Write the recipe with this proposal.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="With --apply: the recipe to write.")] = None,
    report: Report = None,
    seed: AskedSeed = None,
    verbose: Verbose = False,
    as_json: AsJson = False,
) -> None:
    """Try out what could be changed in a recipe: each change with the verdict, loss and risk that it leads to.

    Columns are told more coarsely or left out, other sizes and methods are tried, then the best together. Nothing is
    written unless it is asked for.

    Example: `sekisho advise recipe.toml --seconds 60 --apply 1 --out better.toml`
    """
    from sekisho.journey.advice import advice_page, advise_steps, choose_seed, open_recipe

    if (number is None) != (out is None):
        raise ParameterError("--apply", Said("be given together with --out"), number)
    check_paths(reads=[source], writes={"--out": out, "--report": report})
    with open_recipe(source, chosen_language()) as (recipe, schema):
        chosen = choose_seed(recipe, seed)
        if seed is None:
            say(Said("seed {seed}", seed=chosen.value))
        advice = watch_advice(advise_steps(recipe, seed=chosen, seconds=seconds))
    files: dict[Path, bytes] = {}
    if out is not None and number is not None:
        files[out] = advice.apply(number).encode()
        if schema is not None:
            files[out.parent / f"{source.stem}.schema.toml"] = schema
    if report is not None:
        files[report] = advice_page(advice, {}, language=chosen_language())
    _answer(advice, source, files, verbose=verbose).deliver(as_json=as_json)


def watch_advice(steps: Iterator[Advice]) -> Advice:
    """Go through the trials; an interruption keeps what was tried."""
    return watch(
        steps,
        doing=Said("trying changes"),
        tell=lambda step: f"{step.done}/{step.total}",
        keep=lambda step: Said("{tried} changes were tried", tried=step.tried) if step.tried else None,
    )


def _answer(advice: Advice, source: Path, files: dict[Path, bytes], *, verbose: bool) -> Answer:
    lines = [*_tell_before(advice)]
    for place, each in enumerate(advice.proposals if verbose else advice.proposals[:SHOWN], 1):
        lines += [
            Said("({number}) {change}", number=place, change=each.describe()),
            *(f"    {one}" for one in each.lines),
        ]
    if not advice.proposals:
        lines.append(Said("None of the changes that were tried brings anything."))
    lines.append(
        Said(
            "{tried} {tried:change was|changes were} tried, {untried} were not, for lack of time.",
            tried=advice.tried,
            untried=advice.untried,
        )
    )
    lines += [Said("written: {file}", file=str(path)) for path in files]
    keys = {**advice.as_dict(), "recipe": str(source), "written": [str(path) for path in files]}
    fine = advice.before is not None and advice.before.verdict == "release"
    return Answer(keys=keys, words=join_words(lines, "\n"), good=fine or bool(advice.proposals), files=files)


def _tell_before(advice: Advice) -> list[str]:
    before = advice.before
    if before is None:
        return [Said("the recipe as it is did not end in time: --seconds gives it more")]
    if before.verdict is None:
        return [Said("as it is: nothing can be made ({why})", why=before.why)]
    return [
        Said(
            "as it is: {verdict}, loss {loss:.4f}, attacks find {risk:.1%}; {why}",
            verdict=before.verdict.words,
            loss=before.loss,
            risk=before.risk,
            why=before.why,
        )
    ]
