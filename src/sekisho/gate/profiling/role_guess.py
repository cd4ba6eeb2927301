"""What each column of records or of a history is: identifier, quasi-identifier, sensitive, other, or better left out.

What nothing speaks for is taken for known to others, which is the careful way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sekisho.data.frame.schema import Kind, Meaning, Role
from sekisho.data.identity.column_evidence import Ground
from sekisho.data.identity.forms import IdentityForm
from sekisho.data.identity.header_words import Topic
from sekisho.gate.profiling.column_look import ColumnLook
from sekisho.gate.profiling.hints import Hint, Sign, make_hint
from sekisho.gate.profiling.shape_guess import tell_person

NEARLY_ALL = 0.9
FEW = 100
MEANINGS = {
    Meaning.TIME: (Topic.TIME, (Kind.DATE,)),
    Meaning.ITEM: (Topic.ITEM, (Kind.CATEGORY, Kind.INTEGER)),
    Meaning.PRICE: (Topic.PRICE, (Kind.DECIMAL, Kind.INTEGER)),
    Meaning.QUANTITY: (Topic.QUANTITY, (Kind.INTEGER, Kind.DECIMAL)),
}


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
        return self.role is Role.QUASI and self.means is None and not self.look.topics and self.look.postal < NEARLY_ALL


def guess_record_roles(columns: Sequence[ColumnLook]) -> tuple[RoleGuess, ...]:
    """Return what each column of records is; the likeliest identifier is kept as such, further ones are left out."""
    guesses = [_guess_role(each) for each in columns]
    named = [guess for guess in guesses if guess.role is Role.IDENTIFIER]
    chosen = max(named, key=_rank_identifier) if named else None
    guesses = [
        leave_out(guess) if guess.role is Role.IDENTIFIER and guess is not chosen else guess for guess in guesses
    ]
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
    if look.postal >= NEARLY_ALL:
        return RoleGuess(look=look, role=Role.QUASI, hints=(make_hint(Sign.POSTAL, share=look.postal),))
    for topic, role in ((Topic.SENSITIVE, Role.SENSITIVE), (Topic.QUASI, Role.QUASI), (Topic.PLACE, Role.QUASI)):
        if topic in look.topics:
            hints = (make_hint(Sign.NAMED, word=look.topics[topic]), make_hint(Sign.FEW_VALUES, distinct=look.distinct))
            return RoleGuess(look=look, role=role, hints=hints)
    return None


def _take_outcome(guess: RoleGuess) -> RoleGuess:
    """Return the guess of the last column, sensitive if it has two values and its name does not speak against it."""
    look = guess.look
    if guess.role is not Role.QUASI or look.distinct != 2 or look.has(Topic.QUASI, Topic.PLACE):
        return guess
    return replace(guess, role=Role.SENSITIVE, hints=(make_hint(Sign.OUTCOME),))


def guess_history_roles(columns: Sequence[ColumnLook], person: ColumnLook) -> tuple[RoleGuess, ...]:
    """Return what each column of a history is.

    What neither says when, what, how dear nor how many is left out if it has many values.
    """
    means = _find_meanings([each for each in columns if each is not person])
    guesses = list[RoleGuess]()
    for look in columns:
        if look is person:
            guesses.append(RoleGuess(look=look, role=Role.IDENTIFIER, hints=tell_person(look)))
        elif look.place in means:
            meaning = means[look.place]
            word = look.topics.get(MEANINGS[meaning][0])
            seen = make_hint(Sign.FEW_VALUES, distinct=look.distinct)
            why = make_hint(Sign.NAMED, word=word) if word else make_hint(Sign.ONLY_KIND, kind=look.kind.value)
            hints = (why, seen)
            guesses.append(RoleGuess(look=look, role=Role.QUASI, means=meaning, hints=hints))
        else:
            guesses.append(_guess_further(look))
    return tuple(guesses)


def _guess_further(look: ColumnLook) -> RoleGuess:
    naming = _find_naming(look)
    if naming is not None:
        return leave_out(naming)
    useless = _find_useless(look)
    if useless is not None:
        return replace(useless, role=None)
    if look.distinct > FEW:
        hints = (make_hint(Sign.MANY_VALUES, distinct=look.distinct, rows=look.rows),)
        return RoleGuess(look=look, role=None, hints=hints)
    role = Role.SENSITIVE if look.has(Topic.SENSITIVE) else Role.QUASI
    hints = (make_hint(Sign.FEW_VALUES, distinct=look.distinct), *_doubt_words(look))
    return RoleGuess(look=look, role=role, hints=hints)


def _doubt_words(look: ColumnLook) -> tuple[Hint, ...]:
    return (make_hint(Sign.REMARKS),) if look.sentences else ()


def _find_meanings(columns: Sequence[ColumnLook]) -> dict[int, Meaning]:
    """Return which column says when, what, how dear and how many: by name, else the likeliest one of the right kind."""
    means = dict[int, Meaning]()
    for meaning, (topic, kinds) in MEANINGS.items():
        fit = [each for each in columns if _may_mean(each, kinds, means)]
        named = [each for each in fit if each.has(topic)]
        plain = [each for each in fit if not each.topics and each.kind is kinds[0]]
        if named or plain:
            best = named[0] if named else max(plain, key=lambda each: each.distinct)
            means[best.place] = meaning
    return means


def _may_mean(look: ColumnLook, kinds: Sequence[Kind], means: Mapping[int, Meaning]) -> bool:
    return look.kind in kinds and look.place not in means and look.distinct > 1 and look.naming is None
