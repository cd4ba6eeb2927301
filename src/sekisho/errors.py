"""Every error that Sekisho raises on purpose.

::

    SekishoError
    ├── ParameterError      (ValueError)         a parameter breaks its rule
    ├── InputError          (ValueError)         a file or frame cannot be read at all
    │   ├── MissingFileError    (FileNotFoundError)
    │   ├── UnreadableError     (OSError)        it is there, and the system does not let us read it
    │   ├── EncodingError       (ValueError)     the bytes are not in the expected encoding
    │   └── MissingColumnsError (ValueError)     columns that somebody names are not there
    ├── FaultsError         (ValueError)         readable, but breaks rules: carries all faults, or 1,000
    │   └── SettingsError                        the file is one of rules or settings
    ├── UnknownNameError    (LookupError)        no method, adversary, measure or rulebook of that name
    ├── PluginError         (ImportError)        what another package adds cannot be loaded
    ├── InfeasibleError     (ValueError)         the question has no answer; the reason is the answer
    ├── ReviewNeededError   (ValueError)         a release that a person must look at before it leaves
    └── BugError            (AssertionError)     our mistake, never yours
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from fractions import Fraction

from sekisho.words import Language, Said, cut_words, join_words, quote_words, translate

SHOWN_CHARACTERS = 300
"""So much of a value, or of the message of a fault, an error's sentence shows."""


def shorten(value: object) -> str:
    """Return a value as an error's sentence shows it; a long one is cut."""
    try:
        text = str(value) if isinstance(value, Fraction) else repr(value)
    except ValueError:  # Python writes no whole number of more than 4,300 digits
        return Said("a number of thousands of digits")
    return cut_text(text)


def cut_text(text: str) -> str:
    """Return a text, cut where it is long."""
    return cut_words(text, SHOWN_CHARACTERS)


class SekishoError(Exception):
    """Root of the tree: catch this to catch everything Sekisho raises on purpose."""


class ParameterError(SekishoError, ValueError):
    """A parameter breaks its rule."""

    def __init__(self, name: str, rule: Said, value: object, *, hint: str = "") -> None:
        self.name, self.rule, self.value, self.hint = name, rule, value, hint
        super().__init__(say_rule(name, rule, value, hint=hint))


def say_rule(name: str, rule: Said, value: object, *, hint: str = "") -> Said:
    """Return the sentence of a parameter that breaks its rule."""
    if value is None:
        if hint:
            return Said("{name} must {rule}, not None ({hint})", name=name, rule=rule, hint=hint)
        return Said("{name} must {rule}, not None", name=name, rule=rule)
    shown = shorten(value)
    if hint:
        return Said("{name} must {rule}, not {value} ({hint})", name=name, rule=rule, value=shown, hint=hint)
    return Said("{name} must {rule}, not {value}", name=name, rule=rule, value=shown)


class InputError(SekishoError, ValueError):
    """A file or frame cannot be read at all.

    Attributes:
        named: what somebody names and the file does not have, such as a sheet.
    """

    def __init__(self, source: object, reason: Said, *, named: Iterable[str] = ()) -> None:
        self.source, self.reason, self.named = str(source), reason, tuple(named)
        super().__init__(Said("{source}: {reason}", source=self.source, reason=reason))


class MissingFileError(InputError, FileNotFoundError):
    """There is no such file."""

    def __init__(self, source: object) -> None:
        super().__init__(source, Said("no such file"))


class UnreadableError(InputError, OSError):
    """The system does not give a file's bytes, or not those that were kept: what it holds is not known."""


class EncodingError(InputError):
    """The bytes are not text in the expected encoding."""


