"""Files in and out: text in a known encoding, CSV and Parquet as frames, and writing that is whole or not at all.

Where files are read and written, looked at before the work starts.

No output may be an input or another output, by whatever way it is named (``..``, a symbolic link, a hard link): one
would be written over the other. And each output must be writable, so that nobody learns after an hour that it is not.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack
from errno import ELOOP
from io import FileIO
from itertools import combinations
from pathlib import Path
from tempfile import NamedTemporaryFile

from sekisho.data.files.separated_rows import drop_mark, find_encoding, name_readable
from sekisho.errors import (
    EncodingError,
    Fault,
    FaultsError,
    InputError,
    MissingFileError,
    ParameterError,
    UnreadableError,
    say_failure,
)
from sekisho.words import Said


def check_paths(
    *, reads: Iterable[Path | None] = (), writes: Mapping[str, Path | None], folders: Collection[Path] = ()
) -> None:
    """Refuse outputs that are inputs, the same as one another, or cannot be written; what is None is not asked for.

    Args:
        reads: the files that are read.
        writes: each file that is going to be written, by the name that people know it by, such as an option.
        folders: those that are going to be made, with files in them.

    Raises:
        FaultsError: everything that is wrong.
    """
    outputs = {name: path for name, path in writes.items() if path is not None}
    inputs = {_identify_file(path) for path in reads if path is not None}
    faults = [*_find_shared_paths(outputs, inputs), *_find_obstacles(outputs, folders)]
    if faults:
        raise FaultsError(Said("files to write"), faults)


def is_file(path: Path) -> bool:
    """Tell whether there is such a file; a name that no file can have is none."""
    try:
        return path.is_file()
    except OSError:
        return False


def is_same_file(first: Path, second: Path) -> bool:
    """Tell whether two paths lead to one file, whether it exists or not."""
    return _identify_file(first) == _identify_file(second)


def path_beside(path: Path, ending: str) -> Path:
    """Return the place beside a file whose name is longer by an ending."""
    return Path(f"{path}{ending}")


def _find_shared_paths(writes: Mapping[str, Path], inputs: set[object]) -> Iterator[Fault]:
    taken: dict[object, str] = {}
    for name, path in writes.items():
        place = _identify_file(path)
        if place in inputs:
            yield _fault(name, path, "input", Said("{path} is an input and would be written over", path=path))
        elif place in taken:
            yield _fault(
                name, path, "doubled", Said("{path} is where {taken} is written, too", path=path, taken=taken[place])
            )
        taken.setdefault(place, name)


def _find_obstacles(writes: Mapping[str, Path], folders: Collection[Path]) -> Iterator[Fault]:
    for name, path in writes.items():
        if reason := _find_obstacle(path, folders):
            yield _fault(name, path, "place", Said("{path} cannot be written: {reason}", path=path, reason=reason))


def _find_obstacle(path: Path, folders: Collection[Path]) -> str:
    """Return why a file cannot be written; empty if it can: one is written beside it as the real one will be."""
    try:
        if path.is_dir():
            return Said("it is a folder")
        if path.exists() and not path.is_file():
            return Said("it is not a regular file")
        with NamedTemporaryFile(dir=_find_existing_folder(path.parent, folders), prefix=f".{path.name}."):
            return ""
    except OSError as error:
        return say_failure(error, Said("unknown reason"))


def _find_existing_folder(parent: Path, folders: Collection[Path]) -> Path:
    """Return where a file can be tried: its folder, or, if that is still to be made, the nearest one that exists."""
    if parent not in folders:
        return parent
    return next((each for each in (parent, *parent.parents) if each.exists()), parent)


def _identify_file(path: Path) -> object:
    real = os.path.realpath(path)
    try:
        status = Path(real).stat()
    except OSError:
        return real
    return status.st_dev, status.st_ino


def _fault(name: str, path: Path, rule: str, message: Said) -> Fault:
    return Fault(row=0, column=name, rule=rule, value=str(path), message=message)


MAX_BYTES = 1 << 31
PIECE = 1 << 16
MARK = b"\xef\xbb\xbf"  # the byte-order mark of UTF-8
ASCII = '\n\t"\\,;|=<>@*[]{}/-+ Aa09.'


def read_bytes(path: Path, *, max_bytes: int = MAX_BYTES) -> bytes:
    """Return a file's bytes; refuse a missing file, a folder, and one above the cap.

    A pipe is read too, no further than the cap: what never ends is refused.
    """
    try:
        with path.open("rb", buffering=0) as stream:
            return _read_capped(stream, path, max_bytes)
    except FileNotFoundError as error:
        raise MissingFileError(path) from error
    except OSError as error:
        raise UnreadableError(path, say_failure(error, Said("cannot be read"))) from error


def read_regular_file(path: Path, *, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the bytes of a file that somebody else may have put there: no link, folder, pipe or device, nor too large.

    Nothing is waited for, and no link is followed; what leads to the file's folder is the caller's.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise InputError(path, Said("is no regular file"))
            with FileIO(handle, closefd=False) as stream:
                return _read_capped(stream, path, max_bytes)
        finally:
            os.close(handle)
    except FileNotFoundError as error:
        raise MissingFileError(path) from error
    except OSError as error:
        reason = Said("is a link") if error.errno == ELOOP else say_failure(error, Said("cannot be read"))
        raise InputError(path, reason) from error


def _read_capped(stream: FileIO, path: Path, max_bytes: int) -> bytes:
    known = os.fstat(stream.fileno())
    size = known.st_size if stat.S_ISREG(known.st_mode) else 0
    parts: list[bytes] = []
    while size <= max_bytes:
        part = stream.read(max(PIECE, min(size, max_bytes) + 1 - sum(map(len, parts))))
        if not part:
            return parts[0] if len(parts) == 1 else b"".join(parts)
        parts.append(part)
        size = max(size, sum(map(len, parts)))
    raise InputError(path, Said("is {size:,} bytes; the limit is {max_bytes:,}", size=size, max_bytes=max_bytes))


def decode_text(data: bytes, source: object, *, encoding: str = "utf-8") -> str:
    """Return the text of some bytes; refuse NUL bytes and name the encoding that the bytes seem to be in.

    A byte-order mark is dropped. What is not UTF-8 is read when asked for, never guessed.
    """
    wide = name_readable(encoding)
    if not wide:
        check_encoding(encoding)
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise EncodingError(source, Said("is UTF-16; save it as UTF-8"))
        if b"\x00" in data:
            line = data.count(b"\n", 0, data.index(b"\x00")) + 1
            raise EncodingError(source, Said("has a NUL byte in line {line}: not a text file", line=line))
    try:
        text = drop_mark(data).decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise EncodingError(
            source, say_encoding(encoding, line, reads_as_cp932=bool(cp932_hint(data, encoding)))
        ) from error
    if wide and "\x00" in text:
        line = text.count("\n", 0, text.index("\x00")) + 1
        raise EncodingError(source, Said("has a NUL byte in line {line}: not a text file", line=line))
    return text


def say_encoding(encoding: str, line: int, *, reads_as_cp932: bool) -> Said:
    """Return what is wrong with bytes that are not in an encoding."""
    if reads_as_cp932:
        return Said(
            "is not {encoding} (line {line}); it reads as CP932 (Shift_JIS): ask for encoding cp932 to read it so",
            encoding=encoding,
            line=line,
        )
    return Said("is not {encoding} (line {line})", encoding=encoding, line=line)


def check_encoding(encoding: str) -> None:
    """Refuse what is no encoding of text in which the characters of CSV are single bytes."""
    try:
        plain = ASCII.encode(encoding).removeprefix(MARK) == ASCII.encode() and ASCII.encode().decode(encoding) == ASCII
    except (LookupError, ValueError):
        plain = False
    if not plain:
        raise ParameterError(
            "encoding", Said("be one of text in which ASCII is itself, such as utf-8 or cp932"), encoding
        )


def detect_and_decode(data: bytes, source: object, *, encoding: str | None = None) -> tuple[str, str]:
    """Return the text of some bytes and its encoding: the given one, else the one that the bytes show.

    Callers report an encoding that was guessed.
    """
    name = find_encoding(data) if encoding is None else encoding
    return decode_text(data, source, encoding=name), name


def cp932_hint(data: bytes, encoding: str = "utf-8") -> str:
    """Return the words that say that bytes which are not in an encoding read as CP932; empty if they do not."""
    if encoding.lower() in {"cp932", "shift_jis"}:
        return ""
    try:
        data.decode("cp932")
    except UnicodeDecodeError:
        return ""
    return Said("; it reads as CP932 (Shift_JIS)")


def write_whole(files: Mapping[Path, bytes], *, private: Collection[Path] = ()) -> None:
    """Write files whole or not at all: each is completed beside its place, and only then are all moved there.

    Args:
        files: what is to be written.
        private: those that only their owner may read.

    Raises:
        InputError: a file cannot be written, or two are to be written to one place.
    """
    for first, second in combinations(files, 2):
        if is_same_file(first, second):
            raise InputError(second, Said("is to be written twice: {first} is the same place", first=first))
    for path in files:
        if path.is_dir():
            raise InputError(path, Said("cannot be written: it is a folder"))
    with ExitStack() as stack:
        ready: list[tuple[Path, Path]] = []
        for path, data in files.items():
            ready.append((_write_beside(path, data, private=path in private), path))
            stack.callback(ready[-1][0].unlink, missing_ok=True)
        for beside, path in ready:
            beside.replace(path)


def _write_beside(path: Path, data: bytes, *, private: bool) -> Path:
    try:
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        raise InputError(
            path, Said("cannot be written: {reason}", reason=say_failure(error, Said("unknown reason")))
        ) from error
    umask = os.umask(0)
    os.umask(umask)
    beside = Path(stream.name)
    beside.chmod((0o600 if private else 0o666) & ~umask)
    return beside


def sync_folder(folder: Path) -> None:
    """Let the names in a folder reach the disk before going on."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
