"""Provenance as rows of words, for both media."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sekisho.provenance import Provenance
from sekisho.report.kit.blocks import Facts
from sekisho.report.kit.words import Words
from sekisho.words import Said


def origin_facts(steps: Sequence[Provenance]) -> tuple[tuple[str, Facts], ...]:
    """Return, step by step, its name and what is needed to run it again."""
    return tuple((step.name, Facts(pairs=_pairs(step))) for step in steps)


def _pairs(step: Provenance) -> tuple[tuple[Words, Words], ...]:
    pairs: list[tuple[Words, Words]] = [
        (name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in step.parameters.items()
    ]
    if step.seed is not None:
        pairs.append((Said("seed"), str(step.seed)))
    pairs += [(Said("SHA-256 of {name}", name=name), value) for name, value in step.inputs.items()]
    pairs.append((Said("Sekisho version"), step.version))
    return tuple(pairs)
