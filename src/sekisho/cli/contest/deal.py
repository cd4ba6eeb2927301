"""``sekisho contest deal``: which team gets which original, bound beforehand by a digest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import Answer, AsJson
from sekisho.cli.kit.files import Rules
from sekisho.contest.rulebook import read_tables_rules
from sekisho.contest.tables.dealing import commit_salt, deal_originals
from sekisho.data.files.whole_files import check_paths, decode_text, read_bytes
from sekisho.errors import InputError, MissingFileError
from sekisho.seeds import draw_salt
from sekisho.words import Said


def deal(
    rules: Rules,
    teams: Annotated[list[str], typer.Argument(metavar="TEAM…", help="The teams.")],
    originals: Annotated[Path, typer.Option("--originals", help="A folder of originals, a file each, with any names.")],
    salt: Annotated[
        Path, typer.Option("--salt", help="The salt, the organiser's secret: drawn and written if there is none.")
    ],
    out: Annotated[Path, typer.Option("--out", help="A new folder for TEAM.csv and what everybody is given.")],
    as_json: AsJson = False,
) -> None:
    """Deal originals out to teams by a hash of their names and a secret salt, and tell the digest that binds the salt.

    Publish the commitment before teams register, and the salt at the end: whoever deals with it again gets the same.

    Example: `sekisho contest deal pwscup2026 team01 team02 --originals cohorts --salt salt.txt --out originals`
    """
    check_paths(writes={"--salt": salt})
    book = read_tables_rules(rules)
    if not originals.is_dir():
        raise MissingFileError(originals)
    if out.exists():
        raise InputError(out, Said("is in use: originals go into a new folder"))
    words = decode_text(read_bytes(salt), salt).strip() if salt.is_file() else draw_salt()
    commitment = commit_salt(words)
    found = {path.stem: path for path in sorted(originals.glob("*.csv"))}
    missing = [name for name in book.original.given if name not in found]
    if missing:
        raise MissingFileError(originals / f"{missing[0]}.csv")
    dealt = deal_originals([name for name in found if name not in book.original.given], teams, words)
    files = {out / f"{team}.csv": read_bytes(found[name]) for team, name in dealt.items()}
    files |= {out / f"{name}.csv": read_bytes(found[name]) for name in book.original.given}
    out.mkdir(parents=True)
    files |= {} if salt.is_file() else {salt: f"{words}\n".encode()}
    keys = {"out": str(out), "teams": sorted(teams), "commitment": commitment}
    told = Said(
        "{teams} teams have their originals in {out}; the salt's SHA-256 is {commitment}",
        teams=len(teams),
        out=out,
        commitment=commitment,
    )
    Answer(keys=keys, words=told, files=files).deliver(as_json=as_json)
