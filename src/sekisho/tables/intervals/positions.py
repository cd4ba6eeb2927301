"""Where the true value stands in its interval: drawn before the widths are made least, by secret chance.

The narrowest intervals betray themselves: at a corner of the program the true values stand at the ends of their
intervals, or with equal levels to both sides in the middle, and whoever knows that the widths are least reads them off.
So the position of an unsafe cell is drawn first: of a width ``t`` a part ``u``, uniform over what bounds admit, lies
below the value and ``t - u`` above it; levels to one side are drawn between once and twice what is asked. Of any other
cell the share of its width that lies below the value is drawn uniformly, as far as its bounds let it follow the unsafe
ones. The widths are then made least for these positions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sekisho.errors import ParameterError
from sekisho.tables.audit.attacker import room
from sekisho.tables.audit.survey import CLOSE
from sekisho.tables.model.exact_sums import count_decimals
from sekisho.tables.model.table import Floats, Table
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Positions:
    """The secret draws of a table.

    Attributes:
        down: how far below its value each unsafe cell must reach; 0 elsewhere.
        up: how far above.
        share: what part of the width of each other cell lies below its value; NaN at unsafe cells.
    """

    down: Floats
    up: Floats
    share: Floats

    def ask(self, table: Table) -> Table:
        """Return the table with the drawn levels in place of its own."""
        return replace(
            table,
            lower_level=np.where(table.primary, self.down, table.lower_level),
            upper_level=np.where(table.primary, self.up, table.upper_level),
        )


def find_unit(table: Table) -> float:
    """Return the unit of a table's values: 1 for counts, else that of their last decimal."""
    return 10.0 ** -(count_decimals(table.value) or 0)


def draw_positions(table: Table, *, rng: np.random.Generator) -> Positions:
    """Return positions for the levels of a table's unsafe cells, in whole units of its values."""
    below, above = room(table)
    unit = find_unit(table)
    lower, upper, sliding = (
        np.where(table.primary, each, 0.0) for each in (table.lower_level, table.upper_level, table.sliding_level)
    )
    least = np.maximum(0.0, np.ceil((sliding - above) / unit))
    most = np.maximum(least, np.floor(np.minimum(sliding, below) / unit))
    part = np.minimum(sliding, (least + np.floor(rng.random(len(table)) * (most - least + 1))) * unit)
    down, up = np.maximum(_double(lower, below, rng), part), np.maximum(_double(upper, above, rng), sliding - part)
    down, up = (np.ceil(each / unit - CLOSE) * unit for each in (down, up))
    least, most = _limit_shares(below, above, float(down.max(initial=0.0)), float(up.max(initial=0.0)))
    drawn = least + rng.random(len(table)) * (most - least)
    return Positions(down=down, up=up, share=np.where(table.primary, np.nan, drawn))


def _limit_shares(below: Floats, above: Floats, down: float, up: float) -> tuple[Floats, Floats]:
    """Return between what shares the room of each cell lets it follow every unsafe one, down and up.

    A width of which ``share`` lies below is at most ``below / share``: beyond ``below / (below + up)`` less than ``up``
    would be left above, so that a small cell of an unlucky share could not move, and unsafe ones with it.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        most = np.where(np.isfinite(below), np.nan_to_num(below / (below + up), nan=1.0), 1.0)
        least = np.where(np.isfinite(above), np.nan_to_num(down / (above + down), nan=0.0), 0.0)
    fits = least <= most
    return np.where(fits, least, 0.0), np.where(fits, most, 1.0)


def _double(levels: Floats, most: Floats, rng: np.random.Generator) -> Floats:
    """Return levels between once and twice as large, not above what bounds admit unless they were before."""
    return np.where(levels > 0, np.maximum(levels, np.minimum(levels * (1 + rng.random(len(levels))), most)), 0.0)


def refuse_symmetric(table: Table) -> None:
    """Refuse levels that put true values into the middle of their intervals, where no position is drawn.

    Raises:
        ParameterError: an unsafe cell has equal levels to both sides and needs no wider interval than they give.
    """
    both = table.primary & (table.lower_level > 0) & (table.lower_level == table.upper_level)
    if bool(np.any(both & (table.sliding_level <= 2 * table.lower_level))):
        raise ParameterError(
            "positions",
            Said("be drawn: with equal levels to both sides every unsafe value stands in the middle of its interval"),
            "none",
        )
