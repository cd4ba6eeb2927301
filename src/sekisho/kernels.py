"""Compiled functions: ``njit`` is numba's, and what it compiles is kept for these very sources.

numba keeps a compiled function as long as its own file is unchanged. But it has compiled into it the functions of other
files that it calls: when one of those changes or moves, what is kept is wrong, or cannot be loaded any more. So
compiled code lies in a folder named by a digest of every file that has some; other sources have another folder.

The folder stands in the package's own cache or, where that cannot be written, in the user's; ``NUMBA_CACHE_DIR`` names
another place.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path

from numba import njit
from numba.core import config

__all__ = ["njit"]

PACKAGE = Path(__file__).parent


def compute_key(package: Path) -> str:
    """Return a digest of the files below a folder that have compiled functions, names and contents."""
    digest = blake2b(digest_size=8)
    for path in sorted(package.rglob("*.py")):
        content = path.read_bytes()
        if b"njit" in content:
            digest.update(f"{path.relative_to(package).as_posix()}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()


def choose_folder(package: Path, named: str) -> Path:
    """Return where compiled code is kept.

    Args:
        package: whose code it is.
        named: a place that was asked for; empty: none.
    """
    if named:
        place = Path(named)
    elif os.access(package, os.W_OK):
        place = package / "__pycache__"
    else:
        place = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sekisho"
    return place / f"kernels-{compute_key(package)}"


config.__dict__["CACHE_DIR"] = str(choose_folder(PACKAGE, str(vars(config)["CACHE_DIR"])))
