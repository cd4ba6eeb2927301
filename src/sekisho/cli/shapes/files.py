"""The files that a verb is given, the same for every shape; what a shape does not need is None.

Which rules a file is read under: those named, those of a schema, or what options say of a file of one's own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import typer

from sekisho.cli.kit.options import list_given_options, refuse_unsuited
from sekisho.cli.shapes.file_options import OWN, OwnFileOptions
from sekisho.data.shape import Shape
from sekisho.errors import BugError, ParameterError
from sekisho.gate.rulebooks import read_record_terms
from sekisho.safety.terms import RecordTerms, Terms
from sekisho.words import Said

UNACCOUNTED = Said(
    "a person must decide: without the original nobody can account for what leaves; sekisho gate accounts for it"
)
"""What is said of a file of one's own that is only written."""


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


USUAL_RULES = "pwscup2018"
"""Under which rules a history is read if nothing is said of it."""


def choose_rules(context: typer.Context, rules: str, schema: str, shapes: frozenset[Shape]) -> str | None:
    """Return the rules by name or path.

    None where options say how a file of one's own is written, or where nothing is said of records.

    Raises:
        ParameterError: rules and a schema are named.
        FaultsError: rules or a schema are named, and options that say the same.
    """
    if rules and schema:
        raise ParameterError("--schema", Said("not be given together with --rules"), schema)
    described = bool(set(OWN) & list_given_options(context).keys())
    named = rules or schema
    if named:
        refuse_unsuited(context, Said("{named}, which says how the file is written", named=named), OWN)
        return named
    return None if described or Shape.RECORDS in shapes else USUAL_RULES


def choose_round(book: Terms, asked: str) -> Terms:
    """Return rules of records with the round that is asked for as their usual one; of histories no round differs."""
    if not asked or not isinstance(book, RecordTerms):
        return book
    book.find_round(asked)
    return replace(book, round=asked)


def require_one_shape(shapes: frozenset[Shape]) -> Shape:
    """Return the shape that a method or adversary suits.

    Raises:
        ParameterError: it suits several, so that a schema must say which it is.
    """
    if len(shapes) != 1:
        raise ParameterError("--schema", Said("be given for what suits several shapes of data"), None)
    return next(iter(shapes))


def read_own_terms(named: str | None, own: OwnFileOptions, source: Path) -> RecordTerms:
    """Return the terms of records of one's own: of a schema, or as options say.

    Raises:
        ParameterError: the schema is a contest's.
    """
    book = own.rules(Shape.RECORDS, source) if named is None else read_record_terms(named)
    if not isinstance(book, RecordTerms):
        raise BugError("options of records made rules of another shape")
    if book.layout.strict:
        raise ParameterError("--schema", Said("be a schema of one's own data"), named)
    return book
