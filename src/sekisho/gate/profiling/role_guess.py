"""What each column of records or of a history is: identifier, quasi-identifier, sensitive, other, or better left out.

What nothing speaks for is taken for known to others, which is the careful way. Nothing is left out but what names
people, what is empty, and what tells the same as another column; and that is said.

What the columns of a history say of an event: when, what, how much, how many.

A name decides where it speaks; else the likeliest column of the right kind is taken. What is one and the same for all
rows of a person, such as a birth date or a tariff, is his and says nothing of an event. Of a code and a name of the
item the name is the item.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from sekisho.data.frame.dataset import Kind, Meaning, Role
from sekisho.data.identity.forms import IdentityForm
from sekisho.data.identity.header_words import Ground, Topic
from sekisho.data.identity.row_owner import RowOwner
from sekisho.data.identity.survey_headers import is_household_header, is_household_number
from sekisho.gate.profiling.column_look import ColumnLook
from sekisho.gate.profiling.hints import Hint, Sign, make_hint
from sekisho.gate.profiling.shape_guess import tell_person

MEANINGS = {
    Meaning.TIME: (Topic.TIME, (Kind.DATE,)),
    Meaning.ITEM: (Topic.ITEM, (Kind.CATEGORY, Kind.INTEGER)),
    Meaning.PRICE: (Topic.PRICE, (Kind.DECIMAL, Kind.INTEGER)),
    Meaning.QUANTITY: (Topic.QUANTITY, (Kind.INTEGER, Kind.DECIMAL)),
}
VARIES = 1.1
"""A person has so many different values on average, at least, in a column that tells of events."""
TOLD_APART = 1.1
CODED = r"^[A-Za-z]{0,4}[-_ ]?[0-9]{2,}[A-Za-z0-9-]*$"
NEARLY_ALL_EVENTS = 0.9
LARGEST_FAMILY, FEWEST_FAMILIES = 20, 10
"""A family has so many rows on average at most, and there are more than so many."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Candidate:
    """A column that may say something of an event, and whether it differs among a person's rows."""

    look: ColumnLook
    varies: bool

    def has(self, *topics: Topic) -> bool:
        return self.look.has(*topics)


def find_meanings(columns: Sequence[ColumnLook], person: ColumnLook) -> dict[int, Meaning]:
    """Return by place which column says when, what, how much and how many."""
    fit = [each for each in columns if each.distinct > 1 and each.naming is None]
    candidates = [_Candidate(look=each, varies=_does_vary(each, person)) for each in fit]
    means = dict[int, Meaning]()
    for meaning, find in FINDERS.items():
        kinds = MEANINGS[meaning][1]
        free = [each for each in candidates if each.look.kind in kinds and each.look.place not in means]
        best = find(free)
        if best is not None:
            means[best.look.place] = meaning
    return means


def _does_vary(look: ColumnLook, person: ColumnLook) -> bool:
    pairs = pl.DataFrame({"person": person.text, "value": look.text}).n_unique()
    return pairs > VARIES * person.distinct


def _find_time(candidates: Sequence[_Candidate]) -> _Candidate | None:
    """Return the day of the event: rather one that varies and hardly ever is missing than a birth date."""
    return max(
        candidates,
        key=lambda each: (
            each.varies and not each.has(Topic.QUASI),
            each.has(Topic.TIME),
            2 * each.look.present > each.look.rows,
            -each.look.place,
        ),
        default=None,
    )


def _find_item(candidates: Sequence[_Candidate]) -> _Candidate | None:
    """Return what the event is about: a name before a code, a ware before the shop; else the likeliest category."""
    named = [each for each in candidates if each.has(Topic.ITEM)]
    if any(each.varies for each in named):
        return max((each for each in named if each.varies), key=_rank_item)
    told = (Topic.QUASI, Topic.PLACE, Topic.TIME, Topic.PRICE, Topic.QUANTITY)
    plain = [
        each
        for each in candidates
        if each.varies
        and each.look.kind is Kind.CATEGORY
        and not each.has(*told)
        and each.look.postal < NEARLY_ALL_EVENTS
    ]
    return max(plain or named, key=_rank_item, default=None)


def _rank_item(candidate: _Candidate) -> tuple[bool, bool, bool, int, int]:
    look = candidate.look
    return (
        not candidate.has(Topic.VENUE),
        not is_code(look),
        not candidate.has(Topic.PROPERTY),
        look.distinct,
        -look.place,
    )


def is_code(look: ColumnLook) -> bool:
    """Tell whether a column of items holds codes rather than names."""
    values = look.evidence.probe
    return float(values.str.contains(CODED).sum()) >= NEARLY_ALL_EVENTS * len(values)


