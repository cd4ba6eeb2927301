"""A backup of the database and the store as one file, and back into an empty place: the drill is a test.

The rows are taken in one transaction, table by table, as JSON; so a backup of SQLite can be restored into PostgreSQL.
The vault is not in it: whoever may read it copies it too (``sekisho worker --export``, or the folder itself).
"""

from __future__ import annotations

import json
import zipfile
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from sqlalchemy import Connection, Table, func, insert, select

from sekisho.contest.standing import digest_standings, rank_contest
from sekisho.data.files.zip_guard import BROKEN
from sekisho.errors import Fault, FaultsError, InputError, SekishoError, say_failure
from sekisho.server.contest.database.book import ContestBook
from sekisho.server.contest.database.engine import Database
from sekisho.server.contest.database.migrate import upgrade_tables
from sekisho.server.contest.database.rows import ContestRow, Row
from sekisho.server.contest.store import Store
from sekisho.server.web.receiving import CHUNK
from sekisho.words import Said

SKIPPED = ("sessions", "throttles")
"""Nobody stays logged in over a restore, and nobody waits."""
FORM = "sekisho backup 1"
BATCH = 1000
OWNER_ONLY = 0o600


def write_backup(database: Database, store: Store, out: Path) -> dict[str, str]:
    """Write a backup; return the standings' digest of each contest in it.

    The rows are read first: every file that they name was kept before them, so all of them are in the store.

    Raises:
        InputError: the file is there already, or cannot be written.
    """
    try:
        out.touch(mode=OWNER_ONLY, exist_ok=False)
    except OSError as error:
        raise InputError(
            out, Said("cannot be written: {reason}", reason=say_failure(error, Said("unknown reason")))
        ) from error
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with database.read() as session:
            for table in Row.metadata.sorted_tables:
                if table.name not in SKIPPED:
                    with archive.open(f"tables/{table.name}.jsonl", "w", force_zip64=True) as stream:
                        stream.writelines(_write_rows(session.connection(), table))
            digests = {
                name: digest_standings(rank_contest(ContestBook(database, name).catch_up(session).state))
                for name in session.scalars(select(ContestRow.name)).all()
            }
        for path in sorted(store.folder.glob("contests/*/*")):
            archive.write(path, path.relative_to(store.folder).as_posix())
        for digest in store.list_digests():
            archive.write(store.find(digest), f"files/{digest}")
        archive.writestr("backup.json", json.dumps({"form": FORM, "standings": digests}, ensure_ascii=False))
    return digests


def restore_backup(source: Path, database: Database, store: Store) -> dict[str, str]:
    """Restore a backup into an empty database and an empty store; return the standings' digest of each contest.

    Raises:
        InputError: it is no backup, or the database is in use.
        FaultsError: a file is not what its name says, or a contest does not stand as it stood; all of them.
    """
    expected = check_backup(source)
    try:
        with zipfile.ZipFile(source) as archive:
            upgrade_tables(database)
            faults = _restore_files(archive, store)
            _restore_rows(archive, database)
    except SekishoError:
        raise
    except (*BROKEN, KeyError) as error:
        raise InputError(source, Said("is no backup, or a damaged one")) from error
    digests = {name: find_digest(database, name) for name in expected}
    faults += [
        _fault("standings", name, Said("the contest {name} does not stand as it stood", name=name))
        for name, digest in expected.items()
        if digests[name] != digest
    ]
    if faults:
        raise FaultsError(source, faults)
    return digests


def check_backup(source: Path) -> dict[str, str]:
    """Return the standings' digest of each contest of a backup, having seen that it is one and is undamaged.

    Raises:
        InputError: it is none.
    """
    try:
        with zipfile.ZipFile(source) as archive:
            about = json.loads(archive.read("backup.json"))
            damaged = archive.testzip()
    except (*BROKEN, KeyError) as error:
        raise InputError(source, Said("is no backup, or a damaged one")) from error
    if damaged is not None or not isinstance(about, dict) or about.get("form") != FORM:
        raise InputError(source, Said("is no backup, or a damaged one"))
    return cast("dict[str, str]", about["standings"])


def find_digest(database: Database, name: str) -> str:
    """Return the digest of a contest's standings, computed from its ledger."""
    return digest_standings(rank_contest(ContestBook(database, name).read().state))


def _write_rows(connection: Connection, table: Table) -> Iterator[bytes]:
    for row in connection.execute(select(table).order_by(*table.primary_key.columns)).mappings():
        plain = {
            name: {"bytes": b64encode(value).decode()} if isinstance(value, bytes | memoryview) else value
            for name, value in row.items()
        }
        yield (json.dumps(plain, ensure_ascii=False) + "\n").encode()


def _restore_rows(archive: zipfile.ZipFile, database: Database) -> None:
    with database.write() as session:
        connection = session.connection()
        if session.scalar(select(func.count()).select_from(ContestRow)):
            raise InputError("the database", Said("is in use: a backup is restored into an empty one"))
        for table in Row.metadata.sorted_tables:
            if table.name in SKIPPED:
                continue
            with archive.open(f"tables/{table.name}.jsonl") as stream:
                for rows in _read_batches(stream):
                    connection.execute(insert(table), rows)
            if not database.is_sqlite and "id" in table.c:
                following = select(func.coalesce(func.max(table.c.id), 0) + 1).scalar_subquery()
                sequence = func.pg_get_serial_sequence(table.name, "id")
                connection.execute(select(func.setval(sequence, following, False)))


def _read_batches(stream: IO[bytes]) -> Iterator[list[dict[str, object]]]:
    batch: list[dict[str, object]] = []
    for line in stream:
        plain = cast("dict[str, object]", json.loads(line))
        batch.append({name: _read_value(value) for name, value in plain.items()})
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _read_value(value: object) -> object:
    if isinstance(value, dict):
        return b64decode(cast("dict[str, str]", value)["bytes"])
    return value


def _restore_files(archive: zipfile.ZipFile, store: Store) -> list[Fault]:
    faults: list[Fault] = []
    for name in archive.namelist():
        folder, _, rest = name.partition("/")
        if folder == "files":
            faults += _restore_file(archive, store, name, rest)
        elif folder == "contests" and ".." not in rest:
            place = store.folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(archive.read(name))
    return faults


def _restore_file(archive: zipfile.ZipFile, store: Store, name: str, digest: str) -> list[Fault]:
    size = archive.getinfo(name).file_size
    with archive.open(name) as stream:
        received = store.receive(iter(lambda: stream.read(CHUNK), b""), name=name, most_bytes=size)
    if received.digest != digest:
        store.discard(received)
        return [_fault("digest", digest, Said("{name} is not what its name says", name=name))]
    store.keep(received)
    return []


def _fault(rule: str, value: str, message: Said) -> Fault:
    return Fault(row=0, column="", rule=rule, value=value, message=message)
