"""Files with columns that name people, made at random: names, addresses, numbers and texts from lists of their own.

Nobody in them exists. The lists share nothing with those of the program but what is common in both; forms are written
down here a second time. A column without a telling header is one that its content gives away.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO

import numpy as np

Rng = np.random.Generator


def words(text: str) -> list[str]:
    """Return the words of a text."""
    return text.split()


KANJI = (
    words(
        "小松崎 遠山 高橋 佐藤 鈴木 田中 伊藤 渡辺 山本 中村 小林 加藤 吉田 山田 佐々木 松本 井上 木村 清水 斎藤 森田 池田 大川原"
    ),
    words("太一 直也 さやか 美穂 健二 友香 悠人 恵理 浩二 香織 翔 真理子 一輝 由紀 拓海 千夏 和彦 麻美 圭吾 里奈"),
)
KANA = (
    words(
        "サトウ スズキ タカハシ タナカ イトウ ワタナベ ヤマモト ナカムラ コバヤシ カトウ ヨシダ ヤマダ ササキ マツモト オオカワラ"
    ),
    words("タロウ ハナコ ケンジ ミホ ユウト エリ コウジ カオリ ショウ マリコ タクミ チナツ カズヒコ アサミ リナ"),
)
WESTERN = (
    words(
        "Oliver Amelia George Isla Harry Ava Noah Mia Jack Emily Charlie Sophie Thomas Grace Oscar Lily William Ella James"
    )
    + words(
        "Lukas Hannah Felix Lena Paul Marie Louis Chloe Hugo Lucas Sofia Pablo Carmen Giulia Marco Anna Ingrid Lars"
    ),
    words(
        "Smith Jones Taylor Brown Wilson Davies Evans Thomas Roberts Walker Wright Robinson Thompson White Hughes Edwards"
    )
    + words(
        "Schmidt Fischer Weber Meyer Wagner Becker Dubois Moreau Laurent Garcia Lopez Rossi Hansen Ferncastle Oakenshaw"
    ),
)
TOWNS = words("Northam Eastley Westbrook Southwick Middlefield")
STREETS = {
    "en": ("High Street", "Mill Lane", "Station Road", "Park Avenue"),
    "de": ("Lindenstraße", "Bergweg", "Marktplatz", "Schulgasse"),
    "fr": ("rue des Lilas", "avenue Foch", "place du Marché", "chemin Vert"),
}
HEADERS = {
    "name": [
        "氏名",
        "お名前",
        "name",
        "full_name",
        "Nachname",
        "patient_name",
        "顧客氏名",
        "Nom et prénom",
        "契約者名",
        "Apellidos",
    ],
    "kana": ["カナ氏名", "フリガナ", "氏名カナ", "ふりがな"],
    "given": ["first_name", "Vorname", "prénom", "given name", "Nombre"],
    "family": ["last_name", "surname", "Familienname", "nom", "姓"],
    "email": ["email", "メールアドレス", "E-Mail-Adresse", "courriel", "contact mail"],
    "phone": ["phone", "電話番号", "携帯", "Telefon", "téléphone", "mobile no"],
    "address": ["住所", "address", "Straße", "adresse", "自宅住所", "street"],
    "number": [
        "会員番号",
        "customer_id",
        "世帯番号",
        "Kundennummer",
        "patient no",
        "社員番号",
        "policy_no",
        "N° client",
        "口座番号",
    ],
    "order": ["注文番号", "order_no", "invoice number", "伝票番号", "Rechnungsnummer", "booking ref"],
    "ip": ["ip", "IPアドレス", "client_ip"],
    "link": ["url", "profile link", "ホームページ"],
    "text": ["備考", "remarks", "Bemerkung", "comment", "自由記述", "notes"],
    "device": ["device_mac", "端末ID", "imei"],
    "official": ["マイナンバー", "national id", "身分証番号"],
    "coordinate": ["lat", "緯度", "latitude"],
    "staff": ["主治医", "doctor", "担当者", "Sachbearbeiter", "case manager"],
}
FEWEST_HIDDEN = 8
"""Of fewer values nobody could say what they are, without a telling header."""
MEANINGLESS = ["col_{}", "x{}", "field {}", "var{}", "列{}", "F{}", "項目{}"]


def pick(rng: Rng, words: list[str] | tuple[str, ...]) -> str:
    """Return one of some words."""
    return words[int(rng.integers(len(words)))]


def digits(rng: Rng, count: int) -> str:
    """Return so many random digits."""
    return "".join(map(str, rng.integers(0, 10, count).tolist()))


def make_name(rng: Rng, style: int) -> str:
    """Return a name: Japanese with or without a space or a title, or Western in three orders."""
    if style == 0:
        return f"{pick(rng, KANJI[0])}　{pick(rng, KANJI[1])}"
    if style == 1:
        return f"{pick(rng, KANJI[0])} {pick(rng, KANJI[1])} 様"
    given, family = pick(rng, WESTERN[0]), pick(rng, WESTERN[1])
    return (f"{given} {family}", f"{family}, {given}", f"Dr. {given} {family}")[style - 2]


def make_my_number(rng: Rng) -> str:
    """Return twelve digits with the check digit of My Number, by the ordinance's formula with weights by place."""
    body = rng.integers(0, 10, 11).tolist()
    total = sum(digit * (place + 1 if place <= 6 else place - 5) for place, digit in enumerate(reversed(body), 1))
    rest = total % 11
    return "".join(map(str, body)) + str(0 if rest <= 1 else 11 - rest)


