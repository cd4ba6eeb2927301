"""Words as a reader of each language sees them."""

from __future__ import annotations

from sekisho.words import Language, translate


def read_both(words: str) -> tuple[str, ...]:
    """Return words in English and in Japanese; equal sentences of one language may differ in the other."""
    return tuple(str(translate(words, language)) for language in Language)
