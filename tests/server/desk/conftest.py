"""The desk's log lines go to where each test listens, not to where another test listened before."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import structlog


@pytest.fixture(autouse=True)
def fresh_logs() -> Iterator[None]:
    """Forget whose stream the log was last written to."""
    structlog.reset_defaults()
    yield
    structlog.reset_defaults()
