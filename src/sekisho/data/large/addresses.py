"""Files beyond this machine: addresses such as ``hdfs://host/people.parquet``, which only a cluster can open."""

from __future__ import annotations

import re
from pathlib import Path

ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/+(?=[^/])")
"""A path that begins with a scheme of two letters or more; a path has lost the second of its slashes."""


def is_address(path: Path) -> bool:
    """Tell whether a path is an address; ``host:/folder`` is one, too: name a folder like that by ``./``."""
    return ADDRESS.match(str(path)) is not None


def name_place(path: Path) -> str:
    """Return what a cluster calls a path: an address as it was given, anything else from the root on."""
    return ADDRESS.sub(r"\1://", str(path), count=1) if is_address(path) else str(path.resolve())
