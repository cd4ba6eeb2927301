"""What a person says of columns with a reason: that one is harmless, or that it may be learnt."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from sekisho.errors import Fault, ParameterError, SettingsError
from sekisho.words import Said, quote_words

LEAST_REASON = 20
"""A reason has so many letters at least: it is a sentence that somebody reads."""


def list_reason_faults(place: str, reasons: Mapping[str, str]) -> Iterator[ParameterError]:
    """Give which reasons are no sentences."""
    for name, reason in reasons.items():
        if len(reason.strip()) < LEAST_REASON:
            rule = Said("be a reason of at least {least} letters, in words", least=LEAST_REASON)
            yield ParameterError(f"{place}.{name}", rule, reason)


def check_reasons(place: str, reasons: Mapping[str, str]) -> None:
    """Refuse reasons that are no sentences.

    Raises:
        SettingsError: some are not; all of them at once.
    """
    faults = [
        Fault(
            row=0, column=str(error.name), rule=str(error.rule), value=str(error.value), message=quote_words(str(error))
        )
        for error in list_reason_faults(place, reasons)
    ]
    if faults:
        raise SettingsError(place, faults)


def _make_fault(error: ParameterError) -> Fault:
    words = quote_words(str(error))
    return Fault(row=0, column=str(error.name), rule=str(error.rule), value=str(error.value), message=words)


def check_columns(place: str, reasons: Mapping[str, str], columns: Collection[str]) -> None:
    """Refuse reasons of columns that are not there.

    Raises:
        ParameterError: a column is unknown.
    """
    unknown = [name for name in reasons if name not in columns]
    if unknown:
        raise ParameterError(place, Said("be among {names}", names=", ".join(columns)), ", ".join(unknown))
