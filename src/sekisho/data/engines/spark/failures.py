"""What goes wrong in Spark, as one sentence of ours.

A mistake that our own code names on an executor (a value that breaks a rule, in some block) crosses Spark inside the
text of an error of Python's, and is raised again here as what it was.
"""

from __future__ import annotations

import pickle
import re
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager

from sekisho.errors import BugError, InputError, MissingFileError, SekishoError
from sekisho.words import Said, quote_words

MARK = "sekisho-error"
CARRIED = re.compile(rf"{MARK}<([0-9a-f]+)>")
NAMED = re.compile(r"\[[A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)?\] ([^\n]+?)(?: SQLSTATE: \w+)?$", re.MULTILINE)
"""Spark's own errors have a name in capitals, and most a state."""
ROOM = "No module named 'sekisho"


class CarriedError(Exception):
    """An error of ours, packed into a text that survives the way back to the driver."""

    def __init__(self, error: SekishoError) -> None:
        packed = pickle.dumps((type(error), error.args, error.__dict__))
        super().__init__(f"{MARK}<{packed.hex()}>")


def unpack_error(text: str) -> SekishoError | None:
    """Return the error of ours that the text of another carries; None if it carries none."""
    match = CARRIED.search(text)
    if match is None:
        return None
    kind, words, state = pickle.loads(bytes.fromhex(match[1]))
    # Its own __init__ would want other arguments; a class that is two of Python's must be made as the stricter one.
    make: Callable[..., SekishoError] = OSError.__new__ if issubclass(kind, OSError) else Exception.__new__
    error = make(kind, *words)
    error.args = words
    error.__dict__.update(state)
    return error


@contextmanager
def explained(source: object = "Spark") -> Generator[None]:
    """Raise whatever goes wrong inside as an error of ours; pyspark's warnings of pandas, which we never use, go by."""
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
            yield
    except SekishoError:
        raise
    except Exception as error:
        raise explain_error(error, source) from error


def explain_error(error: Exception, source: object = "Spark") -> SekishoError:
    """Return what went wrong in Spark as an error of ours."""
    text = str(error)
    if (ours := unpack_error(text)) is not None:
        return ours
    if "PATH_NOT_FOUND" in text:
        match = re.search(r"Path does not exist: (\S+?)\.? ", text)
        return MissingFileError(match[1] if match else source)
    if ROOM in text:
        reason = Said(
            "its executors have no sekisho: install the same version there, or send it along (spark.archives)"
        )
        return InputError(source, reason)
    if "Traceback (most recent call last)" in text:
        named = re.findall(r"^([A-Za-z_.]+(?:Error|Exception)\b[^\n]*)$", text, re.MULTILINE)
        return BugError(f"on an executor of Spark: {named[-1] if named else find_reason(text)}")
    return InputError(source, quote_words(find_reason(text)))


def find_reason(text: str) -> str:
    """Return the line of a long message of Java's or Python's that says the reason: the deepest that Spark names."""
    if named := NAMED.findall(text):
        return named[-1].strip()
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith(("\t", "  "))]
    causes = [line for line in lines if re.match(r"(Caused by: |: )?[a-zA-Z_.]+(Exception|Error)\b", line)]
    line = re.sub(r"^(Caused by: |: )", "", (causes or lines or ["unknown reason"])[0])
    return re.sub(r"^[a-z]+(\.[a-zA-Z]+)+(Exception|Error): ", "", line)
