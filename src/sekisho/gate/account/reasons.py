"""What a person says of columns with a reason: that one is harmless, or that it may be learnt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sekisho.data.review import LEAST_REASON, is_reason
from sekisho.errors import Fault, ParameterError, SettingsError
from sekisho.words import Said, quote_words


def list_reason_faults(place: str, reasons: Mapping[str, str]) -> Iterator[ParameterError]:
    """Give which reasons are no sentences."""
    for name, reason in reasons.items():
        if not is_reason(reason):
            rule = Said("be a reason of at least {least} letters, in words", least=LEAST_REASON)
            yield ParameterError(f"{place}.{name}", rule, reason)


def check_reasons(place: str, reasons: Mapping[str, str]) -> None:
    """Refuse reasons that are no sentences.

    Raises:
        SettingsError: some are not; all of them at once.
    """
    faults = [_make_fault(error) for error in list_reason_faults(place, reasons)]
    if faults:
        raise SettingsError(place, faults)


def _make_fault(error: ParameterError) -> Fault:
    words = quote_words(str(error))
    return Fault(row=0, column=str(error.name), rule=str(error.rule), value=str(error.value), message=words)
