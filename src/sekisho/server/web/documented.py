"""Answers that are no models, as the OpenAPI document describes them."""

from __future__ import annotations

Described = dict[int | str, dict[str, object]]


def describe_file(*kinds: str) -> Described:
    """Return the answer that is a file of a kind, or of one of several."""
    return {200: {"description": "The file.", "content": describe_content(*kinds)}}


def describe_content(*kinds: str) -> dict[str, object]:
    """Return contents that are one text."""
    return {kind: {"schema": {"type": "string"}} for kind in kinds}
