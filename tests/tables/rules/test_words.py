"""A rule typed on the command line must be the rule that was meant, or be refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sekisho.errors import ParameterError, UnknownNameError
from sekisho.tables import CellRule
from sekisho.tables.rules.concentration import Dominance, PercentRule, PriorPosterior
from sekisho.tables.rules.primary import MinimumFrequency, RequestRule, UnsafeZeros
from sekisho.tables.rules.table_rules import rule, write_rule


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("p%:15", PercentRule(p=Fraction(15))),
        ("p%:12.5,2", PercentRule(p=Fraction(25, 2), coalition=2)),
        ("p%:15@holdings", PercentRule(p=Fraction(15), holdings=True)),
        ("nk:2,85", Dominance(n=2, k=Fraction(85))),
        ("NK:1,50@holdings", Dominance(n=1, k=Fraction(50), holdings=True)),
        ("pq:10,50", PriorPosterior(p=Fraction(10), q=Fraction(50))),
        ("pq:10,50,0", PriorPosterior(p=Fraction(10), q=Fraction(50), coalition=0)),
        ("min:3", MinimumFrequency(count=3)),
        ("min:3,30", MinimumFrequency(count=3, margin=Fraction(30))),
        ("request:70", RequestRule(share=Fraction(70))),
        ("request:70,3", RequestRule(share=Fraction(70), count=3)),
        ("zeros", UnsafeZeros()),
        ("zeros:5", UnsafeZeros(width=5)),
    ],
)
def test_words_and_what_they_mean(word: str, meant: CellRule) -> None:
    assert rule(word) == meant


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        (PercentRule(p=Fraction(15)), "p%:15"),
        (PercentRule(p=Fraction(25, 2), coalition=2, holdings=True), "p%:25/2,2@holdings"),
        (PriorPosterior(p=Fraction(10), q=Fraction(50)), "pq:10,50"),
        (Dominance(n=2, k=Fraction(85)), "nk:2,85"),
        (MinimumFrequency(), "min:5"),
        (MinimumFrequency(count=3, margin=Fraction(20)), "min:3,20"),
        (MinimumFrequency(width=10.0, zeros=True), "min:5 (width=10, zeros=True)"),
        (RequestRule(share=Fraction(70), count=3), "request:70,3"),
        (UnsafeZeros(), "zeros"),
        (UnsafeZeros(width=5.0), "zeros:5"),
    ],
)
def test_a_rule_is_written_as_people_write_it_and_means_the_same_again(asked: CellRule, word: str) -> None:
    assert write_rule(asked) == word
    if "(" not in word:
        assert rule(word) == asked


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("p%", "rule p% must have 1 to 2 numbers, not 'p%'"),
        ("p%:", "rule p% must have 1 to 2 numbers, not 'p%:'"),
        ("p%:a", "rule must hold numbers, not 'p%:a'"),
        ("nk:2", "rule nk must have 2 to 2 numbers, not 'nk:2'"),
        ("nk:2,85,1", "rule nk must have 2 to 2 numbers, not 'nk:2,85,1'"),
        ("nk:1.5,85", "rule must count in whole numbers, not '3/2'"),
        ("pq:1/0,5", "rule must hold numbers, not 'pq:1/0,5'"),
        ("zeros@holdings", "rule zeros must stand without @holdings, not 'zeros@holdings'"),
    ],
)
def test_words_that_mean_nothing_are_refused(word: str, message: str) -> None:
    with pytest.raises(ParameterError, match=f"^{message}$"):
        rule(word)


def test_an_unknown_rule_is_named() -> None:
    with pytest.raises(UnknownNameError, match="no primary rule named 'pp'"):
        rule("pp:3")