class MissingColumnsError(InputError):
    """Columns that somebody names are not in a file.

    Attributes:
        columns: those that there are.
    """

    def __init__(self, source: object, missing: Iterable[str], columns: Iterable[str]) -> None:
        lacking, self.columns = tuple(missing), tuple(columns)
        near = [close for name in lacking for close in get_close_matches(name, self.columns, n=1)]
        absent, names = ", ".join(lacking), ", ".join(self.columns)
        super().__init__(
            source,
            Said(
                "has no column {missing}; it has {names}; did you mean {near}?",
                missing=absent,
                names=names,
                near=", ".join(near),
            )
            if near
            else Said("has no column {missing}; it has {names}", missing=absent, names=names),
            named=lacking,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing wrong with an input: where, against which rule, and what stood there.

    Rows count from 1; row 0 means the file as a whole.
    """

    row: int
    column: str
    rule: str
    value: str
    message: Said

    def as_dict(self) -> dict[str, object]:
        """Return the fault as plain data for JSON."""
        return asdict(self)

    def as_both(self) -> dict[str, str | int]:
        """Return the fault as plain data with its message in Japanese beside the English one."""
        return {**asdict(self), "message_ja": translate(self.message, Language.JA)}

    def __str__(self) -> str:
        column, message = cut_text(self.column), cut_text(self.message)
        if self.row and column:
            return Said("row {row}, {column}: {message}", row=self.row, column=column, message=message)
        if self.row:
            return Said("row {row}: {message}", row=self.row, message=message)
        if column:
            return Said("file, {column}: {message}", column=column, message=message)
        return Said("file: {message}", message=message)


LISTED = 1000
"""So many faults of an input are listed; the rest is counted."""


class FaultsError(SekishoError, ValueError):
    """An input that can be read breaks its rules.

    Attributes:
        faults: what is wrong; at most the first thousand faults.
        count: how many faults there are.
        hint: the way out, where there is one for all.
    """

    shown = 5

    def __init__(self, source: object, faults: Iterable[Fault], *, count: int | None = None, hint: str = "") -> None:
        all_faults = tuple(faults)
        self.source = str(source)
        self.faults: Sequence[Fault] = all_faults[:LISTED]
        self.count = len(all_faults) if count is None else count
        self.hint = hint
        super().__init__(self._say())

    def _say(self) -> Said:
        first = join_words(map(str, self.faults[: self.shown]), "; ", "; ")
        rest = self.count - min(self.shown, len(self.faults))
        if rest > 0:
            said = Said("{source}: {faults}; and {rest:,} more", source=self.source, faults=first, rest=rest)
        else:
            said = Said("{source}: {faults}", source=self.source, faults=first)
        return Said("{sentence} ({hint})", sentence=said, hint=self.hint) if self.hint else said


def join_faults(errors: Sequence[FaultsError]) -> FaultsError:
    """Return what is wrong with several inputs as one error, each fault with its source."""
    faults = [
        replace(fault, message=Said("{source}: {reason}", source=error.source, reason=fault.message))
        for error in errors
        for fault in error.faults
    ]
    return FaultsError(", ".join(error.source for error in errors), faults, count=sum(error.count for error in errors))


class SettingsError(FaultsError):
    """A file of rules or settings has unknown keys or impossible values."""


class UnknownNameError(SekishoError, LookupError):
    """Nothing is registered under that name."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(sorted(known))
        near = get_close_matches(name, self.known, n=1)
        shown = shorten(name)
        super().__init__(
            Said("there is no {kind} named {name}; did you mean {near!r}?", kind=kind, name=shown, near=near[0])
            if near
            else Said(
                "there is no {kind} named {name}; known: {known}", kind=kind, name=shown, known=", ".join(self.known)
            )
        )


class InfeasibleError(SekishoError, ValueError):
    """The question has no answer under the given conditions; the message is the reason."""


class ReviewNeededError(SekishoError, ValueError):
    """A release that may harm people is not written before a person has looked at it.

    Attributes:
        columns: what it is about.
        warnings: what to look at, in words.
    """

    def __init__(self, columns: Sequence[str], warnings: Sequence[str]) -> None:
        self.columns, self.warnings = tuple(columns), tuple(warnings)
        super().__init__(
            Said("a person must look at this release before it leaves: {warnings}", warnings=join_words(warnings, "; "))
        )


class PluginError(SekishoError, ImportError):
    """What another package adds cannot be loaded: its mistake, neither ours nor yours.

    Attributes:
        distribution: whose it is, with its version.
    """

    def __init__(self, kind: str, name: str, distribution: str, error: Exception) -> None:
        self.distribution = distribution
        super().__init__(
            Said(
                "the {kind} {name} of the plug-in {distribution} cannot be loaded ({fault})",
                kind=kind,
                name=name,
                distribution=distribution,
                fault=cut_text(f"{type(error).__name__}: {error}"),
            )
        )


class BugError(SekishoError, AssertionError):
    """Something Sekisho promised itself does not hold: our mistake, never yours."""


def say_failure(error: OSError, otherwise: Said) -> Said:
    """Return why the system refused, as a part of a sentence."""
    known = {
        errno.EACCES: Said("permission denied"),
        errno.EEXIST: Said("file exists"),
        errno.EISDIR: Said("is a directory"),
        errno.ELOOP: Said("too many levels of symbolic links"),
        errno.ENAMETOOLONG: Said("file name too long"),
        errno.ENOENT: Said("no such file or directory"),
        errno.ENOSPC: Said("no space left on device"),
        errno.ENOTDIR: Said("not a directory"),
        errno.EROFS: Said("read-only file system"),
    }
    plain = quote_words(error.strerror.lower()) if error.strerror else otherwise
    return known.get(error.errno or 0, plain)


def list_places(error: BaseException) -> list[str]:
    """Return the places of the program that an error came through: its message may hold a value of somebody's data."""
    places, trace = list[str](), error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{code.co_filename.rpartition('/')[2]}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return places
