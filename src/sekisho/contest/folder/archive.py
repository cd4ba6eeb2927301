"""A whole contest as one archive, and back: the same contest gives the same bytes; a foreign archive is not trusted.

An archive is refused before anything is written if a name is not one of a contest's or leads out of the folder, if it
is dangerous (``data.files.zip_guard`` says how), or if what it holds is not what its ledger says
(``contest.folder.binding``) or what its manifest, the digest of every file, says.

What everybody may have holds nothing that stands row by row beside an original: no file that was handed in, no release,
no test set, no original that attackers did not have, and no records that rules publish in the original's order. Attacks
are left out too: with the hits that the ledger tells, they would tell who is who.
"""

from __future__ import annotations

import io
import json
import re
from collections import ChainMap
from collections.abc import Collection, Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import IO, cast

from sekisho.contest.folder.binding import (
    LEDGER,
    LINK,
    MISSING,
    RULES_FILE,
    SECRET,
    BindingSurvey,
    blame_file,
    list_files,
    parse_secret,
    survey_files,
)
from sekisho.contest.folder.live import write_files
from sekisho.contest.history.rules import HistoryRules
from sekisho.contest.ledger import digest_bytes, write_canonical
from sekisho.contest.records.rules import RecordRules
from sekisho.contest.rulebook import Rulebook, read_rulebook
from sekisho.data.files.whole_files import read_bytes
from sekisho.data.files.zip_guard import DAMAGED, ZipLimits, blame_archive, read_zip, write_zip
from sekisho.errors import Fault, FaultsError, InputError
from sekisho.words import Said

MANIFEST = "manifest.json"
NAME = re.compile(
    r"rules\.toml|ledger\.jsonl|[\w.-]+\.csv|files/[0-9a-f]{64}|rounds/[\w-]+/original\.csv"
    r"|rounds/[\w-]+/(?:originals|releases|published|tests|guesses|result)/[\w.-]+|truth/secret"
    r"|truth/[\w-]+/(?:maps|answers)/[\w.-]+|result/[\w.-]+"
)
BASIS = r"rules\.toml|ledger\.jsonl|result/(?:matrix\.csv|standings\.csv|standings\.json|report\.html)"
"""What everybody may have of every contest."""
PUBLISHED, ORIGINAL = r"rounds/[\w-]+/published/[\w.-]+", r"rounds/[\w-]+/original\.csv"
"""What everybody may have where its order tells nothing, and where attackers hold the whole original."""
MOST_FILES, MOST_BYTES, MOST_RATIO = 100_000, 1 << 32, 2000


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
        with_truth: whether what is the referee's and the teams' goes along; else what everybody may have.

    Raises:
        FaultsError: a file is not what the ledger says, or is a link.
    """
    stream = io.BytesIO()
    write_contest(folder, stream, with_truth=with_truth)
    return stream.getvalue()


def write_contest(folder: Path, stream: IO[bytes], *, with_truth: bool = True) -> None:
    """Write a contest's folder as one archive, file by file.

    Args:
        folder: of the contest.
        stream: where the archive goes.
        with_truth: whether what is the referee's and the teams' goes along; else what everybody may have.

    Raises:
        FaultsError: a file is not what the ledger says, or is a link.
    """
    links, names = list_files(folder)
    if links:
        raise FaultsError(folder, [blame_file(LINK, name) for name in links])
    _require_basis(names, folder)
    book = read_rulebook(str(folder / RULES_FILE))
    beside = _list_beside(book)
    files = FolderFiles(
        {
            name: folder / name
            for name in names
            if NAME.fullmatch(name) and ("/" in name or not name.endswith(".csv") or name in beside)
        }
    )
    digests = _digest_files(files)
    faults = _survey(files, digests, folder, whole=with_truth or SECRET in files).faults
    if faults:
        raise FaultsError(folder, faults)
    if not with_truth:
        shown = re.compile("|".join(_list_shown(book)))
        files = FolderFiles({name: path for name, path in files.paths.items() if shown.fullmatch(name)})
    manifest = {"public": not with_truth, "files": {name: digests[name] for name in files}}
    made = {MANIFEST: (write_canonical(manifest) + "\n").encode()}
    write_zip(ChainMap(made, cast("MutableMapping[str, bytes]", files)), stream)


def _list_beside(book: Rulebook) -> tuple[str, ...]:
    """Return the files that rules name."""
    return (book.verdict.thresholds,) if isinstance(book, HistoryRules) and book.verdict.thresholds else ()


def _list_shown(book: Rulebook) -> tuple[str, ...]:
    """Return patterns of what everybody may have under some rules.

    Records that the rules publish in the original's order are left out: whoever has the original lays them beside it.
    """
    if isinstance(book, HistoryRules):
        return (BASIS, PUBLISHED, ORIGINAL, *map(re.escape, _list_beside(book)))
    in_order = isinstance(book, RecordRules) and book.in_order
    return (BASIS,) if in_order else (BASIS, PUBLISHED)


def unpack_contest(data: bytes, source: object) -> dict[str, bytes]:
    """Return the files of an archive by name, having checked them against the ledger and the manifest.

    Raises:
        InputError: it is no archive, or a dangerous one.
        FaultsError: it is not what its ledger or its manifest says; everything at once.
    """
    limits = ZipLimits(most_bytes=MOST_BYTES, most_ratio=MOST_RATIO)
    try:
        files = read_zip(io.BytesIO(data), _ContestNames(), limits, _join_pieces)
    except FaultsError as error:
        if any(fault.rule == DAMAGED for fault in error.faults):
            raise InputError(source, Said("is no archive of a contest, or a damaged one")) from error
        raise FaultsError(source, error.faults) from error
    manifest = files.pop(MANIFEST, None)
    listed, public = _read_manifest(manifest, source)
    _require_basis(files, source)
    whole = SECRET in files if manifest is None else not public
    faults = [*_survey(files, _digest_files(files), source, whole=whole).faults]
    if manifest is not None:
        named = {fault.value for fault in faults}
        faults += [fault for fault in _compare_manifest(files, listed) if fault.value not in named]
    elif _is_of_this_version(files[LEDGER]):
        faults.append(blame_file(MISSING, MANIFEST))
    if faults:
        raise FaultsError(source, faults)
    return files


def find_unbound(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return the files of an archive of an earlier version of which its ledger says nothing."""
    return _survey(files, _digest_files(files), LEDGER, whole=False).unbound


