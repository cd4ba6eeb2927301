"""Whoever knows a person's keys and that he is in the release: the prosecutor.

He looks up the rows whose cells admit what he knows (all keys, or only some), and names one of them. Of c rows that fit
he is right with chance 1/c exactly, if the person's row is among them and he cannot tell them apart; where every cell
admits the truth that is so, and in classes that do not overlap c is the size of the person's class. The sum of the
chances is therefore the number of hits to expect, and a class of c rows gives 1 of them.

Source: El Emam, "Guide to the De-Identification of Personal Health Information", CRC Press 2013, chapter 16.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sekisho.attack.records.cell_adversary import CellAdversary
from sekisho.attack.records.cell_linkage import FITS
from sekisho.parameters import checked


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Prosecutor(CellAdversary):
    """Names one of the rows that admit what he knows of a person; nobody where no row does.

    Example: `sekisho attack prosecutor --original people.csv --published R.csv --keys age,sex --out G.csv`

    Source: El Emam, "Guide to the De-Identification of Personal Health Information", 2013.
    """

    reach: ClassVar[float] = FITS
