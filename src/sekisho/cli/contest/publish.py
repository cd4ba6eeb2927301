"""``sekisho publish``: what leaves of a release, and the truth that stays."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import AsJson, AskedSeed
from sekisho.cli.kit.files import Out, Released, Rules
from sekisho.cli.worlds.world import find_world
from sekisho.contest.rulebook import rules_path
from sekisho.data.files.output_paths import check_paths


def publish(
    context: typer.Context,
    rules: Rules,
    released: Released,
    out: Out,
    original: Annotated[Path | None, typer.Option(help="The original, needed for --truth of a history.")] = None,
    truth: Annotated[
        Path | None, typer.Option(help="Also write who is who: lines pseudonym,customer; of records, each row's place.")
    ] = None,
    seed: AskedSeed = None,
    as_json: AsJson = False,
) -> None:
    """Publish a release: drop the deleted rows and sort the lines, or shuffle records.

    Example: `sekisho publish pwscup2018 --released A.csv --out A1.csv`
    """
    check_paths(reads=[rules_path(rules), released, original], writes={"--out": out, "--truth": truth})
    world = find_world(rules, context, "publish")
    world.publish(released, out, original, truth, seed).deliver(as_json=as_json)
