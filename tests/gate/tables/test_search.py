"""A pattern leaves with a certificate that stands wherever the time allows one, if need be with an earlier
pattern's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.tables.instances import instance

from sekisho.gate.tables.search import USUAL_SECONDS, SealedCertificate, TableSearch, WriteFiles
from sekisho.provenance import Provenance
from sekisho.tables.model.table import Status
from sekisho.tables.suppress.optimiser import Suppression

ORIGIN = Provenance(name="test")


def answer_with_an_earlier_pattern() -> Suppression:
    table = instance("two-way", 1)
    answer = TableSearch().optimiser.suppress(table)
    every = np.array(answer.table.status != Status.PUBLISH) & ~answer.table.primary
    return replace(answer, last=replace(answer.last, earlier=(every,)))


def test_an_earlier_pattern_is_taken_where_the_best_ones_certificate_is_not_complete(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer, plain = answer_with_an_earlier_pattern(), TableSearch.seal_certificate

    def too_short(
        search: TableSearch, some: Suppression, *, origin: Provenance, write: WriteFiles
    ) -> SealedCertificate:
        sealed = plain(search, some, origin=origin, write=write)
        return replace(sealed, errors=("no witness",)) if some.last.cost == answer.last.cost else sealed

    monkeypatch.setattr(TableSearch, "seal_certificate", too_short)
    certified = TableSearch(seconds=20.0).certify(answer, origin=ORIGIN)
    assert certified.sealed.complete
    assert certified.given_up == answer.last.cost < certified.answer.last.cost
    assert not certified.answer.optimal
    assert certified.answer.last.bound == answer.last.bound
    # without a limit nothing is given up: the certificate had all the time there is
    assert TableSearch(seconds=None).certify(answer, origin=ORIGIN).given_up is None


def test_a_certificate_that_stands_keeps_the_best_pattern() -> None:
    answer = answer_with_an_earlier_pattern()
    certified = TableSearch(seconds=20.0).certify(answer, origin=ORIGIN)
    assert certified.sealed.complete
    assert certified.given_up is None
    assert certified.answer is answer


def test_witnesses_may_take_all_that_the_search_left_over(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float | None] = []

    def note(table: object, *, seconds: float | None = None, coalitions: object = (), whole: bool = False) -> object:
        del table, coalitions, whole
        given.append(seconds)
        raise KeyboardInterrupt

    monkeypatch.setattr("sekisho.tables.certificate.seal.find_evidence", note)
    answer = TableSearch().optimiser.suppress(instance("two-way", 1))
    with pytest.raises(KeyboardInterrupt):
        TableSearch(seconds=100.0).seal_certificate(answer, origin=ORIGIN)
    # a tenth is the proof's; the search has taken a second or so, and before only 10 s were left
    assert given[0] is not None
    assert 80 < given[0] <= 90
    assert TableSearch().seconds == USUAL_SECONDS
