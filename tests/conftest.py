"""Fixtures that every room's tests share."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.laws import load_profile

SHARED = Path(os.environ.get("SEKISHO_DATA", "") or Path(__file__).parents[2] / "shared" / "data")

pytest_plugins = ["tests.slow"]
load_profile()


@pytest.fixture(scope="session", autouse=True)
def english() -> Iterator[None]:
    """Have commands speak English, here and in the processes that tests start, whatever the locale around us."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LC_ALL", "C.UTF-8")
        patch.setenv("SEKISHO_ADVICE", "0")  # changes are tried out where a test asks for it
        yield


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> Iterator[None]:
    """Let an interruption arrive, here and in the processes that tests start, even if our own parent ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def shared() -> Callable[[str], Path]:
    """Find a file of real data beside the repository, or skip the test."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"needs the real data file {name} (in $SEKISHO_DATA, or in ../shared/data)")
        return path

    return find
