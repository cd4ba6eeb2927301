"""Which rules a file is read under: those named, those of a schema, or what options say of a file of one's own."""

from __future__ import annotations

from dataclasses import replace

import typer

from sekisho.cli.kit.suits import list_given_options, refuse_unsuited
from sekisho.cli.shapes.file_options import OWN
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.safety.terms import RecordTerms, Terms
from sekisho.words import Said

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
