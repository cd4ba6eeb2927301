"""The public names are what they say, sorted, and cost nothing until used."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

import sekisho


def test_every_public_name_is_there_once_and_sorted() -> None:
    assert sorted(sekisho.__all__) == sekisho.__all__
    assert len(set(sekisho.__all__)) == len(sekisho.__all__)
    # a room that is asked for by its name may have been imported before
    assert all(getattr(sekisho, name).__name__.removeprefix("sekisho.") == name for name in sekisho.__all__)


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = sekisho.Nothing


def test_importing_the_package_imports_no_room() -> None:
    rooms = "('sekisho.', 'polars', 'numba')"
    code = f"import sekisho, sys; print(sorted(name for name in sys.modules if name.startswith({rooms})))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_the_version_is_that_of_the_package() -> None:
    assert sekisho.__version__ == version("sekisho")
