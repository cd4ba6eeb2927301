"""Where files are read and written, looked at before the work starts.

No output may be an input or another output, by whatever way it is named (``..``, a symbolic link, a hard link): one
would be written over the other. And each output must be writable, so that nobody learns after an hour that it is not.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile

from sekisho.errors import Fault, FaultsError, say_failure
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
