"""A desk that runs: one a folder, on an address of this machine that is drawn, until somebody closes it."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO, cast

import uvicorn
from fastapi import FastAPI

from sekisho.server.desk.app import create_desk
from sekisho.server.desk.arrivals import bring_file, settle_arrival
from sekisho.server.desk.cases import Case, DeskFolder
from sekisho.server.desk.doorbell import hang_bell
from sekisho.server.desk.entry import HOST, OPENING_PAGES, Entrance, write_opening_page
from sekisho.server.desk.settings import Desk, DeskSettings
from sekisho.server.web.language import PARAMETER
from sekisho.server.web.logs import configure_logs
from sekisho.server.web.slow_clients import limit_headers
from sekisho.words import Language

LOG_FILE = "desk.log"
LONGEST_LOG = 8 << 20
HEADER_SECONDS = 15.0
GRACE_SECONDS = 3
Opened = Callable[[Path], None]
"""Is told the page that leads into the desk, once the desk listens."""


def run_desk(folder: DeskFolder, *, file: Path | None, language: Language, memory: int | None, opened: Opened) -> None:
    """Be the desk of a folder until it is closed.

    Args:
        folder: of its cases.
        file: that is brought first, read where it stands.
        language: of pages and comments.
        memory: bytes that a job may take; None for a share of what is free.
        opened: is told the page to open.

    Raises:
        InputError: another desk is open in this folder.
    """
    with folder.hold(), _keep_log(folder.root / LOG_FILE), socket.socket() as door:
        door.bind((HOST, 0))
        door.listen()
        entrance = Entrance(port=door.getsockname()[1])
        server = _ClosingServer()
        settings = DeskSettings(folder=folder.root, entrance=entrance, memory=memory, close=server.close)
        app = create_desk(settings, bring=lambda path: _bring(desk, path, language))
        desk = cast("Desk", app.state.desk)

        def let_in(path: Path | None, spoken: Language) -> Path:
            target = "/" if path is None else _bring(desk, path, spoken)
            return write_opening_page(folder.root, entrance, spoken, f"{target}?{PARAMETER}={spoken}")

        with hang_bell(folder, let_in):
            page = let_in(file, language)
            desk.take_over()
            try:
                opened(page)
                server.run(app, door)
            finally:
                for left in folder.root.glob(OPENING_PAGES):
                    left.unlink(missing_ok=True)
                desk.close()


class _ClosingServer:
    """The web server, and a handle by which a page ends it."""

    def __init__(self) -> None:
        self._server: uvicorn.Server | None = None

    def close(self) -> None:
        """End it once its answers are sent."""
        if self._server is not None:
            self._server.should_exit = True

    def run(self, app: FastAPI, door: socket.socket) -> None:
        """Serve until a page or an interruption ends it."""
        config = uvicorn.Config(
            app,
            http=limit_headers(HEADER_SECONDS),
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        self._server = uvicorn.Server(config)
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with suppress(KeyboardInterrupt):  # which is how it is ended from a terminal
            self._server.run(sockets=[door])


def _bring(desk: Desk, path: Path, language: Language) -> str:
    """Return the page of a file: of its case, or of its first look, which begins at once."""
    brought = bring_file(desk.cases, path, language=language)
    if isinstance(brought, Case):
        return f"/cases/{brought.name}/file"
    settle_arrival(desk, brought, seconds=0)
    return f"/uploads/{brought.id}"


@contextmanager
def _keep_log(place: Path) -> Generator[None]:
    """Write what happens to a file that only its owner reads; what was written long ago gives way.

    Files that a form sends are kept beside it while they come: they are confidential, and a place for all is no place.
    """
    if place.exists() and place.stat().st_size > LONGEST_LOG:
        place.unlink()
    former = tempfile.tempdir
    tempfile.tempdir = str(place.parent / "uploads")
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    stream: TextIO
    with os.fdopen(os.open(place, flags, 0o600), "a", encoding="utf-8", buffering=1) as stream:
        configure_logs(stream)
        try:
            yield
        finally:
            tempfile.tempdir = former
            configure_logs()