def make_text(rng: Rng) -> str:
    """Return a remark, mostly with somebody's name, mail or telephone in it."""
    who, digit = make_name(rng, int(rng.integers(2, 5))), digits(rng, 3)
    japanese = f"{pick(rng, KANJI[0])}さんから{digit}円の返金依頼。折り返し連絡が必要。"
    western = f"called back {who} about parcel {digit}, still waiting"
    mailed = f"write to {pick(rng, WESTERN[0]).lower()}{digit}@example.org please"
    return pick(rng, (japanese, western, mailed))


def make_address(rng: Rng) -> str:
    """Return an address down to the house."""
    number = int(rng.integers(1, 200))
    return pick(
        rng,
        (
            f"{number} {pick(rng, STREETS['en'])}",
            f"{pick(rng, STREETS['de'])} {number}",
            f"{number} {pick(rng, STREETS['fr'])}",
            f"架空県{pick(rng, ('青葉', '緑', '港'))}市中央{number % 9 + 1}-{number % 20 + 1}-{number % 7 + 1}",
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NamingKind:
    """A kind of column that names people.

    Attributes:
        header: under which headers are listed.
        make: one value.
        hidden: whether its content alone gives it away.
        fewest: the least share of values that differ without a telling header; few numbers could be anything.
    """

    header: str
    make: Callable[[Rng], str]
    hidden: bool = True
    fewest: float = 0.0


def of_style(style: int) -> Callable[[Rng], str]:
    """Return a maker of names of one style."""
    return lambda rng: make_name(rng, style)


KINDS: dict[str, NamingKind] = {
    **{f"name {style}": NamingKind(header="name", make=of_style(style)) for style in range(5)},
    "kana": NamingKind(header="kana", make=lambda rng: f"{pick(rng, KANA[0])} {pick(rng, KANA[1])}"),
    "given": NamingKind(header="given", make=lambda rng: pick(rng, WESTERN[0])),
    "family": NamingKind(header="family", make=lambda rng: pick(rng, WESTERN[1])),
    "email": NamingKind(
        header="email", make=lambda rng: f"{pick(rng, WESTERN[0]).lower()}{digits(rng, 3)}@example.com"
    ),
    "phone jp": NamingKind(header="phone", make=lambda rng: f"0{digits(rng, 1)}0-0{digits(rng, 3)}-{digits(rng, 4)}"),
    "phone us": NamingKind(header="phone", make=lambda rng: f"(415) 555-01{digits(rng, 2)}"),
    "phone de": NamingKind(header="phone", make=lambda rng: f"+49 30 23125{digits(rng, 3)}"),
    "address": NamingKind(header="address", make=make_address),
    "member": NamingKind(header="number", make=lambda rng: f"M{digits(rng, 7)}", fewest=0.3),
    "padded": NamingKind(header="number", make=lambda rng: f"000{digits(rng, 6)}", fewest=0.3),
    "order": NamingKind(header="order", make=lambda rng: f"ORD-{digits(rng, 8)}", fewest=0.3),
    "ip": NamingKind(header="ip", make=lambda rng: f"198.51.100.{int(rng.integers(1, 255))}"),
    "link": NamingKind(header="link", make=lambda rng: f"https://example.org/u/{digits(rng, 6)}"),
    "text": NamingKind(header="text", make=make_text),
    "mac": NamingKind(header="device", make=lambda rng: ":".join(f"{int(one):02x}" for one in rng.integers(0, 256, 6))),
    "my number": NamingKind(header="official", make=make_my_number),
    "staff": NamingKind(header="staff", make=of_style(4)),
    "point": NamingKind(
        header="coordinate", make=lambda rng: f"{rng.uniform(35, 36):.5f},{rng.uniform(139, 140):.5f}", fewest=0.05
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeUpFile:
    """A file, and what must not leave it.

    Attributes:
        text: as CSV.
        secrets: by column the values that name people.
    """

    text: str
    secrets: dict[str, frozenset[str]]


def make_file(rng: Rng, *, rows: int, kinds: list[str]) -> MadeUpFile:
    """Return records with columns of some kinds that name people, under telling headers or meaningless ones."""
    columns: dict[str, list[str]] = {
        "age": [str(int(one)) for one in rng.integers(18, 80, rows)],
        "sex": [pick(rng, ("f", "m")) for _ in range(rows)],
        "town": [pick(rng, TOWNS) for _ in range(rows)],
        "illness": [pick(rng, ("flu", "cold", "asthma", "none")) for _ in range(rows)],
    }
    secrets: dict[str, frozenset[str]] = {}
    for number, name in enumerate(kinds, 1):
        kind = KINDS[name]
        telling = not kind.hidden or rng.random() < 0.5
        header = pick(rng, HEADERS[kind.header]) if telling else pick(rng, MEANINGLESS).format(number)
        least = 0.02 if telling else kind.fewest
        count = max(4 if telling else FEWEST_HIDDEN, int(rows * rng.uniform(least, 1.0)))
        pool = [kind.make(rng) for _ in range(count)]
        values = [pick(rng, pool) for _ in range(rows)]
        header = header if header not in columns else f"{header} {number}"
        columns[header] = values
        secrets[header] = frozenset(values)
    order = rng.permutation(len(columns)).tolist()
    names = [list(columns)[place] for place in order]
    stream = StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(zip(*(columns[name] for name in names), strict=True))
    return MadeUpFile(text=stream.getvalue(), secrets=secrets)
