"""The desk's log lines go to where each test listens; pages wait for a first look as long as a busy machine takes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import structlog

from sekisho.server.desk import arrivals


@pytest.fixture(autouse=True)
def fresh_logs() -> Iterator[None]:
    """Forget whose stream the log was last written to."""
    structlog.reset_defaults()
    yield
    structlog.reset_defaults()


@pytest.fixture(autouse=True)
def patient_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a page wait for the first look at a small file, however busy the machine is."""
    monkeypatch.setattr(arrivals, "SOON", 60.0)
