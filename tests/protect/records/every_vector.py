"""The slow obvious way: every vector of levels of a few keys, written out record by record.

Nothing is shared with src.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import log, log2

Ladder = Mapping[str, Sequence[str]]
"""What each value is written as at each level, its own name first."""
Classes = Mapping[tuple[str, ...], Sequence[str]]
"""The sensitive values of the records that are written alike."""


def ncp(ladder: Ladder, values: Sequence[str], value: str, level: int) -> float:
    """Return (leaves under the label - 1) / (leaves - 1)."""
    del values
    label = ladder[value][level]
    under = sum(1 for line in ladder.values() if label in line)
    return (under - 1) / (len(ladder) - 1) if len(ladder) > 1 else 0.0


def precision(ladder: Ladder, values: Sequence[str], value: str, level: int) -> float:
    """Return the level over the highest."""
    del values
    return level / max(1, len(ladder[value]) - 1)


def entropy(ladder: Ladder, values: Sequence[str], value: str, level: int) -> float:
    """Return how many bits the label hides, over the mean of those of a label above all."""
    label = ladder[value][level]
    alike = sum(1 for each in values if ladder[each][level] == label)
    mean = sum(log2(len(values) / values.count(each)) for each in values) / len(values)
    return log2(alike / values.count(value)) / (mean or 1.0)


def left_out(measure: Callable[..., float], ladder: Ladder, values: Sequence[str], value: str) -> float:
    """Return what a cell of a record that is left out costs."""
    return entropy(ladder, values, value, len(ladder[value]) - 1) if measure is entropy else 1.0


def keeps(
    hidden: Sequence[str],
    everyone: Sequence[str],
    *,
    k: float,
    distinct: float = 0,
    varied: float = 0,
    recursive: float = 0,
    t: float = 1,
) -> bool:
    """Tell whether a class keeps the rule."""
    counts, whole = Counter(hidden), Counter(everyone)
    shares = [count / len(hidden) for count in counts.values()]
    spread = -sum(share * log(share) for share in shares)
    away = sum(abs(counts[value] / len(hidden) - whole[value] / len(everyone)) for value in whole) / 2
    return (
        len(hidden) >= k
        and len(counts) >= distinct
        and (varied <= 1 or spread >= log(varied) - 1e-12)
        and (
            not recursive or max(counts.values()) < 3 * sum(sorted(counts.values(), reverse=True)[int(recursive) - 1 :])
        )
        and (t >= 1 or away <= t + 1e-12)
    )


def least_loss(
    rows: Sequence[tuple[str, ...]],
    hidden: Sequence[str],
    ladders: Sequence[Ladder],
    measure: Callable[..., float],
    room: int,
    **rule: float,
) -> float | None:
    """Return the least loss of all vectors that are allowed; None if none is."""
    columns = [[row[key] for row in rows] for key in range(len(ladders))]
    best: float | None = None
    for vector in product(*(range(len(next(iter(ladder.values())))) for ladder in ladders)):
        written = [
            tuple(ladder[value][level] for ladder, value, level in zip(ladders, row, vector, strict=True))
            for row in rows
        ]
        inside: dict[tuple[str, ...], list[str]] = {}
        for text, secret in zip(written, hidden, strict=True):
            inside.setdefault(text, []).append(secret)
        good = {text for text, secrets in inside.items() if keeps(secrets, hidden, **rule)}
        if sum(text not in good for text in written) > room:
            continue
        loss = 0.0
        for row, text in zip(rows, written, strict=True):
            for ladder, values, value, level in zip(ladders, columns, row, vector, strict=True):
                cost = (
                    measure(ladder, values, value, level) if text in good else left_out(measure, ladder, values, value)
                )
                loss += cost / (len(rows) * len(ladders))
        best = loss if best is None else min(best, loss)
    return best
