"""Names of columns that every engine takes as they are: plain ones on the way, a file's own before and after.

Spark takes a point in a name for the way into a nested column, a grave accent for a quotation mark and a star for all
columns. Frames of an engine therefore have plain names, in which these signs are written as numbers; what comes out of
an engine (answers, blocks, files) has the file's own names again. Expressions name a file's column by ``file_column``.

Names for what pyarrow gives, which comes without types.

The one folder where work beyond memory puts its temporary files; nothing of it stays, whatever ends the work.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, TypeAlias

import narwhals as nw

from sekisho.errors import InputError, say_failure
from sekisho.words import Said

Batch: TypeAlias = Any
"""``pyarrow.RecordBatch``: a block of rows."""
Table: TypeAlias = Any
"""``pyarrow.Table``: rows, whole."""
ArrowSchema: TypeAlias = Any
"""``pyarrow.Schema``: names and types of columns."""
ArrowType: TypeAlias = Any
"""``pyarrow.DataType``."""
Kernel: TypeAlias = Callable[[Batch], Batch]
"""Works on a block of rows, whichever: pure, and fit to be sent to another machine."""
GroupKernel: TypeAlias = Callable[[Table], Table]
"""Works on all rows of a group at once, in whatever order: pure, and fit to be sent to another machine."""


Frame: TypeAlias = nw.LazyFrame[Any]
UNFIT = re.compile(r"[%.`*]")
WRITTEN = re.compile(r"%([0-9A-F]{2})")


def make_plain(name: str) -> str:
    """Return a column's name on the way; most are plain already."""
    return UNFIT.sub(lambda sign: f"%{ord(sign[0]):02X}", name)


def restore_name(name: str) -> str:
    """Return a column's own name."""
    return WRITTEN.sub(lambda number: chr(int(number[1], 16)), name)


def list_plain(names: Iterable[str]) -> list[str]:
    """Return the plain names of some columns."""
    return [make_plain(name) for name in names]


def file_column(name: str) -> nw.Expr:
    """Return the expression of a file's column."""
    return nw.col(make_plain(name))


def list_kinds(frame: Frame) -> Mapping[str, nw.dtypes.DType]:
    """Return what the cells of a frame's columns are, by their own names."""
    return {restore_name(name): kind for name, kind in frame.collect_schema().items()}


def enter_frame(frame: Frame) -> Frame:
    """Return a frame of a file under plain names."""
    return _rename(frame, make_plain)


def leave_frame(frame: Frame) -> Frame:
    """Return a frame under its own names, to be written."""
    return _rename(frame, restore_name)


def _rename(frame: Frame, change: Callable[[str], str]) -> Frame:
    names = {name: change(name) for name in frame.collect_schema().names()}
    changed = {name: new for name, new in names.items() if name != new}
    return frame.rename(changed) if changed else frame


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
