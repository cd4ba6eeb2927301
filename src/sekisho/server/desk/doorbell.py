"""The bell of a desk: a second ``sekisho desk`` hands its file to the first, and opens a page that the first wrote.

``desk.sock`` lies in the desk's folder, which only its owner enters. One line of JSON is asked, one is answered.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any, cast

from sekisho.errors import SekishoError
from sekisho.server.desk.cases import DeskFolder
from sekisho.words import Language, quote_words, translate

BELL = "desk.sock"
LONGEST_LINE = 1 << 16
LONGEST_PATH = 100
"""Bytes of a socket's path that every system takes."""
PATIENCE = 5.0
LetIn = Callable[[Path | None, Language], Path]
"""Takes a file where it stands and a language, and returns the page to open."""


@contextmanager
def hang_bell(folder: DeskFolder, answer: LetIn) -> Generator[None]:
    """Answer those who ring, as long as the desk is open."""
    (folder.root / BELL).unlink(missing_ok=True)  # of one that was killed: this desk holds the lock
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as bell:
        with _shorten(folder.root) as root:
            bell.bind(f"{root}/{BELL}")
        (folder.root / BELL).chmod(0o600)
        bell.listen()
        Thread(target=_listen, args=(bell, answer), daemon=True, name="desk-bell").start()
        try:
            yield
        finally:
            (folder.root / BELL).unlink(missing_ok=True)


def ring(folder: DeskFolder, file: Path | None, language: Language) -> Path | None:
    """Hand a file to the desk that is open in a folder; return the page to open, None if no desk is open there.

    Raises:
        SekishoError: the desk cannot read the file, in its words.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        try:
            with _shorten(folder.root) as root:
                line.connect(f"{root}/{BELL}")
        except OSError:
            return None
        asked = {"file": None if file is None else str(file.resolve()), "language": language.value}
        line.sendall(json.dumps(asked).encode() + b"\n")
        told = _read_line(line)
    if "error" in told:
        raise SekishoError(quote_words(str(told["error"])))
    return Path(str(told["page"])) if "page" in told else None


def _listen(bell: socket.socket, answer: LetIn) -> None:
    while True:
        try:
            line, _ = bell.accept()
        except OSError:  # the desk is closed
            return
        Thread(target=_serve, args=(line, answer), daemon=True).start()


def _serve(line: socket.socket, answer: LetIn) -> None:
    with line, suppress(OSError):
        line.settimeout(PATIENCE)
        asked = _read_line(line)
        told = _answer(asked, answer)
        line.sendall(json.dumps(told).encode() + b"\n")


def _answer(asked: Mapping[str, Any], answer: LetIn) -> dict[str, str]:
    language = Language.JA if asked.get("language") == Language.JA else Language.EN
    file = asked.get("file")
    try:
        return {"page": str(answer(None if file is None else Path(file), language))}
    except SekishoError as error:
        return {"error": translate(error.args[0], language)}


def _read_line(line: socket.socket) -> Mapping[str, Any]:
    data = b""
    while not data.endswith(b"\n") and len(data) < LONGEST_LINE:
        piece = line.recv(LONGEST_LINE)
        if not piece:
            break
        data += piece
    try:
        told = json.loads(data or b"{}")
    except ValueError:
        return {}
    return cast("Mapping[str, Any]", told) if isinstance(told, dict) else {}


@contextmanager
def _shorten(root: Path) -> Generator[str]:
    """Give a name of a folder that is short enough for a socket, where the system has one."""
    if len(os.fsencode(root)) <= LONGEST_PATH - len(BELL) or not Path("/proc/self/fd").is_dir():
        yield str(root)
        return
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{handle}"
    finally:
        os.close(handle)
