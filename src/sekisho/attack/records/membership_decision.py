"""Should a doubtful record be called a member? A team's decision table as a calculator.

An adversary calls everyone a member but doubts one record, a share s = 0.01 of the members, which he would hit with
chance p. With precision 0.5 and a hit rate h = 0.3 on the others, delta = 0.01:

    called:    (1 + d)(0.5 + d)((1 - s) h + s p + d)
    left out:  (1 - s + d)(0.5 + d)(h + d)              as the slide computes it
               (1 - s + d)(0.5 + d)((1 - s) h + d)      as the judge's top-k does: its denominator keeps the record

Calling is the better advice at any p under both readings. Source: PWS Cup 2021, slides of team 10, "rough estimate of
the score".
"""

from __future__ import annotations

from dataclasses import dataclass

from sekisho.errors import ParameterError
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtfulRecord:
    """The situation of one doubtful record.

    Attributes:
        hit: the chance p that naming rows for it would hit.
        others: the hit rate h on the other members.
        precision: of calling everyone a member.
        share: of the members that the doubtful record makes up.
        delta: of the risk.
    """

    hit: float
    others: float = 0.3
    precision: float = 0.5
    share: float = 0.01
    delta: float = 0.01

    def __post_init__(self) -> None:
        for name in ("hit", "others", "precision", "share", "delta"):
            value = float(getattr(self, name))
            if not 0 <= value <= 1:
                raise ParameterError(name, Said("lie between 0 and 1"), value)

    @property
    def called(self) -> float:
        """The expected risk when the record is called a member."""
        topk = (1 - self.share) * self.others + self.share * self.hit
        return (1 + self.delta) * (self.precision + self.delta) * (topk + self.delta)

    @property
    def left_out(self) -> float:
        """The risk when it is left out, as the slide computes it."""
        return (1 - self.share + self.delta) * (self.precision + self.delta) * (self.others + self.delta)

    @property
    def left_out_judged(self) -> float:
        """The risk when it is left out, as the judge computes it."""
        topk = (1 - self.share) * self.others
        return (1 - self.share + self.delta) * (self.precision + self.delta) * (topk + self.delta)

    @property
    def call(self) -> bool:
        """Tell whether calling is the better advice under both readings."""
        return self.called > max(self.left_out, self.left_out_judged)
