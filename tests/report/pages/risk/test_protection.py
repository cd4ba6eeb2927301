"""The page about a release: green only where something is proven and use is left; nobody's row or name is on it."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import polars as pl
import pytest

from sekisho.data.files.grammar import FieldRules
from sekisho.data.files.published_frame import publish_texts, published_frame
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.review import review_release
from sekisho.gate.records.protection import ExaminedProtection, examine_protection
from sekisho.gate.records.recount import RowClasses, recount_promises
from sekisho.protect import Method
from sekisho.protect.records.coding.code import Code
from sekisho.protect.records.lattice_recoding import Lattice
from sekisho.protect.records.microaggregate import Microaggregate
from sekisho.protect.records.noise import Noise
from sekisho.protect.records.partition import Partition
from sekisho.protect.records.rank_swap import RankSwap
from sekisho.protect.records.record_swap import RecordSwap
from sekisho.protect.records.suppress import Matching, Suppress
from sekisho.provenance import Provenance
from sekisho.report.kit.blocks import Tone
from sekisho.report.kit.text import render_text
from sekisho.report.pages.risk.promises import state_verdict
from sekisho.report.pages.risk.protection import (
    PROTECTION_TITLE,
    draw_attacks,
    draw_both_sizes,
    protection_blocks,
    render_protection_page,
)
from sekisho.seeds import Seed
from sekisho.words import Language

ROWS = 60
SCHEMA = Schema(
    (
        Column(name="who", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        Column(name="years", kind=Kind.INTEGER),
        Column(name="place", kind=Kind.CATEGORY),
        Column(name="ill", kind=Kind.CATEGORY, role=Role.SENSITIVE),
    )
)
DATA = Dataset(
    pl.DataFrame(
        {
            "who": [f"person-{row}" for row in range(ROWS)],
            "years": [20 + 7 * row % 31 for row in range(ROWS)],
            "place": [f"town-{row % 7}" for row in range(ROWS)],
            "ill": ["flu" if row % 3 else "none" for row in range(ROWS)],
        }
    ),
    SCHEMA,
)
KEYS = ("years", "place")


def examine(method: Method) -> ExaminedProtection:
    release = method.apply(DATA, rng=Seed(1).rng())
    fields = {each.name: FieldRules(name=each.name, kind=each.kind) for each in SCHEMA.attributes}
    recounts = recount_promises(
        RowClasses(rows=publish_texts(release.take(~release.deleted), fields), fields=fields), release.detail
    )
    return examine_protection(DATA, release, recounts, review=review_release(release, DATA), trees={}, seed=Seed(2))


def tell(protection: ExaminedProtection, language: Language) -> str:
    blocks = protection_blocks(DATA, protection, Provenance(name="test", seed=1))
    return render_text(PROTECTION_TITLE, blocks, language=language, width=400)


def test_a_proven_and_useful_release_is_green() -> None:
    protection = examine(Partition(keys=KEYS, k=3, sensitive="ill", l=2.0, t=0.9))
    assert state_verdict(protection).tone is Tone.GOOD
    english, japanese = (tell(protection, language) for language in Language)
    assert "Every record is written like at least 2 others in the keys (k = 3), proven by counting" in english
    assert "The release is useful" in english
    assert "l-diversity of ill (distinct)" in english
    assert "t-closeness of ill (equal)" in english
    assert english.count("proven: counted from what is written") == 3
    assert "証明済み（書き出す内容から数えました）" in japanese
    assert "加工データは利用できます" in japanese


def test_of_hardly_any_use_is_amber_however_safe() -> None:
    protection = examine(Partition(keys=KEYS, k=ROWS))
    assert state_verdict(protection).tone is Tone.WARN
    assert "of hardly any use (NCP 1.000, of at most 1): a person must look at it" in tell(protection, Language.EN)
    assert "ほとんど役に立ちません" in tell(protection, Language.JA)


def test_a_value_told_by_its_class_is_amber_however_large_k_is() -> None:
    data_tells = examine(Partition(keys=KEYS, k=2))
    assert data_tells.disclosed > 0
    assert state_verdict(data_tells).tone is Tone.WARN
    assert f"For {data_tells.disclosed} records all records of the class have one sensitive value" in tell(
        data_tells, Language.EN
    )


@pytest.mark.parametrize(
    "method",
    [
        Code(intervals={"years": ("25", "35")}),
        Noise(epsilon={"years": 1.0}),
        RankSwap(keys=("years",)),
        RecordSwap(geography=("place",)),
    ],
)
def test_what_promises_nothing_says_so_and_is_never_green(method: Method) -> None:
    protection = examine(method)
    assert state_verdict(protection).tone is Tone.WARN
    assert protection.question.keys == KEYS
    assert "this method promises nothing" in tell(protection, Language.EN)
    assert "proven: counted" not in tell(protection, Language.EN)
    assert "この手法は何も保証しません" in tell(protection, Language.JA)
    # nor is it called useful: NCP does not see values that were changed
    assert "The release is useful" not in tell(protection, Language.EN)
    changed, wider = (sum(shares) / len(KEYS) for shares in zip(*_list_shares(protection), strict=True))
    assert protection.measure_keys() == pytest.approx((changed, wider))
    assert changed + wider > 0


def _list_shares(protection: ExaminedProtection) -> list[tuple[float, float]]:
    """Return of each key the shares of cells that are another value, and that are not one value."""
    table = protection.after.release.table
    shares: list[tuple[float, float]] = []
    for name in KEYS:
        exact, texts = table.columns[name].is_exact(), DATA.text(name).to_list()
        written = published_frame(protection.after.release)[name].cast(pl.String).to_list()
        moved = sum(one and was != now for one, was, now in zip(exact, texts, written, strict=True))
        shares.append((moved / ROWS, float((~exact).mean())))
    return shares


@pytest.mark.parametrize("matching", list(Matching))
def test_local_suppression_says_which_of_its_two_meanings_is_proven(matching: Matching) -> None:
    protection = examine(Suppress(keys=KEYS, k=3, matching=matching))
    english = tell(protection, Language.EN)
    assert ("k records that match" in english) is (matching is Matching.ANY)
    assert ("cannot tell his record from k - 1 others" in english) is (matching is Matching.ALIKE)
    fewest = protection.fewest_candidates
    assert fewest is not None
    assert protection.hides_everybody is (fewest >= 3)


@pytest.mark.parametrize("method", [Lattice(keys=KEYS, k=4), Microaggregate(keys=KEYS, k=4)])
def test_attacks_and_cells_are_counted_for_every_kind_of_release(method: Method) -> None:
    protection = examine(method)
    for fate in protection.fates:
        assert fate.exact + fate.changed + fate.wider + fate.gone == ROWS
        assert fate.exact == ROWS or fate.column in KEYS
    before, after = protection.before.attacks[0], protection.after.attacks[0]
    assert before.share is not None
    # of k records alike no more than 1/k is found
    assert after.share is not None
    assert after.share <= 1 / 4 < before.share
    for picture in (draw_attacks(protection), draw_both_sizes(protection.before.classes, protection.after.classes)):
        for language in Language:
            ET.fromstring(picture.draw(language))


def test_no_identifier_and_no_rare_value_is_on_the_page() -> None:
    page = render_protection_page(DATA, examine(Partition(keys=KEYS, k=3)), Provenance(name="test"))
    assert "person-" not in page
    assert "town-" not in page
