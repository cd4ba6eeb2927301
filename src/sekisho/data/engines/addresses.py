"""Files beyond this machine: addresses such as ``hdfs://host/people.parquet``, which only a cluster can open."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from sekisho.provenance import digest_files

ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/+(?=[^/])")
"""A path that begins with a scheme of two letters or more; a path has lost the second of its slashes."""
FILE = "file"


def is_address(path: Path) -> bool:
    """Tell whether a path is an address; ``host:/folder`` is one, too: name a folder like that by ``./``."""
    return ADDRESS.match(str(path)) is not None


def name_place(path: Path) -> str:
    """Return what a cluster calls a path: an address as it was given, anything else from the root on."""
    if not is_address(path):
        return str(path.resolve())
    return ADDRESS.sub(_write_scheme, str(path), count=1)


def _write_scheme(match: re.Match[str]) -> str:
    """Return a scheme with its slashes; files of this machine have no host."""
    return f"{match[1]}:{'///' if match[1] == FILE else '//'}"


def digest_inputs(paths: Iterable[Path]) -> dict[str, str]:
    """Return the digests of files and of those in folders, by name; of what only a cluster reaches there are none."""
    return {name: digest for path in paths if not is_address(path) for name, digest in digest_files(path).items()}
