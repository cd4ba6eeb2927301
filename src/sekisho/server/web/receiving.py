"""A file that arrives piece by piece: capped while it comes, digested, on the disk when it is whole."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import mkstemp

from sekisho.errors import Fault, FaultsError
from sekisho.words import Said

CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A file that has arrived and is not kept yet."""

    path: Path
    digest: str
    size: int


def receive_file(folder: Path, pieces: Iterable[bytes], *, name: str, most_bytes: int, mode: int = 0o600) -> Received:
    """Take a file in, piece by piece, up to a limit; what does not arrive whole leaves nothing behind.

    Args:
        folder: where it is put, under a name that nobody has.
        pieces: of the file.
        name: how faults call it.
        most_bytes: that it may have.
        mode: who may read it.

    Raises:
        FaultsError: it is larger.
    """
    handle, place = mkstemp(dir=folder)
    state, size = sha256(), 0
    try:
        with os.fdopen(handle, "wb") as stream:
            os.fchmod(stream.fileno(), mode)
            for piece in pieces:
                size += len(piece)
                _refuse_larger(name, size, most_bytes)
                state.update(piece)
                stream.write(piece)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        Path(place).unlink(missing_ok=True)
        raise
    return Received(path=Path(place), digest=state.hexdigest(), size=size)


def _refuse_larger(name: str, size: int, most_bytes: int) -> None:
    if size > most_bytes:
        message = Said("the file is larger than {most_bytes:,} bytes", most_bytes=most_bytes)
        raise FaultsError(name, [Fault(row=0, column="", rule="size", value=name, message=message)])