def place_contest(files: Mapping[str, bytes], folder: Path) -> None:
    """Write the files of a contest into a new folder."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(folder, Said("is in use: a contest goes into a new folder"))
    write_files(folder, {folder / name: data for name, data in files.items()})


def _read_manifest(data: bytes | None, source: object) -> tuple[Mapping[str, object], bool]:
    """Return the digests of a manifest by name, and whether the archive is one for everybody."""
    if data is None:
        return {}, False
    try:
        table: object = json.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source}, {MANIFEST}", Said("is not JSON")) from error
    if not isinstance(table, dict) or set(cast("dict[str, object]", table)) != {"public", "files"}:
        raise InputError(f"{source}, {MANIFEST}", Said("is no manifest of a contest: it must have files, public"))
    listed, public = cast("Mapping[str, object]", table)["files"], cast("Mapping[str, object]", table)["public"]
    if not isinstance(listed, dict) or not isinstance(public, bool):
        raise InputError(f"{source}, {MANIFEST}", Said("is no manifest of a contest: it must have files, public"))
    return cast("Mapping[str, object]", listed), public


def _compare_manifest(files: Mapping[str, bytes], listed: Mapping[str, object]) -> Iterator[Fault]:
    for name in sorted({*files, *listed}):
        if name not in files:
            yield blame_file(MISSING, name)
        elif name not in listed:
            yield blame_archive("unknown", name, Said("{name} is not in the manifest", name=name))
        elif digest_bytes(files[name]) != listed[name]:
            yield blame_archive("digest", name, Said("{name} is not what the manifest says", name=name))


def _digest_files(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: digest_bytes(data) for name, data in files.items()}


def _survey(files: Mapping[str, bytes], digests: Mapping[str, str], source: object, *, whole: bool) -> BindingSurvey:
    secret = parse_secret(files[SECRET], f"{source}, {SECRET}") if SECRET in files else None
    return survey_files(digests, files[LEDGER], secret, source, whole=whole)


def _require_basis(names: Collection[str], source: object) -> None:
    """Refuse a contest without ledger or rules."""
    missing = [name for name in (LEDGER, RULES_FILE) if name not in names]
    if missing:
        raise FaultsError(source, [blame_file(MISSING, name) for name in missing])


def _is_of_this_version(ledger: bytes) -> bool:
    """Tell whether a contest was begun by a version that binds every file, so that its archives have a manifest."""
    first: object = json.loads(ledger.split(b"\n", 1)[0])
    event = cast("Mapping[str, Mapping[str, object]]", first)["event"]
    return event.get("files") is not None


class _ContestNames:
    """The names that the files of a contest's folder have."""

    most = MOST_FILES

    def refuse(self, name: str) -> Fault | None:
        if name == MANIFEST or (NAME.fullmatch(name) and ".." not in name):
            return None
        return blame_archive("name", name, Said("{name!r} is no file of a contest", name=name))


def _join_pieces(name: str, pieces: Iterator[bytes]) -> bytes:
    del name
    return b"".join(pieces)
