"""Files that a request brings: each as it is, or all in one archive with exact names; received whole, not kept yet."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import IO

from sekisho.contest.folder.desk import name_part
from sekisho.contest.scoring import RELEASED
from sekisho.data.files.zip_guard import ExactNames, is_zip, read_zip
from sekisho.errors import Fault, FaultsError
from sekisho.server.contest.settings import RequestLimits
from sekisho.server.contest.store import Store
from sekisho.server.web.receiving import CHUNK, Received
from sekisho.words import Said, join_words

ARCHIVE = "archive"


@contextmanager
def receive_files(
    store: Store, given: Mapping[str, IO[bytes] | None], wanted: tuple[str, ...], limits: RequestLimits
) -> Generator[dict[str, Received]]:
    """Receive the files of an upload by what they are; what is not kept by the end is forgotten.

    Args:
        store: where files are kept.
        given: the request's files, by what they are, or an ``archive`` of them; None where there is none.
        wanted: what the files must be.
        limits: how large they may be.

    Raises:
        FaultsError: files are missing, strange or too large, or a release is empty; everything at once.
    """
    present = {kind: stream for kind, stream in given.items() if stream is not None}
    received: dict[str, Received] = {}
    try:
        if set(present) == {ARCHIVE}:
            _receive_archive(store, present[ARCHIVE], wanted, limits, received)
        else:
            _refuse_strange(present, wanted)
            for kind, stream in present.items():
                name = name_part(kind)
                pieces = _count_rows(_read_pieces(stream), name, limits.file_rows)
                received[kind] = store.receive(pieces, name=name, most_bytes=limits.file_bytes)
        _refuse_missing(received, wanted)
        yield received
    finally:
        for each in received.values():
            store.discard(each)


def _receive_archive(
    store: Store, stream: IO[bytes], wanted: tuple[str, ...], limits: RequestLimits, received: dict[str, Received]
) -> None:
    names = {name_part(kind): kind for kind in wanted}

    def take(name: str, pieces: Iterator[bytes]) -> None:
        counted = _count_rows(pieces, name, limits.file_rows)
        received[names[name]] = store.receive(counted, name=name, most_bytes=limits.file_bytes)

    read_zip(stream, ExactNames(names), limits.zip, take)


def _refuse_strange(present: Mapping[str, IO[bytes]], wanted: tuple[str, ...]) -> None:
    faults: list[Fault] = []
    for kind, stream in present.items():
        if kind not in wanted:
            faults.append(
                _fault(
                    "kind",
                    kind,
                    Said("{kind} is not asked for here: send {wanted}", kind=kind, wanted=join_words(wanted, " and ")),
                )
            )
        head = stream.read(4)
        stream.seek(0)
        if is_zip(head):
            faults.append(
                _fault("zip", kind, Said("{kind} is a zip archive: send it as {archive}", kind=kind, archive=ARCHIVE))
            )
    if faults:
        raise FaultsError("the request", faults)


def _refuse_missing(received: Mapping[str, Received], wanted: tuple[str, ...]) -> None:
    faults = [_fault("missing", kind, Said("{name} is missing", name=kind)) for kind in wanted if kind not in received]
    if RELEASED in received and not received[RELEASED].size:  # an attack on nobody and no deleted rows are empty files
        faults.append(_fault("empty", RELEASED, Said("{released} is empty", released=RELEASED)))
    if faults:
        raise FaultsError("the request", faults)


def _read_pieces(stream: IO[bytes]) -> Iterator[bytes]:
    while piece := stream.read(CHUNK):
        yield piece


def _count_rows(pieces: Iterator[bytes], name: str, most_rows: int) -> Iterator[bytes]:
    """Give the pieces of a file while its rows are counted, and stop when there are too many.

    Raises:
        FaultsError: there are more.
    """
    rows = 0
    for piece in pieces:
        rows += piece.count(b"\n") + piece.count(b"\r") - piece.count(b"\r\n")
        if rows > most_rows:
            message = Said("the file has more than {most_rows:,} rows", most_rows=most_rows)
            raise FaultsError(name, [Fault(row=0, column="", rule="rows", value=name, message=message)])
        yield piece


def _fault(rule: str, value: str, message: Said) -> Fault:
    return Fault(row=0, column=value, rule=rule, value="", message=message)
