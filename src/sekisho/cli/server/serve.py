"""``sekisho serve``: the web process of a contest."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Annotated

import typer

from sekisho.cli.kit.answer import Answer, AsJson, print_json, print_words, say
from sekisho.cli.kit.language import tell_words
from sekisho.cli.kit.options import refuse_unsuited
from sekisho.cli.server.places import SQLITE, USUAL, DatabaseUrl, StoreFolder, settle_store
from sekisho.errors import InputError
from sekisho.extras import require_extra
from sekisho.seeds import draw_token
from sekisho.words import Said

if TYPE_CHECKING:
    from fastapi import FastAPI


def serve(
    context: typer.Context,
    *,
    database: DatabaseUrl = USUAL,
    store: StoreFolder = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="A contest to try out, in a place that is removed at the end.")
    ] = False,
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="The port.")] = 8000,
    host: Annotated[str, typer.Option("--host", help="The address to listen at.")] = "127.0.0.1",
    contest: Annotated[str, typer.Option("--contest", help="Which contest; the only one if not given.")] = "",
    tls: Annotated[bool, typer.Option("--tls", help="A reverse proxy serves TLS: cookies go over TLS only.")] = False,
    referee: Annotated[
        str, typer.Option("--add-referee", help="Make an account for a referee, tell its password, and end.")
    ] = "",
    backup: Annotated[
        Path | None, typer.Option("--backup", help="Write database and store as a file, and end.")
    ] = None,
    restore: Annotated[
        Path | None, typer.Option("--restore", help="Restore such a file into an empty database and store, and end.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Serve a contest: pages and an API over its database. Workers score; only they know the truth.

    A contest comes into the database by `sekisho worker --import ARCHIVE`, which `sekisho contest export` writes.

    Example: `sekisho serve --demo`, or `sekisho serve --database sqlite:///cup/contest.sqlite3 --port 8000`
    """
    require_extra("server", Said("the server"), "not installed")
    if demo:
        unsuited = ("database", "store", "contest", "tls", "referee", "backup", "restore")
        refuse_unsuited(context, Said("the demonstration"), unsuited)
        _serve_demo(host, port, as_json=as_json)
    place = settle_store(database, store)
    if restore is not None:
        _restore(restore, database, place, as_json=as_json)
    if backup is not None:
        _backup(backup, database, place, as_json=as_json)
    if referee:
        _add_referee(referee, database, place, contest, as_json=as_json)
    _serve(database, place, contest, host, port, tls=tls, as_json=as_json)


def _serve(database: str, store: Path, contest: str, host: str, port: int, *, tls: bool, as_json: bool) -> None:
    from sekisho.cli.server.opening import open_database

    with open_database(database):
        pass
    app = _make_app(database, store, contest, tls=tls)
    _tell({"url": f"http://{host}:{port}", "accounts": {}}, as_json=as_json)
    _run_app(app, host, port, tls=tls)
    raise typer.Exit(0)


def _make_app(database: str, store: Path, contest: str, *, tls: bool) -> FastAPI:
    from sekisho.server.contest.app import create_app
    from sekisho.server.contest.settings import WebSettings

    settings = WebSettings(database=database, store=store, contest=contest, secure=tls)
    return create_app(settings)


def _run_app(app: FastAPI, host: str, port: int, *, tls: bool) -> None:
    import uvicorn

    from sekisho.server.web.logs import configure_logs
    from sekisho.server.web.slow_clients import limit_headers

    configure_logs()
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=limit_headers(app.state.site.settings.limits.header_seconds),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=tls,
    )
    server = uvicorn.Server(config)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        server.run()
    except KeyboardInterrupt:
        say(Said("stopped"))
    except SystemExit as error:
        raise InputError(f"{host}:{port}", Said("cannot be listened at: the port is in use, or not ours")) from error


