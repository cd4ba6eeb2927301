"""A whole contest as one archive, and back: the same contest gives the same bytes; a foreign archive is not trusted.

An archive is refused before anything is written if a name is not one of a contest's or leads out of the folder, if it
is dangerous (``data.files.zip_guard`` says how), or if what it holds is not what its ledger says.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

from sekisho.contest.event import Created
from sekisho.contest.folder.live import LEDGER, OWNER_ONLY, RULES_FILE, write_files
from sekisho.contest.ledger import digest_bytes, digest_text, read_ledger, write_canonical
from sekisho.contest.referee import replay
from sekisho.data.files.whole_files import read_bytes
from sekisho.data.files.zip_guard import DAMAGED, ZipLimits, blame_archive, read_zip
from sekisho.errors import Fault, FaultsError, InputError

TRUTH = "truth/"
NAME = re.compile(
    r"rules\.toml|ledger\.jsonl|[\w.-]+\.csv|files/[0-9a-f]{64}|rounds/[\w-]+/original\.csv"
    r"|rounds/[\w-]+/(?:originals|releases|published|tests|guesses|result)/[\w.-]+|truth/secret"
    r"|truth/[\w-]+/(?:maps|answers)/[\w.-]+|result/[\w.-]+"
)
MOST_FILES, MOST_BYTES, MOST_RATIO = 100_000, 1 << 32, 2000
FIRST = (1980, 1, 1, 0, 0, 0)


class FolderFiles(Mapping[str, bytes]):
    """The files of a folder by name, each read when it is asked for: never more than one of them is in memory."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self.paths = paths

    def __getitem__(self, name: str) -> bytes:
        """Return a file's bytes."""
        return read_bytes(self.paths[name])

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self.paths)

    def __len__(self) -> int:
        """Return how many files there are."""
        return len(self.paths)


def pack_contest(folder: Path, *, with_truth: bool = True) -> bytes:
    """Return a contest's folder as one archive.

    Args:
        folder: of the contest.
        with_truth: whether what is the referee's goes along.
    """
    stream = io.BytesIO()
    write_contest(folder, stream, with_truth=with_truth)
    return stream.getvalue()


def write_contest(folder: Path, stream: IO[bytes], *, with_truth: bool = True) -> None:
    """Write a contest's folder as one archive, file by file."""
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    chosen = FolderFiles(
        {
            name: path
            for name, path in paths.items()
            if NAME.fullmatch(name) and (with_truth or not name.startswith(TRUTH))
        }
    )
    faults = _find_differences(chosen, folder)
    if faults:
        raise FaultsError(folder, faults)
    _write_archive(chosen, stream)


def unpack_contest(data: bytes, source: object) -> dict[str, bytes]:
    """Return the files of an archive by name, having checked them against the ledger.

    Raises:
        InputError: it is no archive, or a dangerous one.
        FaultsError: it is not what its ledger says; everything at once.
    """
    limits = ZipLimits(most_bytes=MOST_BYTES, most_ratio=MOST_RATIO)
    try:
        files = read_zip(io.BytesIO(data), _ContestNames(), limits, _join_pieces)
    except FaultsError as error:
        if any(fault.rule == DAMAGED for fault in error.faults):
            raise InputError(source, "is no archive of a contest, or a damaged one") from error
        raise FaultsError(source, error.faults) from error
    faults = _find_differences(files, source)
    if faults:
        raise FaultsError(source, faults)
    return files


def place_contest(files: Mapping[str, bytes], folder: Path) -> None:
    """Write the files of a contest into a new folder."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(folder, "is in use: a contest goes into a new folder")
    write_files(folder, {folder / name: data for name, data in files.items()})
    if (folder / TRUTH).is_dir():
        (folder / TRUTH).chmod(OWNER_ONLY)


def _write_archive(files: Mapping[str, bytes], stream: IO[bytes]) -> None:
    with zipfile.ZipFile(stream, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, FIRST)
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o600 << 16
            archive.writestr(entry, files[name])


class _ContestNames:
    """The names that the files of a contest's folder have."""

    most = MOST_FILES

    def refuse(self, name: str) -> Fault | None:
        if NAME.fullmatch(name) and ".." not in name:
            return None
        return blame_archive("name", name, f"{name!r} is no file of a contest")


def _join_pieces(name: str, pieces: Iterator[bytes]) -> bytes:
    del name
    return b"".join(pieces)


def _find_differences(files: Mapping[str, bytes], source: object) -> list[Fault]:
    """Return what is not as the ledger says: the rules, an original, a file that was handed in."""
    missing = [name for name in (LEDGER, RULES_FILE) if name not in files]
    if missing:
        return [blame_archive("missing", name, f"{name} is missing") for name in missing]
    events, _ = read_ledger(files[LEDGER], f"{source}, {LEDGER}")
    state = replay(events, f"{source}, {LEDGER}")
    created = state.created
    if created is None:
        return [blame_archive("ledger", LEDGER, "the ledger is empty")]
    faults: list[Fault] = []
    if digest_bytes(files[RULES_FILE]) != created.rules:
        faults.append(blame_archive("digest", RULES_FILE, f"{RULES_FILE} is not what the ledger says"))
    faults += _find_wrong_originals(files, created)
    wanted = {digest for entry in state.entries for digest in entry.files.values()}
    held = {name.removeprefix("files/") for name in files if name.startswith("files/")}
    faults += [
        blame_archive("missing", name, f"files/{name} was handed in and is missing") for name in sorted(wanted - held)
    ]
    faults += [
        blame_archive("digest", name, f"files/{name} is not what its name says")
        for name in sorted(held)
        if digest_bytes(files[f"files/{name}"]) != name
    ]
    return faults


def _find_wrong_originals(files: Mapping[str, bytes], created: Created) -> list[Fault]:
    faults: list[Fault] = []
    for name, digest in created.originals.items():
        shared, own = f"rounds/{name}/original.csv", f"rounds/{name}/originals/"
        each = {path.removeprefix(own): digest_bytes(files[path]) for path in files if path.startswith(own)}
        found = digest_bytes(files[shared]) if shared in files else digest_text(write_canonical(each))
        if found != digest:
            faults.append(blame_archive("digest", shared, f"the original of round {name} is not what the ledger says"))
    return faults
