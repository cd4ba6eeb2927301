"""Contests come to a server as the archives that `sekisho contest export` writes, and leave it as such.

The truth goes into the vault, files that were handed in into the store, the ledger line by line through the referee
into the database. This is a worker's task: an archive with truth does not pass the web process.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from sqlalchemy import select

from sekisho.contest.board.rules import name_figure
from sekisho.contest.event import Created, Event, Published
from sekisho.contest.folder.archive import unpack_contest, write_contest
from sekisho.contest.folder.binding import LEDGER, RULES_FILE, SECRET, commit_secret, parse_secret
from sekisho.contest.folder.live import OWNER_ONLY, write_files
from sekisho.contest.handed_original import SHARED, hand_out_originals
from sekisho.contest.ledger import Head, digest_bytes, read_ledger
from sekisho.contest.rulebook import Rulebook, read_rulebook
from sekisho.contest.state import ContestState
from sekisho.contest.tables.building_blocks import require_held
from sekisho.contest.tables.rules import TablesRules
from sekisho.errors import InputError, ParameterError, SekishoError, say_failure
from sekisho.provenance import digest_file
from sekisho.server.contest.contest_archive import lay_out_public
from sekisho.server.contest.database.audit import AuditNote, add_note
from sekisho.server.contest.database.book import ContestBook, Pen
from sekisho.server.contest.database.engine import Database
from sekisho.server.contest.database.jobs import JobKind, add_job
from sekisho.server.contest.database.rows import COMMITMENT, ContestRow, HandoutRow
from sekisho.server.contest.site import read_clock
from sekisho.server.contest.store import Store
from sekisho.server.contest.vault.vault_contest import find_truth
from sekisho.words import Said

NAME = re.compile(r"\w[\w.-]{0,59}")


def import_contest(data: bytes, database: Database, store: Store, vault: Path, name: str = "") -> str:
    """Take a contest over from an archive; return its name.

    Args:
        data: the archive, with the truth.
        database: with its tables.
        store: of the files.
        vault: of the truth.
        name: what the contest is called here; that of its rules if empty.

    Raises:
        InputError, FaultsError: it is no archive of a contest, or there is a contest of that name already.
    """
    files = unpack_contest(data, "the archive")
    if SECRET not in files:
        raise InputError("the archive", Said("lacks the referee's truth: it was exported with --public"))
    events, _ = read_ledger(files[LEDGER], LEDGER)
    created = events[0]
    if not isinstance(created, Created):
        raise InputError(LEDGER, Said("does not begin with a contest"))
    rules = _read_rules(files)
    name = name or created.name
    if NAME.fullmatch(name) is None:
        raise ParameterError("name", Said("be a word of letters, digits, _ . and -"), name)
    with database.read() as session:
        if session.scalar(select(ContestRow.id).where(ContestRow.name == name)) is not None:
            raise InputError("the database", Said("there is a contest {name!r} already", name=name))
    _place_files(files, store, vault, name)
    with database.write() as session:
        row = ContestRow(name=name, created=created.at)
        session.add(row)
        session.flush()
        pen = Pen(session=session, contest=row.id, state=ContestState(), head=Head(), adopts=False)
        for event in events:
            pen.send(event)
        for entry in pen.state.pending:
            add_job(session, pen.contest, JobKind.SCORE, at=entry.at, entry=entry.number)
        _hand_out(pen, files, store)
        _hand_out_originals(pen, rules, vault / name, store)
        _commit(pen, files, events)
        detail = {"contest": name, "lines": pen.head.count, "head": pen.head.digest}
        add_note(session, pen.contest, AuditNote(at=read_clock(), actor="worker", action="import", detail=detail))
    return name


def export_contest(book: ContestBook, store: Store, vault: Path, out: Path) -> str:
    """Write a whole contest as one archive, with the truth, and return its digest; the same contest, the same bytes.

    What is gathered for it lies in the vault meanwhile, for it holds the truth; no more than a file is in memory.

    Raises:
        InputError: the truth is not in this vault, or the archive cannot be written.
    """
    truth = find_truth(vault, book.name)
    with TemporaryDirectory(prefix=".export-", dir=vault) as place:
        folder = Path(place) / book.name
        lay_out_public(book, store, folder)
        for part in ("truth", "rounds"):
            if (truth / part).is_dir():
                shutil.copytree(truth / part, folder / part, dirs_exist_ok=True)
        try:
            beside = Path(mkdtemp(prefix=".export-", dir=out.parent)) / out.name
            try:
                with beside.open("wb") as stream:
                    write_contest(folder, stream)
                digest = digest_file(beside)
                beside.replace(out)
            finally:
                shutil.rmtree(beside.parent)
        except OSError as error:
            if isinstance(error, SekishoError):
                raise
            raise InputError(
                out, Said("cannot be written: {reason}", reason=say_failure(error, Said("unknown reason")))
            ) from error
    return digest


def _read_rules(files: Mapping[str, bytes]) -> Rulebook:
    """Return the rules of an archive.

    Raises:
        InputError, FaultsError: they cannot be read.
        ParameterError: no contest can be held under them.
    """
    with TemporaryDirectory(prefix="sekisho-rules-") as place:
        for path, data in files.items():
            if "/" not in path and path != LEDGER:
                (Path(place) / path).write_bytes(data)
        rules = read_rulebook(str(Path(place) / RULES_FILE))
    if isinstance(rules, TablesRules):
        require_held(rules)
        asked = [name_figure(each.name, part) for each, part in rules.board.questions]
        if len(asked) > 1:  # their attacks are archives of several answers, for which there is no form yet
            rule = Said("ask attackers one thing on a server; a contest that asks several is held in a folder")
            raise ParameterError("score.protection", rule, ", ".join(asked))
    return rules


def _place_files(files: Mapping[str, bytes], store: Store, vault: Path, name: str) -> None:
    """Write the files to where they belong: what was handed in to the store, rules to both, all else to the vault."""
    rules = {path: data for path, data in files.items() if "/" not in path and path != LEDGER}
    write_files(store.find_contest(name), {store.find_contest(name) / path: data for path, data in rules.items()})
    vault.mkdir(parents=True, exist_ok=True)
    vault.chmod(OWNER_ONLY)
    kept = {path: data for path, data in files.items() if path.startswith(("rounds/", "truth/"))} | rules
    write_files(vault / name, {vault / name / path: data for path, data in kept.items()})
    for path, data in files.items():
        if path.startswith("files/"):
            store.keep_bytes(data)


def _hand_out(pen: Pen, files: Mapping[str, bytes], store: Store) -> None:
    """Note who may download what: what is published all teams, a test its attacker."""
    for path, data in files.items():
        parts = path.split("/")
        if parts[0] != "rounds":
            continue
        stem = Path(parts[-1]).stem
        found = {
            "published": ("published", stem, ""),
            "tests": ("test", stem.partition("-on-")[2], stem.partition("-on-")[0]),
        }.get(parts[2])
        if found is None:
            continue
        kind, about, team = found
        _add_handout(pen, store, kind=kind, round_name=parts[1], about=about, team=team, data=data)
    pen.session.flush()


def _hand_out_originals(pen: Pen, rules: Rulebook, folder: Path, store: Store) -> None:
    """Note which team may download which original: what is the team's of it, and no more."""
    for name in pen.state.contest.round_names:
        for each in hand_out_originals(rules, folder / "rounds" / name):
            _add_handout(
                pen, store, kind="original", round_name=name, about=each.number, team=each.team, data=each.content
            )
    pen.session.flush()


def _commit(pen: Pen, files: Mapping[str, bytes], events: Iterable[Event]) -> None:
    """Note to what the referee is bound: his secret, every original, and what he keeps of each publication.

    Originals are salted with his secret, so that nobody can try out what they might hold.
    """
    secret = parse_secret(files[SECRET], SECRET)
    noted = {("", "secret"): commit_secret(secret, "")}
    for path, data in files.items():
        parts = path.split("/")
        if parts[0] == "rounds" and (parts[2] == SHARED or parts[2] == "originals"):
            noted[parts[1], "/".join(parts[2:])] = commit_secret(secret, digest_bytes(data))
    noted |= {(event.round, "published"): event.commitment for event in events if isinstance(event, Published)}
    for (round_name, about), digest in noted.items():
        pen.session.add(
            HandoutRow(contest=pen.contest, kind=COMMITMENT, round=round_name, about=about, team="", digest=digest)
        )
    pen.session.flush()


def _add_handout(pen: Pen, store: Store, *, kind: str, round_name: str, about: str, team: str, data: bytes) -> None:
    digest = store.keep_bytes(data)
    pen.session.add(HandoutRow(contest=pen.contest, kind=kind, round=round_name, about=about, team=team, digest=digest))
