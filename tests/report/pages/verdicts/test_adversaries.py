"""Every adversary of records is told in plain words, in both languages, and by a Japanese name."""

from __future__ import annotations

from sekisho.attack import ADVERSARIES
from sekisho.data.shape import Shape
from sekisho.gate.names import NAMES
from sekisho.gate.records.test_sets import make_record_adversaries
from sekisho.report.pages.verdicts.adversaries import DEEDS, describe_adversary


def test_every_adversary_of_records_is_described() -> None:
    names = {*ADVERSARIES.find_names(Shape.RECORDS), *make_record_adversaries()}
    assert names <= DEEDS.keys()
    assert names <= NAMES.keys()


def test_a_label_with_parameters_is_its_adversarys_and_a_stranger_says_nothing() -> None:
    assert describe_adversary("prosecutor keys=age") == DEEDS["prosecutor"]
    assert describe_adversary("stranger") == "–"