def _find_price(candidates: Sequence[_Candidate]) -> _Candidate | None:
    """Return what was paid: the whole before a part of it, a price before what is left on an account."""
    named = [each for each in candidates if each.has(Topic.PRICE)]
    silent = [each for each in candidates if not each.look.topics.keys() - {Topic.TRANSACTION}]
    plain = [each for each in silent if each.look.kind is Kind.DECIMAL]
    if not named:
        return max(plain, key=lambda each: each.look.distinct, default=None)
    return max(
        named,
        key=lambda each: (
            not each.has(Topic.PART) or (each.has(Topic.WHOLE) and not each.has(Topic.SENSITIVE)),
            each.varies,
            each.has(Topic.WHOLE),
            not each.has(Topic.SENSITIVE, Topic.QUANTITY),
            -each.look.place,
        ),
    )


def _find_quantity(candidates: Sequence[_Candidate]) -> _Candidate | None:
    named = [each for each in candidates if each.has(Topic.QUANTITY)]
    plain = [each for each in candidates if not each.look.topics and each.look.kind is Kind.INTEGER]
    if named:
        return named[0]
    return max(plain, key=lambda each: each.look.distinct, default=None)


FINDERS = {
    Meaning.TIME: _find_time,
    Meaning.ITEM: _find_item,
    Meaning.PRICE: _find_price,
    Meaning.QUANTITY: _find_quantity,
}


def find_item_twins(
    columns: Sequence[ColumnLook], item: ColumnLook, means: Mapping[int, Meaning]
) -> tuple[ColumnLook, ...]:
    """Return the further columns that tell the same as the item: its code, another name of it."""
    open_columns = [each for each in columns if each.place not in means and each.distinct > 1 and each.naming is None]
    return tuple(each for each in open_columns if _is_twin(each, item))


def _is_twin(look: ColumnLook, item: ColumnLook) -> bool:
    spoken = look.has(Topic.QUASI, Topic.PLACE, Topic.SENSITIVE, Topic.TIME, Topic.PRICE, Topic.QUANTITY)
    if look.kind.numeric and not look.has(Topic.ITEM, Topic.NUMBERED):
        return False
    if spoken or look.missing or min(look.distinct, item.distinct) * TOLD_APART < max(look.distinct, item.distinct):
        return False
    pairs = pl.DataFrame({"item": item.text, "other": look.text}).n_unique()
    return pairs <= TOLD_APART * max(look.distinct, item.distinct)


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


def guess_record_roles(columns: Sequence[ColumnLook], owner: RowOwner | None = None) -> tuple[RoleGuess, ...]:
    """Return what each column of records is; the likeliest identifier is kept as such, further ones are left out.

    Args:
        columns: of the file.
        owner: the column that says whose rows they are; where it repeats it is left out, whatever it looks like.
    """
    guesses = _take_household([_leave_out_owner(_guess_role(each), owner) for each in columns])
    named = [guess for guess in guesses if guess.role is Role.IDENTIFIER]
    chosen = max(named, key=_rank_identifier) if named else None
    guesses = [
        leave_out(guess) if guess.role is Role.IDENTIFIER and guess is not chosen else guess for guess in guesses
    ]
    guesses = _take_marks(guesses)
    if not any(guess.role is Role.SENSITIVE for guess in guesses):
        guesses[-1] = _take_outcome(guesses[-1])
    return tuple(guesses)


def _leave_out_owner(guess: RoleGuess, owner: RowOwner | None) -> RoleGuess:
    """Return a guess; the number of somebody who has several rows is no key and does not leave."""
    look = guess.look
    if owner is None or not owner.repeats or look.name != owner.column or guess.role is Role.IDENTIFIER:
        return guess
    repeats = make_hint(Sign.REPEATS, distinct=look.distinct, rows=look.present, mean=look.present / look.distinct)
    return leave_out(replace(guess, hints=(repeats,)))


def _take_household(guesses: list[RoleGuess]) -> list[RoleGuess]:
    """Return the guesses, in which the first number of households that comes again says who lives together."""
    for place, guess in enumerate(guesses):
        look = guess.look
        if _tells_households(look):
            hints = (
                make_hint(Sign.NAMED, word=look.name),
                make_hint(Sign.DISTINCT, distinct=look.distinct, rows=look.rows),
            )
            home = RoleGuess(look=look, role=Role.HOUSEHOLD, hints=hints)
            return [*guesses[:place], home, *guesses[place + 1 :]]
    return guesses


def _tells_households(look: ColumnLook) -> bool:
    """Tell whether a column says who lives together: a number of households, or families that few rows share each."""
    if look.missing or not 1 < look.distinct < look.rows:
        return False
    if is_household_number(look.name):
        return True
    small = look.rows <= LARGEST_FAMILY * look.distinct and look.distinct > FEWEST_FAMILIES
    return small and is_household_header(look.name) and look.kind in {Kind.CATEGORY, Kind.INTEGER}


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
