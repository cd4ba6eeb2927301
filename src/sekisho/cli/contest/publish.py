"""``sekisho publish``: what leaves of a release, and the truth that stays."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import AsJson, AskedSeed
from sekisho.cli.kit.files import Out, Released, Rules
from sekisho.cli.shapes.files import PublishFiles
from sekisho.cli.shapes.verbs import find_verbs
from sekisho.data.files.whole_files import check_paths
from sekisho.gate.rulebooks import rules_path


def publish(
    context: typer.Context,
    rules: Rules,
    released: Released,
    out: Out,
    *,
    original: Annotated[
        Path | None,
        typer.Option(help="The original: refuse what `check` refuses; needed for --truth of a history."),
    ] = None,
    deleted: Annotated[Path | None, typer.Option(help="Of records, beside --original: X, the deleted rows.")] = None,
    truth: Annotated[
        Path | None, typer.Option(help="Also write who is who: lines pseudonym,customer; of records, each row's place.")
    ] = None,
    seed: AskedSeed = None,
    as_json: AsJson = False,
) -> None:
    """Publish a release: drop the deleted rows, write equal values alike, and sort the lines, or shuffle records.

    Status 3 if the pseudonyms tell the names of the original's people.

    Example: `sekisho publish pwscup2018 --released A.csv --out A1.csv`
    """
    check_paths(reads=[rules_path(rules), released, original, deleted], writes={"--out": out, "--truth": truth})
    verbs = find_verbs(rules, context, "publish")
    files = PublishFiles(released=released, out=out, original=original, deleted=deleted, truth=truth)
    verbs.publish(files, seed).deliver(as_json=as_json)
