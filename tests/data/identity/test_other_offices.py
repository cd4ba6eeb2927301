"""Ten small files of other offices, in words that nobody looked up: what names people is known, and hardly more."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sekisho.gate.profiling.look import look_at_file

Rng = np.random.Generator
ROWS = 120


def some(*values: str) -> list[str]:
    return list(values)


def people(names: str) -> list[str]:
    return names.split("|")


def codes(mask: str) -> str:
    """Return a mask of a code, each # a random digit."""
    return f"mask:{mask}"


def numbers(low: int, high: int) -> str:
    return f"numbers:{low}:{high}"


def decimals(low: float, high: float, places: int) -> str:
    return f"decimals:{low}:{high}:{places}"


WHO = some(
    *[
        "Bianca Conti",
        "Dario Greco",
        "Elisa Fontana",
        "Nico Marchetti",
        "Ilaria Ferri",
        "Tullio Bassi",
        "Noemi Sala",
        "Ugo Neri",
    ]
)
NIPPON = people("本多 春樹|栗田 文乃|有馬 小夜子|乾 慎吾|砂川 あかり|宮内 理沙|塩見 徹|古賀 瑞穂")
DAYS = some(*(f"2024-{month:02d}-{day:02d}" for month in range(1, 13) for day in (3, 11, 19, 27)))

# By file: by header what stands below it, and whether it names people.
OFFICES: dict[str, dict[str, tuple[list[str] | str, bool]]] = {
    "library loans": {
        "borrower": (WHO, True),
        "card barcode": (codes("2900######"), True),
        "title": (some("Dune", "Emma", "Ulysses", "Persuasion", "Middlemarch"), False),
        "loaned": (DAYS, False),
        "branch": (some("Central", "Harbour", "Hillside"), False),
        "fine": (decimals(0, 9, 2), False),
    },
    "動物病院": {
        "飼い主": (NIPPON, True),
        "ペット種別": (some("犬", "猫", "うさぎ"), False),
        "品種": (some("柴犬", "三毛", "トイプードル", "雑種"), False),
        "体重": (decimals(1, 40, 1), False),
        "診断": (some("皮膚炎", "骨折", "外耳炎", "健康"), False),
        "来院日": (DAYS, False),
    },
    "parking fines": {
        "targa": (codes("AB###CD"), True),
        "via": (some("Via Roma", "Corso Italia", "Piazza Duomo", "Via Verdi"), False),
        "importo": (decimals(20, 90, 2), False),
        "veicolo": (some("auto", "moto", "furgone"), False),
        "nota agente": (some(*(f"veicolo del sig. {who}, ha protestato a lungo" for who in WHO)), True),
    },
    "blood donors": {
        "donor ref": (codes("D-######"), True),
        "blood group": (some("A+", "A-", "B+", "0+", "0-", "AB+"), False),
        "haemoglobin": (decimals(11, 17, 1), False),
        "donations": (numbers(1, 60), False),
        "session": (some("Town hall", "University", "Fire station"), False),
        "postcode area": (some("NR", "IP", "CB", "PE"), False),
    },
    "学校給食": {
        "児童": (NIPPON, True),
        "学年": (numbers(1, 6), False),
        "組": (some("1", "2", "3"), False),
        "アレルギー": (some("なし", "卵", "乳", "小麦"), False),
        "献立名": (some("カレー", "うどん", "親子丼", "味噌汁"), False),
        "保護者メール": (some(*(f"parent{n}@example.jp" for n in range(40))), True),
    },
    "car rental": {
        "huurder": (people("Femke Visser|Daan Mulder|Sanne Bos|Joost Dekker|Lotte Smit|Bram Meijer"), True),
        "kenteken": (codes("##-ABC-#"), True),
        "merk": (some("Volvo", "Fiat", "Opel", "Renault"), False),
        "kilometers": (numbers(20, 900), False),
        "ophaaldatum": (DAYS, False),
        "leeftijd": (numbers(21, 79), False),
    },
    "museum members": {
        "membre": (codes("MUS#####"), True),
        "prénom usuel": (some("Léa", "Hugo", "Camille", "Jules", "Chloé", "Louis", "Manon", "Nathan"), True),
        "tarif": (some("plein", "réduit", "famille"), False),
        "oeuvre préférée": (some("Les Nymphéas", "La Laitière", "Le Penseur"), False),
        "visites": (numbers(1, 30), False),
    },
    "energy meters": {
        "meter serial": (codes("E######22"), True),
        "kwh": (decimals(100, 900, 1), False),
        "tariff": (some("day", "night", "flat"), False),
        "read on": (DAYS, False),
        "install point": (some(*(f"{52 + n / 977:.6f}, {n / 769:.6f}" for n in range(60))), True),
        "estimate": (some("yes", "no"), False),
    },
    "court fines": {
        "accused": (
            people("Osei Boateng|Priya Nair|Tom Fletcher|Maeve Flynn|Jakub Nowak|Sara Lindgren"),
            True,
        ),
        "offence": (some("speeding", "theft", "trespass", "fraud"), False),
        "fine_eur": (numbers(50, 900), False),
        "hearing": (DAYS, False),
        "plea": (some("guilty", "not guilty"), False),
        "court": (some("Northam", "Eastley", "Southwick"), False),
    },
    "gifts": {
        "portable": (some(*(f"06 39 98 {n:02} {n * 7 % 100:02}" for n in range(60))), True),
        "tribute": (some("In memory of Odalys Brackwater", "In honour of Thessaly Quill"), True),
        "appeal": (some("gala", "spring", "clinic"), False),
        "amount": (numbers(5, 900), False),
    },
    "寄付": {
        "寄付者氏名": (NIPPON, True),
        "使途": (some("教育", "環境", "医療"), False),
        "寄付金額": (numbers(1000, 90000), False),
        "返礼品": (some("みかん", "米", "牛肉", "タオル"), False),
        "都道府県": (some("石川県", "山口県", "福島県", "千葉県", "長野県"), False),
        "振込先": (some(*(f"あおば銀行 普通 {1000000 + 7919 * n}" for n in range(50))), True),
    },
}


def draw(rng: Rng, source: list[str] | str) -> str:
    if isinstance(source, list):
        return source[int(rng.integers(len(source)))]
    kind, *parts = source.split(":")
    if kind == "mask":
        return "".join(str(int(rng.integers(10))) if sign == "#" else sign for sign in parts[0])
    low, high = float(parts[0]), float(parts[1])
    return (
        str(int(rng.integers(int(low), int(high)))) if kind == "numbers" else f"{rng.uniform(low, high):.{parts[2]}f}"
    )


@pytest.mark.parametrize("office", OFFICES)
def test_what_names_people_is_known_and_nothing_else(tmp_path: Path, office: str) -> None:
    columns, rng = OFFICES[office], np.random.default_rng(len(office))
    lines = [",".join(f'"{draw(rng, source)}"' for source, _ in columns.values()) for _ in range(ROWS)]
    (tmp_path / "own.csv").write_text("\n".join([",".join(columns), *lines]) + "\n")
    look = look_at_file(tmp_path / "own.csv")
    leaves = {guess.look.name for guess in look.roles if guess.role is not None and guess.role.value != "identifier"}
    naming = {name for name, (_, names) in columns.items() if names}
    judged = {each.name for each in look.columns if each.naming is not None}
    assert not naming & leaves
    assert judged <= naming
