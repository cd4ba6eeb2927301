"""The words for what was seen in a file, in two languages; figures only, never a value of the data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sekisho.data.frame.dataset import Role
from sekisho.data.shape import Shape
from sekisho.gate.names import FORMS
from sekisho.gate.profiling.hints import Hint, Sign
from sekisho.gate.profiling.shape_guess import ShapeGuess
from sekisho.report.kit.words import format_out_of, format_percent
from sekisho.safety.records.uniques.key_uniques import KeyUniques
from sekisho.words import Said, join_words

SEEN: Mapping[Sign, Callable[[Mapping[str, object]], Said]] = {
    Sign.NAMED: lambda seen: Said('its name says so ("{word}")', word=seen["word"]),
    Sign.DISTINCT: lambda seen: Said(
        "{distinct:,} different {distinct:value|values} in {rows:,} {rows:row|rows}",
        distinct=seen["distinct"],
        rows=seen["rows"],
    ),
    Sign.REPEATS: lambda seen: Said(
        "{distinct:,} {distinct:person|people} in {rows:,} {rows:row|rows}, {mean:.1f} rows each",
        distinct=seen["distinct"],
        rows=seen["rows"],
        mean=seen["mean"],
    ),
    Sign.FEW_VALUES: lambda seen: Said("{distinct:,} different {distinct:value|values}", distinct=seen["distinct"]),
    Sign.MANY_VALUES: lambda seen: Said(
        "many|{distinct:,} different {distinct:value|values} in {rows:,} {rows:row|rows}",
        distinct=seen["distinct"],
        rows=seen["rows"],
    ),
    Sign.NUMBERS: lambda seen: Said(
        "numbers of {distinct:,} different {distinct:value|values}, which others may know: nothing says they do not",
        distinct=seen["distinct"],
    ),
    Sign.HOLDS: lambda seen: Said("its values are {form}", form=seen["form"]),
    Sign.POSTAL: lambda seen: Said(
        "{share} of its values are postal codes; the first three digits often suffice", share=seen["share"]
    ),
    Sign.LONG_TEXT: lambda seen: Said(
        "free text: {length:.0f} characters on average, {distinct:,} different ones; who knows what it gives away",
        length=seen["length"],
        distinct=seen["distinct"],
    ),
    Sign.REMARKS: lambda _: Said(
        "texts of several words: if they are remarks that somebody wrote, delete the column from the schema, which "
        "leaves it out"
    ),
    Sign.CONSTANT: lambda _: Said("one value in all rows: it tells nobody apart"),
    Sign.ALL_MISSING: lambda _: Said("every cell is missing"),
    Sign.MISSING_DROP: lambda seen: Said(
        "{missing:,} of {rows:,} {rows:cell|cells} {missing:is|are} missing: their rows are dropped",
        missing=seen["missing"],
        rows=seen["rows"],
    ),
    Sign.MISSING_CARRIED: lambda seen: Said(
        "{missing:,} of {rows:,} {rows:cell|cells} {missing:is|are} missing, and stay so",
        missing=seen["missing"],
        rows=seen["rows"],
    ),
    Sign.OUTCOME: lambda _: Said("the last column has two values, as an outcome has"),
    Sign.TRANSACTION: lambda seen: Said(
        '"{word}": {distinct:,} {distinct:number|numbers} of transactions link the rows of one person',
        word=seen["word"],
        distinct=seen["distinct"],
    ),
    Sign.NAMES_PEOPLE: lambda _: Said(
        "what names people never leaves, generalised or not; if one does not, or must leave, remove the marks before "
        "it in the schema and say why under [allowed_columns] in the recipe"
    ),
    Sign.TAIL: lambda seen: Said(
        "far-out values: protect code --{side} {asked} would cover {rows:,} {rows:row|rows}",
        side=seen["side"],
        asked=seen["asked"],
        rows=seen["rows"],
    ),
    Sign.FAR: lambda seen: Said(
        "far-out values: {rows:,} {rows:row lies|rows lie} at or beyond {limit}; high or low with "
        'outside = "drop" leaves them out',
        rows=seen["rows"],
        limit=seen["limit"],
    ),
    Sign.ONLY_KIND: lambda seen: Said("the likeliest column of kind {kind}", kind=seen["kind"]),
    Sign.ALONE: lambda seen: Said("rows with a value that no other row has: {single:,}", single=seen["single"]),
    Sign.MARGIN: lambda seen: Said("{dims} has a code that names a total", dims=seen["dims"]),
    Sign.DISTINCT_CELLS: lambda seen: Said(
        "each of the {rows:,} combinations of {dims} stands there once", rows=seen["rows"], dims=seen["dims"]
    ),
    Sign.ONE_ROW_EACH: lambda seen: Said(
        "no column says whose a row is and repeats: {rows:,} {rows:row|rows}, one a person (of firms: "
        "--shape table tabulates)",
        rows=seen["rows"],
    ),
    Sign.KNOWN_OWNER: lambda seen: Said(
        "{column} says whose a row is: {people:,} {people:person|people}, one row each",
        column=seen["column"],
        people=seen["people"],
    ),
    Sign.UNSETTLED: lambda seen: Said(
        "{column} says whose a row is and repeats: {people:,} {people:person has|people have} {rows:,} "
        "{rows:row|rows}, so what is counted of rows is not said of people",
        column=seen["column"],
        people=seen["people"],
        rows=seen["rows"],
    ),
    Sign.DIAGNOSES: lambda seen: Said(
        "its values are codes of diagnoses, {distinct:,} different ones", distinct=seen["distinct"]
    ),
    Sign.MARKS: lambda _: Said("numbers under the subjects of a school are marks"),
    Sign.SAME_AS: lambda seen: Said(
        "tells the same as {other}, which is taken for what the event is about",
        other=seen["other"],
    ),
    Sign.ASKED: lambda _: Said("asked for by --shape"),
}
ROLES: dict[Role | None, Said] = {
    Role.IDENTIFIER: Said("who it is"),
    Role.QUASI: Said("may be known to others"),
    Role.SENSITIVE: Said("must stay hidden"),
    Role.HOUSEHOLD: Said("who lives together"),
    Role.OTHER: Said("says nothing about a person"),
    None: Said("left out"),
}
SHAPES: dict[Shape, Said] = {
    Shape.HISTORY: Said("a history: many rows a person"),
    Shape.RECORDS: Said("records: one row a person"),
    Shape.TABLE: Said("a table: cells by dimensions"),
}
UNSETTLED = Said("records: whose rows they are is not settled")


def say_shape(guess: ShapeGuess) -> Said:
    """Return what a row is, in words."""
    return UNSETTLED if guess.is_unsettled else SHAPES[guess.shape]


def say_hint(hint: Hint) -> Said:
    """Return the words for one thing that was seen."""
    figures: dict[str, object] = dict(hint.figures)
    form, share = hint.figures.get("form"), hint.figures.get("share")
    if isinstance(form, str):
        figures["form"] = FORMS[form]
    if isinstance(share, float):
        figures["share"] = format_percent(share)
    return SEEN[hint.sign](figures)


def say_hints(hints: Iterable[Hint]) -> Said:
    """Return the words for some things that were seen, one after the other."""
    return join_words(map(say_hint, hints), "; ")


def say_uniques(uniques: KeyUniques) -> list[Said]:
    """Return how many rows are unique on the keys, and which columns make them so."""
    share = format_out_of(uniques.unique, uniques.records)
    words = [Said("unique on the keys: {share}", share=share)]
    blamed = ", ".join(f"{name} (-{fewer:,})" for name, fewer in uniques.blamed[:3])
    if blamed:
        words.append(Said("most of it is due to: {names} (so many fewer without it)", names=blamed))
    return words