def _serve_demo(host: str, port: int, *, as_json: bool) -> None:
    with TemporaryDirectory(prefix="sekisho-demo-") as place:
        url, store, vault = f"{SQLITE}{place}/contest.sqlite3", Path(place) / "store", Path(place) / "vault"
        words = ["worker", "--demo", "--database", url, "--store", str(store), "--vault", str(vault), "--json"]
        with _run_beside(words) as said:
            line = said.readline()
            if not line:
                raise InputError("the demonstration", Said("could not be made"))
            app = _make_app(url, store, "", tls=False)
            _tell({"url": f"http://{host}:{port}", **json.loads(line)}, as_json=as_json)
            _run_app(app, host, port, tls=False)
    raise typer.Exit(0)


@contextmanager
def _run_beside(words: list[str]) -> Generator[IO[str]]:
    """Run another command as long as this one; give what it says."""
    line = [sys.executable, "-m", "sekisho", *words]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env=dict(os.environ)) as process:
        try:
            if process.stdout is None:
                raise InputError("the worker", Said("says nothing"))
            yield process.stdout
        finally:
            process.terminate()


def _tell(keys: dict[str, object], *, as_json: bool) -> None:
    """Tell where the server listens, before it does."""
    if as_json:
        print_json(keys)
        return
    accounts = keys.get("accounts")
    lines = [tell_words(Said("the contest is at {url}", url=keys["url"]))]
    if isinstance(accounts, dict) and accounts:
        lines += [
            tell_words(Said("open it in a browser; it is gone when you stop it (Ctrl+C)")),
            tell_words(Said("accounts:")),
        ]
        lines += [f"{name}: {password}" for name, password in accounts.items()]  # passwords are no words of ours
    print_words("\n".join(lines))


def _add_referee(login: str, database: str, store: Path, contest: str, *, as_json: bool) -> None:
    from sekisho.cli.server.opening import open_database
    from sekisho.server.contest.auth.accounts import add_account
    from sekisho.server.contest.auth.passwords import Passwords
    from sekisho.server.contest.auth.principal import AccountRole
    from sekisho.server.contest.database.audit import AuditNote, add_note
    from sekisho.server.contest.database.book import ContestBook
    from sekisho.server.contest.settings import PasswordCost
    from sekisho.server.contest.site import find_only_contest, read_clock

    del store
    password = draw_token()[:24]
    with open_database(database) as opened:
        book = ContestBook(opened, contest or find_only_contest(opened))
        kept = Passwords(PasswordCost()).hash(password)
        with book.write() as pen:
            at = read_clock()
            number = add_account(pen.session, pen.contest, login=login, password=kept, role=AccountRole.REFEREE, at=at)
            note = AuditNote(at=at, actor="command line", action="add-referee", detail={"account": number})
            add_note(pen.session, pen.contest, note)
    keys = {"login": login, "password": password, "contest": book.name}
    Answer(keys=keys, words=f"{login}: {password}").deliver(as_json=as_json)


def _backup(out: Path, database: str, store: Path, *, as_json: bool) -> None:
    from sekisho.cli.server.opening import open_database
    from sekisho.server.contest.backup import write_backup
    from sekisho.server.contest.store import Store

    with open_database(database) as opened:
        digests = write_backup(opened, Store(store, new=False), out)
    keys = {"out": str(out), "bytes": out.stat().st_size, "standings": digests}
    Answer(keys=keys, words=Said("{data:,} bytes written to {out}", data=keys["bytes"], out=out)).deliver(
        as_json=as_json
    )


def _restore(source: Path, database: str, store: Path, *, as_json: bool) -> None:
    from sekisho.cli.server.opening import open_database
    from sekisho.server.contest.backup import check_backup, restore_backup
    from sekisho.server.contest.store import Store

    check_backup(source)
    with open_database(database, new=True) as opened:
        digests = restore_backup(source, opened, Store(store))
    Answer(keys={"standings": digests}, words=Said("{digests} contests restored", digests=len(digests))).deliver(
        as_json=as_json
    )
