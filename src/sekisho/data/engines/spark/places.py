"""Files where Spark sees them: what is there, and the rename that makes a complete output visible at once.

A driver asks Hadoop's file systems, all that its Spark is set up for. A guest of Spark Connect has no such way; it
renames by itself, in places that Arrow knows: local or mounted folders, ``hdfs``, ``s3``, ``gs``, ``abfs``. A rename is
one step in a local folder and on HDFS; object stores copy, and there ``_SUCCESS`` marks an output that is whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit
from uuid import uuid4

import pyarrow as pa

from sekisho.data.engines.engine import FILE
from sekisho.data.engines.spark.connection import Connection, SparkObject
from sekisho.errors import InputError
from sekisho.words import Said

SAME = {"s3a": "s3", "s3n": "s3", "abfss": "abfs"}
"""What Spark calls some places, and what Arrow does."""
TAKEN = Said("cannot be written: there is something of that name already, and a folder is never written over")
PATTERN = re.compile(r"([\\\[\]{}*?])")


def find_path(place: str) -> str:
    """Return the path of a place, without scheme and host; Spark names the files that it read by escaped addresses."""
    scheme, colon, _ = place.partition(":")
    if not colon or "/" in scheme:
        return place
    return unquote(urlsplit(place).path)


def name_file(place: str) -> str:
    """Return the address of a file that Spark names, without escapes; of a file of this machine its path."""
    parts = urlsplit(place)
    return f"{parts.scheme}://{parts.netloc}{unquote(parts.path)}" if parts.netloc else find_path(place)


def escape_pattern(place: str) -> str:
    """Return a place for Spark, which takes brackets and stars for patterns."""
    return PATTERN.sub(r"\\\1", place)


class Places(Protocol):
    """A file system that both Spark and this process reach."""

    def exists(self, place: str) -> bool:
        """Tell whether there is a file or folder."""
        ...

    def rename(self, place: str, target: str) -> None:
        """Move a folder to another name where nothing is."""
        ...

    def remove(self, place: str) -> None:
        """Remove a folder and all in it, if it is there."""
        ...


class HadoopPlaces:
    """All file systems that a driver's Hadoop knows."""

    def __init__(self, spark: SparkObject) -> None:
        self._java, self._settings = spark._jvm, spark._jsc.hadoopConfiguration()

    def _find(self, place: str) -> tuple[Any, Any]:
        path = self._java.org.apache.hadoop.fs.Path(place)
        return path, path.getFileSystem(self._settings)

    def exists(self, place: str) -> bool:
        """Tell whether there is a file or folder."""
        path, system = self._find(place)
        return bool(system.exists(path))

    def rename(self, place: str, target: str) -> None:
        """Move a folder to another name where nothing is."""
        path, system = self._find(place)
        goal, _ = self._find(target)
        # Hadoop moves a folder into another one that is there already, and calls that a success.
        if system.exists(goal) or not system.rename(path, goal):
            raise InputError(target, TAKEN)

    def remove(self, place: str) -> None:
        """Remove a folder and all in it, if it is there."""
        path, system = self._find(place)
        system.delete(path, True)


class ArrowPlaces:
    """File systems that Arrow knows, for guests of Spark Connect."""

    @staticmethod
    def _find(place: str) -> tuple[Any, str]:
        scheme, colon, rest = place.partition("://")
        try:
            uri = f"{SAME.get(scheme, scheme)}://{rest}" if colon and scheme != FILE else rest or place
            system, path = import_module("pyarrow.fs").FileSystem.from_uri(uri)
        except (pa.ArrowException, OSError, ValueError) as error:
            reason = Said(
                "cannot be reached without a driver: give a master that is none of Spark Connect, or another place"
            )
            raise InputError(place, reason) from error
        return system, path

    def exists(self, place: str) -> bool:
        """Tell whether there is a file or folder."""
        system, path = self._find(place)
        return bool(system.get_file_info(path).type != import_module("pyarrow.fs").FileType.NotFound)

    def rename(self, place: str, target: str) -> None:
        """Move a folder to another name where nothing is."""
        system, path = self._find(place)
        if self.exists(target):
            raise InputError(target, TAKEN)
        system.move(path, self._find(target)[1])

    def remove(self, place: str) -> None:
        """Remove a folder and all in it, if it is there."""
        system, path = self._find(place)
        if self.exists(place):
            system.delete_dir(path)


def open_places(connection: Connection) -> Places:
    """Return the way to files that goes with a session."""
    return ArrowPlaces() if connection.remote else HadoopPlaces(connection.spark)


@contextmanager
def open_beside(places: Places, target: str) -> Generator[str]:
    """Give the name of a hidden folder beside an output's place; what is left of it at the end is removed.

    Raises:
        InputError: there is something of the output's name already; a folder is never written over.
    """
    refuse_taken(places, target)
    parent, _, name = target.rstrip("/").rpartition("/")
    beside = f"{parent}/.{name}.tmp-{uuid4().hex[:8]}"
    try:
        yield beside
    finally:
        places.remove(beside)


def refuse_taken(places: Places, target: str) -> None:
    """Refuse a place where something stands.

    Raises:
        InputError: there is something of that name already; a folder is never written over.
    """
    if places.exists(target):
        raise InputError(target, TAKEN)


def write_and_rename(places: Places, target: str, write: Callable[[str], None]) -> None:
    """Write a folder beside its place, and rename it when it is complete; what is not complete is removed.

    Raises:
        InputError: there is something of that name already; a folder is never written over.
    """
    with open_beside(places, target) as beside:
        write(beside)
        places.rename(beside, target)
