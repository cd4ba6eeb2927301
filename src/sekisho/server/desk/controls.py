"""Numbers and names that a page asks for, as its controls show them and as they are read from its form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sekisho.gate.names import NAMES
from sekisho.words import Said

MOST = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class AimNumber:
    """A number that a person may ask for.

    Attributes:
        name: of the field.
        words: what it is.
        value: what the recipe says; None where it says nothing.
        low: the least.
        high: the largest of the slider; a larger one may be typed.
        step: of the slider.
        share: whether it is a share, shown in per cent.
        usual: what holds where nothing is said; None where nothing does.
        whole: whether it is a whole number.
    """

    name: str
    words: str
    value: float | None
    low: float
    high: float
    step: float = 1
    share: bool = False
    usual: float | None = None
    whole: bool = True

    @property
    def text(self) -> str:
        """The value as the field has it; shares in per cent."""
        return "" if self.value is None else f"{self.value * 100 if self.share else self.value:.6g}"

    @property
    def usual_text(self) -> str:
        """What holds where nothing is said, likewise."""
        return "" if self.usual is None else f"{self.usual * 100 if self.share else self.usual:.6g}"

    @property
    def top(self) -> float:
        """The largest of the slider, so that what is there has room."""
        shown = 0.0 if self.value is None else self.value * (100 if self.share else 1)
        return max(self.high, shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class AimChoice:
    """A name that may be ticked or chosen, and what it means."""

    name: str
    words: str
    chosen: bool
    hint: str = ""


def list_choices(offered: Sequence[str], now: Sequence[str], hints: Mapping[str, Said]) -> list[AimChoice]:
    """Return what is offered, and what else the recipe has."""
    names = dict.fromkeys((*offered, *now))
    return [
        AimChoice(name=name, words=NAMES.get(name, name), chosen=name in now, hint=hints.get(name, ""))
        for name in names
    ]


def read_number(
    name: str, text: str, note: Callable[[str, Said, object], None], *, low: float = 0, high: float = MOST
) -> float | None:
    """Return the number in a field; None where it is empty, or cannot be read, which is noted."""
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = low - 1
    if not low <= value <= high:
        note(name, Said("be a number of at least {low}", low=f"{low:g}"), text)
        return None
    return value
