"""What each column of records or of a history is: identifier, quasi-identifier, sensitive, other, or better left out.

What nothing speaks for is taken for known to others, which is the careful way. Nothing is left out but what names
people, what is empty, and what tells the same as another column; and that is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sekisho.data.frame.dataset import Kind, Meaning, Role
from sekisho.data.identity.forms import IdentityForm
from sekisho.data.identity.header_words import Ground, Topic
from sekisho.gate.profiling.column_look import ColumnLook
from sekisho.gate.profiling.event_meanings import MEANINGS, find_item_twins, find_meanings
from sekisho.gate.profiling.hints import Hint, Sign, make_hint
from sekisho.gate.profiling.shape_guess import tell_person

NEARLY_ALL = 0.9
FEW = 100
DIAGNOSED = 0.5
"""So many codes of diagnoses have a point, as no number of a room or a class has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleGuess:
    """What a column is.

    Attributes:
        look: what was seen in it.
        role: what it says about a person; None if it is better left out.
        means: of a history, what it says about an event.
        hints: why.
    """

    look: ColumnLook
    role: Role | None
    means: Meaning | None = None
    hints: tuple[Hint, ...] = ()

    @property
    def is_assumed(self) -> bool:
        """Whether it is taken for known to others though neither its name nor the form of its values says so."""
        named = bool(self.look.topics) or self.look.kind is Kind.DATE or self.look.postal >= NEARLY_ALL
        return self.role is Role.QUASI and self.means is None and not named


def guess_record_roles(columns: Sequence[ColumnLook]) -> tuple[RoleGuess, ...]:
    """Return what each column of records is; the likeliest identifier is kept as such, further ones are left out."""
    guesses = [_guess_role(each) for each in columns]
    named = [guess for guess in guesses if guess.role is Role.IDENTIFIER]
    chosen = max(named, key=_rank_identifier) if named else None
    guesses = [
        leave_out(guess) if guess.role is Role.IDENTIFIER and guess is not chosen else guess for guess in guesses
    ]
    guesses = _take_marks(guesses)
    if not any(guess.role is Role.SENSITIVE for guess in guesses):
        guesses[-1] = _take_outcome(guesses[-1])
    return tuple(guesses)


def _rank_identifier(guess: RoleGuess) -> tuple[bool, bool, int]:
    look = guess.look
    return look.is_number_of_owner and not look.has(Topic.TRANSACTION), "id" in look.topics.values(), look.distinct


def _guess_role(look: ColumnLook) -> RoleGuess:
    for guess in (_find_naming(look), _find_useless(look), _find_named(look)):
        if guess is not None:
            return guess
    if look.kind.numeric and look.distinct > FEW:
        return RoleGuess(look=look, role=Role.QUASI, hints=(make_hint(Sign.NUMBERS, distinct=look.distinct),))
    sign = Sign.FEW_VALUES if look.distinct <= FEW else Sign.MANY_VALUES
    hints = (make_hint(sign, distinct=look.distinct, rows=look.rows), *_doubt_words(look))
    return RoleGuess(look=look, role=Role.QUASI, hints=hints)


def _find_naming(look: ColumnLook) -> RoleGuess | None:
    """Return the guess for a column that names people, by its header, its content or its distinct values."""
    naming = look.naming
    if naming is None:
        return None
    distinct = make_hint(Sign.DISTINCT, distinct=look.distinct, rows=look.present)
    if naming.ground is Ground.HEADER and Topic.TRANSACTION in look.topics and not look.is_number_of_owner:
        hints = (make_hint(Sign.TRANSACTION, word=naming.sign, distinct=look.distinct),)
    elif naming.ground is Ground.HEADER:
        hints = (make_hint(Sign.NAMED, word=naming.sign), distinct)
    elif naming.sign == IdentityForm.PROSE:
        hints = (make_hint(Sign.LONG_TEXT, length=look.length, distinct=look.distinct, rows=look.rows),)
    elif naming.ground is Ground.CONTENT:
        hints = (make_hint(Sign.HOLDS, form=naming.sign, share=naming.share or 0.0), distinct)
    else:
        hints = (distinct,)
    return RoleGuess(look=look, role=Role.IDENTIFIER, hints=hints)


def leave_out(guess: RoleGuess) -> RoleGuess:
    """Return a guess of a column that names people, left out, and that asked about."""
    return replace(guess, role=None, hints=(*guess.hints, make_hint(Sign.NAMES_PEOPLE)))


