"""``sekisho table verify``: check a certificate of any method, and the files that it speaks of."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import AsJson, give_answer
from sekisho.cli.table.describe import describe_claims, list_proven
from sekisho.cli.table.describe_release import describe_release, list_released
from sekisho.cli.table.written import compare_files
from sekisho.data.files.whole_files import detect_and_decode, read_bytes
from sekisho.tables.check.checker import check
from sekisho.tables.check.release_checker import check_release
from sekisho.tables.check.release_claims import ClaimedRelease, is_release
from sekisho.words import Said, join_words


def verify(
    source: Annotated[Path, typer.Argument(metavar="CERTIFICATE", help="The certificate.")],
    pattern: Annotated[
        list[Path] | None,
        typer.Option("--pattern", help="The pattern that it is to speak of; if not given, the file beside it."),
    ] = None,
    public: Annotated[
        list[Path] | None,
        typer.Option("--public", help="The published table that it is to speak of; if not given, the file beside it."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a certificate in exact arithmetic, without the optimiser or a solver, and the files that it speaks of.

    Certificates of suppression and of releases by any other method are read. The pattern and the published table must
    show and hide what the certificate says, and be the files that were written. Those that are not given are looked for
    beside the certificate; if there are none, the answer says that the certificate alone was checked.

    Example: `sekisho table verify p.csv.certificate.json --pattern p.csv`
    """
    text = detect_and_decode(read_bytes(source), source)[0]
    checked = check_release(text) if is_release(text) else check(text)
    beside = compare_files(checked.claimed, source, pattern or [], public or [])
    errors = [*checked.errors, *beside.errors]
    keys: dict[str, object] = {"valid": not errors, "errors": errors}
    proven = list[str]()
    if checked.valid and checked.claimed is not None:
        claims = checked.claimed
        keys |= describe_release(claims) if isinstance(claims, ClaimedRelease) else describe_claims(claims)
        keys |= beside.keys
        proven = list(list_released(keys) if isinstance(claims, ClaimedRelease) else list_proven(keys))
    lines = [Said("invalid:"), *errors[:20]] if errors else proven
    more = [Said("and {rest:,} more", rest=len(errors) - 20)] if len(errors) > 20 else []
    give_answer(keys, join_words([*lines, *more], "\n"), as_json=as_json, good=not errors)
