"""Which team gets which original: bound beforehand by a digest, and checked by everybody afterwards.

The organiser draws a salt and publishes its SHA-256 before anybody registers. Teams are put in the order of the SHA-256
of their name followed by the salt; the first gets the first original, and so on. When the salt is told at the end,
everybody sees that it is the one that was bound, and computes again who got what: nobody was favoured.

Source: PWS Cup 2026, assignment of cohorts. How a hash becomes a number stands in a rule book that could not be read;
the order of the hashes is our own choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from sekisho.errors import ParameterError
from sekisho.words import Said

LEAST_SALT = 16
"""Characters of a salt that nobody can try out."""


def commit_salt(salt: str) -> str:
    """Return what is published of a salt beforehand.

    Raises:
        ParameterError: it is so short that it could be found by trying.
    """
    if len(salt) < LEAST_SALT:
        raise ParameterError("salt", Said("have at least {least} characters", least=LEAST_SALT), len(salt))
    return sha256(salt.encode()).hexdigest()


def deal_originals(originals: Sequence[str], teams: Sequence[str], salt: str) -> dict[str, str]:
    """Return by team the original it gets.

    Raises:
        ParameterError: there are fewer originals than teams, or a team twice.
    """
    if len(set(teams)) < len(teams) or not teams:
        raise ParameterError("team", Said("be named, each once"), list(teams))
    if len(originals) < len(teams):
        raise ParameterError("originals", Said("be at least as many as teams"), len(originals))
    order = sorted(teams, key=lambda team: sha256(f"{team}{salt}".encode()).hexdigest())
    return dict(zip(order, sorted(originals), strict=False))