def _find_useless(look: ColumnLook) -> RoleGuess | None:
    if not look.present:
        return RoleGuess(look=look, role=None, hints=(make_hint(Sign.ALL_MISSING),))
    if look.distinct == 1 and not look.missing:
        return RoleGuess(look=look, role=Role.OTHER, hints=(make_hint(Sign.CONSTANT),))
    return None


def _find_named(look: ColumnLook) -> RoleGuess | None:
    """Return what the name says, or the form of the values; a day is known to others whatever happened on it."""
    if look.postal >= NEARLY_ALL:
        return RoleGuess(look=look, role=Role.QUASI, hints=(make_hint(Sign.POSTAL, share=look.postal),))
    if look.diagnoses >= DIAGNOSED and not look.has(Topic.PLACE, Topic.QUASI):
        return RoleGuess(look=look, role=Role.SENSITIVE, hints=(make_hint(Sign.DIAGNOSES, distinct=look.distinct),))
    roles = {Topic.SENSITIVE: Role.SENSITIVE, Topic.QUASI: Role.QUASI, Topic.PLACE: Role.QUASI}
    if look.kind is Kind.DATE:
        roles = dict.fromkeys((Topic.QUASI, Topic.TIME, Topic.SENSITIVE), Role.QUASI)
    for topic, role in roles.items():
        if topic in look.topics:
            hints = (make_hint(Sign.NAMED, word=look.topics[topic]), make_hint(Sign.FEW_VALUES, distinct=look.distinct))
            return RoleGuess(look=look, role=role, hints=hints)
    return None


def _take_marks(guesses: list[RoleGuess]) -> list[RoleGuess]:
    """Return the guesses of records, where numbers under subjects of a school are marks, and their sums are too."""
    marks = [each for each in guesses if _may_be_mark(each) and each.look.has(Topic.SUBJECT)]
    if len(marks) < 2:
        return guesses
    return [
        replace(each, role=Role.SENSITIVE, hints=(make_hint(Sign.MARKS), *each.hints))
        if each in marks or (_may_be_mark(each) and each.look.has(Topic.SUMMED))
        else each
        for each in guesses
    ]


def _may_be_mark(guess: RoleGuess) -> bool:
    return guess.role is Role.QUASI and guess.look.kind in {Kind.INTEGER, Kind.DECIMAL}


def _take_outcome(guess: RoleGuess) -> RoleGuess:
    """Return the guess of the last column, sensitive if it has two values and its name does not speak against it."""
    look = guess.look
    if guess.role is not Role.QUASI or look.distinct != 2 or look.has(Topic.QUASI, Topic.PLACE):
        return guess
    return replace(guess, role=Role.SENSITIVE, hints=(make_hint(Sign.OUTCOME),))


def guess_history_roles(columns: Sequence[ColumnLook], person: ColumnLook) -> tuple[RoleGuess, ...]:
    """Return what each column of a history is: whose, when, what, how much, and whatever else it tells."""
    means = find_meanings([each for each in columns if each is not person], person)
    item = next((each for each in columns if means.get(each.place) is Meaning.ITEM), None)
    twins = () if item is None else find_item_twins(columns, item, means)
    return tuple(
        _guess_of_history(each, person, means.get(each.place), item if each in twins else None) for each in columns
    )


def _guess_of_history(
    look: ColumnLook, person: ColumnLook, meaning: Meaning | None, item: ColumnLook | None
) -> RoleGuess:
    if look is person:
        return RoleGuess(look=look, role=Role.IDENTIFIER, hints=tell_person(look))
    if meaning is not None:
        word = look.topics.get(MEANINGS[meaning][0])
        why = make_hint(Sign.NAMED, word=word) if word else make_hint(Sign.ONLY_KIND, kind=look.kind.value)
        hints = (why, make_hint(Sign.FEW_VALUES, distinct=look.distinct))
        return RoleGuess(look=look, role=_guess_event_role(look), means=meaning, hints=hints)
    guess = _guess_role(look)
    if guess.role is Role.IDENTIFIER:
        return leave_out(guess)
    if item is not None and guess.role is not None:
        hint = make_hint(Sign.SAME_AS, other=item.name, distinct=look.distinct)
        return replace(guess, role=None, hints=(hint,))
    return guess


def _guess_event_role(look: ColumnLook) -> Role:
    hidden = look.has(Topic.SENSITIVE) and look.kind is not Kind.DATE and not look.has(Topic.PRICE, Topic.QUANTITY)
    return Role.SENSITIVE if hidden else Role.QUASI


def _doubt_words(look: ColumnLook) -> tuple[Hint, ...]:
    return (make_hint(Sign.REMARKS),) if look.sentences else ()
