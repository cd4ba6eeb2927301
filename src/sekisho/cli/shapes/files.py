"""The files that a verb is given, the same for every shape; what a shape does not need is None."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sekisho.errors import ParameterError
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFiles:
    """What is to be checked: a release, or an attack on what was published."""

    original: Path
    released: Path | None = None
    published: Path | None = None
    guess: Path | None = None
    deleted: Path | None = None

    @property
    def of_release(self) -> bool:
        """Whether a release is to be checked, else an attack.

        Raises:
            ParameterError: neither one nor the other is named.
        """
        release = self.released is not None and self.published is None and self.guess is None
        attack = self.released is None and self.published is not None and self.guess is not None
        if not release and not attack:
            raise ParameterError(
                "check", Said("be given either --released, or --published and --guess"), "another combination"
            )
        return release


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishFiles:
    """A release, where what is published of it goes, and the truth if it is asked for.

    Attributes:
        original: what it was made from; then what a check refuses is not published.
        deleted: of records the rows that are left out, beside the original.
    """

    released: Path
    out: Path
    original: Path | None = None
    deleted: Path | None = None
    truth: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeFiles:
    """An attack and what it is judged by."""

    guess: Path
    original: Path | None = None
    released: Path | None = None
    answers: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackFiles:
    """What is known and published, and where the guess goes."""

    original: Path
    published: Path
    out: Path


def require(name: str, value: Path | None) -> Path:
    """Return an option that the shape needs."""
    if value is None:
        raise ParameterError(f"--{name}", Said("be given under these rules"), None)
    return value
