"""``sekisho publish``: what leaves of a release, and the truth that stays."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli import linkage
from sekisho.cli.kit.answer import AsJson, AskedSeed, give
from sekisho.cli.kit.files import Out, Released, Rules
from sekisho.contest.history.files import publish_file, read_original
from sekisho.contest.history.referee import truth_file
from sekisho.contest.history.rules import rules_path
from sekisho.contest.records.rules import RecordRules, read_rulebook
from sekisho.data.files.places import check_places
from sekisho.data.files.whole import write_whole
from sekisho.errors import ParameterError


def publish(
    rules: Rules,
    released: Released,
    out: Out,
    original: Annotated[Path | None, typer.Option(help="The original, needed for --truth.")] = None,
    truth: Annotated[Path | None, typer.Option(help="Also write who is who: lines pseudonym,customer.")] = None,
    seed: AskedSeed = None,
    as_json: AsJson = False,
) -> None:
    """Publish a release: drop the deleted rows and sort the lines, which is the shuffle.

    Example: `sekisho publish pwscup2018 --released A.csv --out A1.csv`
    """
    check_places(reads=[rules_path(rules), released, original], writes={"--out": out, "--truth": truth})
    book = read_rulebook(rules)
    if isinstance(book, RecordRules):
        linkage.shuffled(book, released, out, truth, seed, as_json=as_json)
        return
    published = publish_file(released, book)
    files = {out: published.data}
    if truth is not None:
        if original is None:
            raise ParameterError("truth", "be asked for together with --original", str(truth))
        files[truth] = truth_file(read_original(original, book), released, book)
    write_whole(files)
    words = f"{published.rows:,} rows of {published.people:,} people written to {out}"
    give({"rows": published.rows, "people": published.people}, words, as_json=as_json)
