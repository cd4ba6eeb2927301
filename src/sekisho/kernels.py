"""Compiled functions: ``njit`` is numba's, and what it compiles is kept for these very sources.

numba keeps a compiled function as long as its own file is unchanged. But it has compiled into it the functions of other
files that it calls: when one of those changes or moves, what is kept is wrong, or cannot be loaded any more. So
compiled code lies in a folder named by a digest of every file that has some; other sources have another folder.

The folder stands in the package's own cache or, where that cannot be written, in the user's; ``NUMBA_CACHE_DIR`` names
another place. Inside it a function lies by its place in the package, not by the path of a clone: several clones of the
same sources that name one place share what any of them compiled.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

from numba import njit
from numba.core import config
from numba.core.caching import UserProvidedCacheLocator

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


class PackageCacheLocator(UserProvidedCacheLocator):
    """Places a function of this package by its module, and leaves those of other packages to numba's own locators."""

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        """Return the folder of a source file, named by its place in the package."""
        return ".".join((PACKAGE.name, *Path(py_file).absolute().parent.relative_to(PACKAGE).parts))

    @classmethod
    def from_function(cls, py_func: Callable[..., object], py_file: str) -> PackageCacheLocator | None:
        """Return the locator of a function; None where it is not of this package, or cannot be kept."""
        if not Path(py_file).absolute().is_relative_to(PACKAGE):
            return None
        locator = super().from_function(py_func, py_file)
        return locator if isinstance(locator, cls) else None


NUMBAS_OWN = ("UserProvidedCacheLocator", "InTreeCacheLocator", "UserWideCacheLocator", "IPythonCacheLocator")
config.__dict__["CACHE_DIR"] = str(choose_folder(PACKAGE, str(vars(config)["CACHE_DIR"])))
config.__dict__["CACHE_LOCATOR_CLASSES"] = ",".join((f"{__name__}.{PackageCacheLocator.__name__}", *NUMBAS_OWN))
