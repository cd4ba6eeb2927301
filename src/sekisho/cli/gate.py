"""``sekisho gate``: protect, attack, judge, measure and report in one go."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from sekisho.cli.kit.answer import AsJson, AskedSeed, Verbose, give_answer, say
from sekisho.cli.kit.key_option import Key, read_private_key
from sekisho.cli.kit.language import chosen_language
from sekisho.cli.kit.options import refuse_unsuited
from sekisho.data.shape import Shape
from sekisho.gate.explanation import explain_read_recipe
from sekisho.journey.entry import ReadRecipe
from sekisho.journey.folders import OutputFolders
from sekisho.report.kit.text import render_text
from sekisho.report.pages.verdicts.explanation import EXPLANATION_TITLE, explanation_blocks
from sekisho.words import Said

Folder = Annotated[Path, typer.Option("--out", help="The folder to write to.")]
Jobs = Annotated[
    int | None, typer.Option("--jobs", min=1, help="In how many processes candidates are made; as many as cores.")
]
Cache = Annotated[
    Path | None,
    typer.Option("--cache", help="The folder of finished steps; confidential/cache below --out if not given."),
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Keep no finished steps for another run, and use none.")]
AdviceSeconds = Annotated[
    float | None,
    typer.Option(
        "--advice",
        min=0,
        envvar="SEKISHO_ADVICE",
        help="For how many seconds changes are tried out where it may not leave; 0 tries none. If not given: as long "
        "as the run took, at least 8 and at most 60.",
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done; no data are read.")]


def gate(
    context: typer.Context,
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE.toml", help="What to protect, how, and who attacks.")],
    *,
    out: Folder = Path("gate"),
    key: Key = None,
    seed: AskedSeed = None,
    jobs: Jobs = None,
    cache: Cache = None,
    no_cache: NoCache = False,
    dry_run: DryRun = False,
    advice: AdviceSeconds = None,
    verbose: Verbose = False,
    as_json: AsJson = False,
) -> None:
    """Take data through the gate as a recipe tells: exit status 1 if they may not leave, 3 if a person must decide.

    `public` is empty unless the verdict is release; what awaits review is in `confidential/proposed`, what stays in
    `confidential`. `sekisho verify` checks the certificate.

    Example: `sekisho gate recipe.toml --out gate --key key.pem`
    """
    prepared = ReadRecipe.read(recipe)
    if prepared.recipe.shape is Shape.TABLE:
        refuse_unsuited(context, Said("tables, where no chance plays a part"), ("seed",))
    OutputFolders(out).check(reads=[*prepared.reads, key], names=prepared.names, secrets=prepared.file.secrets)
    if dry_run:
        _explain(prepared, out, as_json=as_json)
    from sekisho.cli.gate_run import take_through, watch_steps  # what a dry run does without
    from sekisho.journey.run import RunOptions

    options = RunOptions(
        out=out,
        seed=seed,
        key=read_private_key(key),
        language=chosen_language(),
        watch=watch_steps,
        jobs=jobs or os.cpu_count() or 1,
        cache=cache,
        keep=not no_cache,
    )
    entry = prepared.open()
    for notice in entry.notices:
        say(notice)
    take_through(entry, options, advice=advice, verbose=verbose, as_json=as_json)


def _explain(prepared: ReadRecipe, out: Path, *, as_json: bool) -> NoReturn:
    writes = [str(out / name) for name in prepared.names]
    explanation = explain_read_recipe(prepared.source, prepared.recipe, prepared.file, writes=writes)
    words = render_text(EXPLANATION_TITLE, explanation_blocks(explanation), language=chosen_language())
    give_answer(explanation.as_dict(), words, as_json=as_json)
