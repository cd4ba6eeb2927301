"""Who asks for no language gets the one that the browser prefers."""

from __future__ import annotations

import pytest

from sekisho.server.web.language import read_preference


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("ja", "ja"),
        ("ja-JP,ja;q=0.9,en;q=0.8", "ja"),
        ("en-GB,en;q=0.9,ja;q=0.8", "en"),
        ("fr,ja;q=0.5,en;q=0.4", "ja"),
        ("fr", "en"),
        ("ja;q=0,en;q=0", "en"),
        ("ja;q=nonsense", "en"),
        ("," * 5000, "en"),
    ],
)
def test_the_browser_says_what_it_prefers(header: str, language: str) -> None:
    assert read_preference(header) == language
