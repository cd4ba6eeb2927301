"""What a person must know and decide before a recipe is run: what is left out and why, and what was only supposed.

The most important comes first; each names the line to change.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sekisho.data.frame.dataset import Kind, Meaning, Role
from sekisho.data.identity.forms import IdentityForm
from sekisho.data.identity.header_words import Ground, Topic
from sekisho.data.identity.survey_headers import is_weight_header
from sekisho.data.shape import Shape
from sekisho.gate.profiling.file_form import list_missing_texts
from sekisho.gate.profiling.hints import Hint, Sign
from sekisho.gate.profiling.look import FileLook
from sekisho.gate.profiling.role_guess import RoleGuess
from sekisho.report.pages.own_file.schema_text import find_schema_lines, list_column_hints
from sekisho.report.pages.own_file.words import say_hint, say_hints, say_uniques
from sekisho.words import Said

DOUBTFUL = (IdentityForm.CODES, IdentityForm.WORDS, IdentityForm.PROSE, IdentityForm.SENTENCES, IdentityForm.PARTS)
"""What content says of a column with the least right."""
DOUBTED = Said(
    "the first line was taken for names of columns, and hardly anything but its being different says so: if it is a "
    "row of data, do not keep the schema, put a line of names above it"
)
NO_SENSITIVE = Said("no column seems sensitive: give one the role sensitive if its value must stay hidden")
NO_QUASI = Said("no column seems to be known to others: give one the role quasi, or the gate has nothing to protect")
ASSUMED = Said(
    "nothing says what it is, so it is taken for known to others, the careful way; if that is wrong, say role = "
    '"sensitive" or "other", or delete the column, which leaves it out'
)
FIRMS = Said(
    "it speaks of firms: to publish a table of these rows instead of the rows, look at the file with --shape table"
)
SETTLE_UNIT = Said(
    "it says whose a row is and repeats: nothing that is counted of rows is said of people, so a person must decide. "
    "Bring one row a person, look at the file with --shape history, or say in the recipe, under [unit], row = why a "
    "row is a person all the same"
)
ODD = frozenset({Sign.REMARKS, Sign.CONSTANT, Sign.POSTAL})
FAR_OUT = frozenset({Sign.TAIL, Sign.FAR})
FEWEST_OF_A_WEIGHT = 5
"""So many people at least should have each weight that leaves."""
NO_PART = Said("it is neither a dimension of the table nor its value")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPoint:
    """Something to know or to decide.

    Attributes:
        column: which it is about; empty if it is about the whole file.
        reason: what was seen, and what to do if that is wrong.
        line: of the schema; of a table, of the recipe; None if no line says it.
    """

    column: str
    reason: Said
    line: int | None = None


def list_left_out(look: FileLook) -> list[OpenPoint]:
    """Return the columns that do not leave, those first that may have been misjudged."""
    if look.schema is None:
        return [OpenPoint(column=name, reason=NO_PART) for name in _list_unused(look)]
    lines = find_schema_lines(look)
    left = sorted((guess for guess in look.roles if guess.role is None), key=_rank_certainty)
    return [
        OpenPoint(column=guess.look.name, reason=say_hints(list_reasons(guess)), line=lines.get(guess.look.name))
        for guess in left
    ]


def list_reasons(guess: RoleGuess) -> tuple[Hint, ...]:
    """Return why a column is what it is, without what is said once of all that names people."""
    return tuple(hint for hint in guess.hints if hint.sign is not Sign.NAMES_PEOPLE)


def names_people(look: FileLook) -> bool:
    """Tell whether a column is left out because it names people."""
    return any(hint.sign is Sign.NAMES_PEOPLE for guess in look.roles for hint in guess.hints)


def _list_unused(look: FileLook) -> list[str]:
    table = look.guess.table
    if table is None:
        return []
    used = [*table.dims, table.value, *table.contributors, table.contributor]
    return [each.name for each in look.columns if each not in used]


def _rank_certainty(guess: RoleGuess) -> int:
    """Return how sure it is that a column has to be left out: 0 for the least."""
    naming = guess.look.naming
    if not guess.look.present:
        return 4
    if naming is None:
        return 1
    if naming.ground is Ground.DISTINCT or naming.sign in DOUBTFUL:
        return 0
    return 2 if naming.ground is Ground.CONTENT else 3


def list_questions(look: FileLook) -> list[OpenPoint]:
    """Return what a person should decide, the most important first."""
    lines = find_schema_lines(look)
    points = [*_ask_of_file(look), *_ask_of_reading(look)]
    points += _ask_of_event(look) if look.shape is Shape.HISTORY else []
    points += _ask_of_columns(look, ODD)
    points += [OpenPoint(column=name, reason=ASSUMED) for name in look.assumed]
    points += [*_ask_of_weights(look), *_ask_of_keys(look), *_ask_of_columns(look, FAR_OUT)]
    return [OpenPoint(column=each.column, reason=each.reason, line=lines.get(each.column)) for each in points]


def _ask_of_file(look: FileLook) -> Iterator[OpenPoint]:
    if look.doubts_names:
        yield OpenPoint(column="", reason=DOUBTED)
    if look.guess.owner is not None and look.guess.is_unsettled:
        yield OpenPoint(column=look.guess.owner.column, reason=SETTLE_UNIT)
    named = any(each.naming is not None for each in look.columns)
    if look.repeated and (named or look.shape is not Shape.RECORDS):
        yield OpenPoint(
            column="",
            reason=Said(
                "{rows:,} {rows:row stands|rows stand} there a second time, the same in every column: if exported "
                "twice, remove {rows:it, else it counts|them, else they count} twice",
                rows=look.repeated,
            ),
        )
    firm = [each for each in look.columns if each.has(Topic.BELONGING, Topic.NAME) and each.naming is not None]
    firms = [each for each in firm if any(word in FIRM_WORDS for word in each.topics.values())]
    if look.shape is Shape.RECORDS and firms:
        yield OpenPoint(column=firms[0].name, reason=FIRMS)


FIRM_WORDS = frozenset(
    {
        *(
            "firm",
            "company",
            "business",
            "establishment",
            "enterprise",
            "betrieb",
            "unternehmen",
            "firma",
            "entreprise",
        ),
        *("empresa", "betriebsnr", "betriebsnummer", "siret", "siren", "tradingname", "companyname", "businessname"),
        *("raisonsociale", "razonsocial", "ragionesociale", "bedrijfsnaam", "firmenname", "legalname"),
        *(
            "企業",
            "法人",
            "事業所",
            "会社",
            "事業者",
            "法人番号",
            "事業所番号",
            "事業所名",
            "企業名",
            "会社名",
            "商号",
            "屋号",
        ),
    }
)


def _ask_of_reading(look: FileLook) -> Iterator[OpenPoint]:
    """Give what was supposed about dates, and texts that were taken for missing."""
    for guess in look.roles:
        reading, name = guess.look.reading, guess.look.name
        if guess.role in {None, Role.IDENTIFIER}:
            continue
        if reading.twin:
            yield OpenPoint(column=name, reason=Said("every date also reads as {twin}: check it", twin=reading.twin))
        if len(reading.forms) > 1:
            forms = ", ".join(f"{each.text} ({each.count:,})" for each in reading.forms)
            yield OpenPoint(
                column=name, reason=Said("its dates have several forms, all of them read: {forms}", forms=forms)
            )
        if reading.misfit_rows:
            reason = Said(
                "{count:,} {count:cell is|cells are} no {kind} and count as missing: look at them in the file",
                count=reading.misfit_rows,
                kind=reading.kind.kind.words,
            )
            yield OpenPoint(column=name, reason=reason)
        texts = list_missing_texts(reading)
        if texts:
            reason = Said(
                "these are taken for missing: {texts}; if one is a value, delete it from missing_texts",
                texts=", ".join(texts),
            )
            yield OpenPoint(column=name, reason=reason)


def _ask_of_event(look: FileLook) -> Iterator[OpenPoint]:
    """Give which of several columns was taken for the item, the time or the amount."""
    for meaning, topic, kinds in (
        (Meaning.TIME, Topic.TIME, {Kind.DATE}),
        (Meaning.ITEM, Topic.ITEM, {Kind.CATEGORY, Kind.INTEGER}),
        (Meaning.PRICE, Topic.PRICE, {Kind.INTEGER, Kind.DECIMAL}),
    ):
        chosen = next((guess for guess in look.roles if guess.means is meaning), None)
        others = [
            guess.look.name
            for guess in look.roles
            if guess is not chosen and guess.look.naming is None and guess.look.has(topic) and guess.look.kind in kinds
        ]
        if chosen is None:
            yield OpenPoint(column="", reason=NO_MEANING[meaning])
        elif others:
            reason = Said(
                "taken for the {meaning} of the event; {others} could be, too: means says which",
                meaning=MEANING_WORDS[meaning],
                others=", ".join(others),
            )
            yield OpenPoint(column=chosen.look.name, reason=reason)


MEANING_WORDS = {Meaning.TIME: Said("time"), Meaning.ITEM: Said("item"), Meaning.PRICE: Said("amount")}
NO_MEANING = {
    Meaning.TIME: Said('no column seems to say when it was: give a date means = "time"'),
    Meaning.ITEM: Said('no column seems to say what it was about: give one means = "item"'),
    Meaning.PRICE: Said('no column seems to say how much was paid: if one does, give it means = "price"'),
}


def _ask_of_columns(look: FileLook, signs: frozenset[Sign]) -> Iterator[OpenPoint]:
    for guess in look.roles:
        if guess.role is None:
            continue
        for hint in list_column_hints(guess, is_history=look.shape is Shape.HISTORY):
            if hint.sign in signs:
                yield OpenPoint(column=guess.look.name, reason=say_hint(hint))


def _ask_of_weights(look: FileLook) -> Iterator[OpenPoint]:
    """Give that a weight of hardly two rows tells each row apart, whatever else is hidden of it."""
    for guess in look.roles:
        column = guess.look
        many = column.distinct * FEWEST_OF_A_WEIGHT > column.present
        if guess.role is not None and column.kind.numeric and is_weight_header(column.name) and many:
            reason = Said(
                "{distinct:,} different weights in {rows:,} {rows:row|rows} link every row: keep it as a key, leave it "
                "out, or tell it on a grid on which at least {people} {people:person has|people have} each value",
                distinct=column.distinct,
                rows=column.present,
                people=FEWEST_OF_A_WEIGHT,
            )
            yield OpenPoint(column=column.name, reason=reason)


def _ask_of_keys(look: FileLook) -> Iterator[OpenPoint]:
    if look.shape is Shape.RECORDS and not look.list_role(Role.SENSITIVE):
        yield OpenPoint(column="", reason=NO_SENSITIVE)
    if look.shape is Shape.RECORDS and look.uniques is None:
        yield OpenPoint(column="", reason=NO_QUASI)
    if look.uniques is not None:
        yield from (OpenPoint(column="", reason=words) for words in say_uniques(look.uniques))
