"""The one folder where work beyond memory puts its temporary files; nothing of it stays, whatever ends the work."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from sekisho.errors import InputError, say_failure
from sekisho.words import Said


@contextmanager
def open_workspace(beside: Path | None = None) -> Generator[Path]:
    """Give a folder for temporary files; it is removed at the end, also after an error or an interruption.

    Args:
        beside: the file that is going to be written; without one the folder is in the system's temporary folder.

    Raises:
        InputError: no folder can be made there.
    """
    try:
        place = None if beside is None else beside.parent
        name = "sekisho" if beside is None else f".{beside.name}"
        folder = Path(mkdtemp(prefix=f"{name}.tmp-", dir=place))
    except OSError as error:
        reason = say_failure(error, Said("unknown reason"))
        raise InputError(
            beside or "temporary folder", Said("no temporary files can be written beside it: {reason}", reason=reason)
        ) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
