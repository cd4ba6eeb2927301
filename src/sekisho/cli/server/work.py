"""``sekisho worker``: the process that scores, with the referee's truth in hand."""

from __future__ import annotations

import signal
from pathlib import Path
from threading import Event as Signal
from types import FrameType
from typing import Annotated

import typer

from sekisho.cli.kit.answer import Answer, AsJson, print_json
from sekisho.cli.server.places import USUAL, DatabaseUrl, StoreFolder, settle_store
from sekisho.data.files.whole_files import check_paths, read_bytes
from sekisho.extras import require_extra
from sekisho.words import Said, join_words


def worker(
    *,
    vault: Annotated[Path, typer.Option("--vault", help="The folder of the referee's truth; nobody else reads it.")],
    database: DatabaseUrl = USUAL,
    store: StoreFolder = None,
    once: Annotated[bool, typer.Option("--once", help="Do what there is to do, and end.")] = False,
    lease: Annotated[
        float, typer.Option("--lease", min=1, max=3600, help="Seconds after which a silent worker's job is another's.")
    ] = 60.0,
    archive: Annotated[
        Path | None, typer.Option("--import", help="Take a contest over from what `contest export` wrote, and end.")
    ] = None,
    name: Annotated[
        str, typer.Option("--name", help="What the contest is called here; as its rules if not given.")
    ] = "",
    out: Annotated[
        Path | None, typer.Option("--export", help="Write the contest as an archive with its truth, and end.")
    ] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Make the demonstration's contest first.", hidden=True)] = False,
    as_json: AsJson = False,
) -> None:
    """Score what teams hand in; publish rounds; score again. As many workers may run as there are cores.

    Example: `sekisho worker --import cup.zip --vault vault`, then `sekisho worker --vault vault`
    """
    require_extra("server", Said("the server"), "not installed")
    place = settle_store(database, store)
    if archive is not None:
        _import(archive, database, place, vault, name, as_json=as_json)
    if out is not None:
        _export(out, database, place, vault, name, as_json=as_json)
    _work(database, place, vault, lease, once=once, demo=demo, as_json=as_json)


def _work(database: str, store: Path, vault: Path, lease: float, *, once: bool, demo: bool, as_json: bool) -> None:
    from sekisho.cli.server.opening import await_database, open_database
    from sekisho.seeds import Seed
    from sekisho.server.contest.orphans import sweep_orphans
    from sekisho.server.contest.store import Store
    from sekisho.server.contest.vault.demo import attack_baselines, seed_demo
    from sekisho.server.contest.vault.worker import Worker
    from sekisho.server.web.logs import configure_logs

    configure_logs()
    stop = Signal()

    def end(number: int, frame: FrameType | None) -> None:
        del number, frame
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    if not (once or demo):
        await_database(database, stop)
    if stop.is_set():
        raise typer.Exit(0)
    with open_database(database, new=demo) as opened:
        files = Store(store, new=demo)
        files.sweep()
        sweep_orphans(opened, files)
        work = Worker(database=opened, store=files, vault=vault, lease_seconds=lease)
        if demo:
            seed = Seed.draw()
            accounts = seed_demo(opened, files, vault, seed)
            work.drain()
            attack_baselines(opened, files, seed)
            print_json({"accounts": accounts.passwords})
        work.check_places()
        if once:
            count = work.drain()
            Answer(keys={"jobs": count}, words=Said("{count} jobs done", count=count)).deliver(as_json=as_json)
        work.run(stop)
    raise typer.Exit(0)


def _import(archive: Path, database: str, store: Path, vault: Path, name: str, *, as_json: bool) -> None:
    from sekisho.cli.server.opening import open_database
    from sekisho.contest.folder.archive import unpack_contest
    from sekisho.server.contest.backup import find_digest
    from sekisho.server.contest.store import Store
    from sekisho.server.contest.vault.import_contest import import_contest

    data = read_bytes(archive)
    unpack_contest(data, archive)
    with open_database(database, new=True) as opened:
        called = import_contest(data, opened, Store(store), vault, name)
        digest = find_digest(opened, called)
    keys = {"contest": called, "digest": digest}
    Answer(
        keys=keys,
        words=join_words(
            [Said("the contest {called} is in the database", called=called), Said("digest {digest}", digest=digest)],
            "\n",
        ),
    ).deliver(as_json=as_json)


def _export(out: Path, database: str, store: Path, vault: Path, name: str, *, as_json: bool) -> None:
    from sekisho.cli.server.opening import open_database
    from sekisho.server.contest.database.book import ContestBook
    from sekisho.server.contest.site import find_only_contest
    from sekisho.server.contest.store import Store
    from sekisho.server.contest.vault.import_contest import export_contest

    check_paths(reads=[], writes={"--export": out})
    with open_database(database) as opened:
        book = ContestBook(opened, name or find_only_contest(opened))
        digest = export_contest(book, Store(store, new=False), vault, out)
    keys = {"out": str(out), "bytes": out.stat().st_size, "sha256": digest}
    Answer(keys=keys, words=Said("{data:,} bytes written to {out}", data=keys["bytes"], out=out)).deliver(
        as_json=as_json
    )
