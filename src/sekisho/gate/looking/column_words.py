"""Words in the names of columns, English, Japanese and some German, that tell what a column is about.

A word of Latin letters must be a whole word of the name (``CustomerID`` is customer and id); Japanese is written
without spaces, so a Japanese word may stand anywhere, and the longest one counts.
"""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum


class Topic(StrEnum):
    """What a column's name says it is about."""

    PERSON = "person"
    IDENTIFIER = "identifier"
    TRANSACTION = "transaction"
    QUASI = "quasi"
    SENSITIVE = "sensitive"
    TIME = "time"
    ITEM = "item"
    PRICE = "price"
    QUANTITY = "quantity"
    COUNT = "count"


WORDS: dict[Topic, str] = {
    Topic.PERSON: (
        "customer client user member patient person people visitor passenger guest subscriber employee student"
        " household kunde kundin kundennummer patientennummer respondent participant subject"
        " 顧客 会員 利用者 患者 個人 社員 職員 学生 生徒 被保険者 受診者 乗客 世帯番号 ユーザ お客様"
    ),
    Topic.IDENTIFIER: (
        "id identifier uuid guid name names fullname firstname lastname surname forename email mail phone tel telephone"
        " mobile fax ssn passport licence license mynumber account iban card address street vorname nachname nummer"
        " telefon kennung strasse adresse"
        " 氏名 名前 姓名 氏 フリガナ ふりがな カナ 電話 電話番号 携帯 メール アドレス 住所 番地 番号"
        " 個人番号 マイナンバー 口座 カード 免許 旅券 企業名 会社名 事業所名 法人番号"
    ),
    Topic.TRANSACTION: (
        "invoice order transaction receipt basket session ticket invoiceno orderid bon rechnung"
        " 伝票 注文 取引 レシート 受注 明細"
    ),
    Topic.QUASI: (
        "age years born birth birthday birthdate dob sex gender race ethnicity nationality country native region area"
        " prefecture state city town district municipality zip zipcode postal postcode education school marital"
        " occupation job profession workclass industry sector employer family children height bmi class grade"
        " relationship alter geschlecht beruf ort plz wohnort bundesland land geburtsdatum branche"
        " 年齢 年代 年令 生年 生年月日 誕生 性別 人種 国籍 出身 都道府県 市区町村 市町村 地域 地方 郵便 郵便番号"
        " 学歴 教育 最終学歴 婚姻 配偶 職業 職種 業種 産業 勤務 世帯 家族 子供 子ども 身長 従業 規模"
    ),
    Topic.SENSITIVE: (
        "disease diagnosis illness ill sick icd hiv cancer diabetes disability income salary wage wages earnings"
        " debt loan religion political party orientation crime conviction drug medication treatment prescription smoker"
        " smokes smoking alcohol pregnancy health outcome krankheit einkommen gehalt diagnose lohn"
        " 病名 疾患 疾病 診断 傷病 症状 既往 障害 所得 収入 年収 給与 給料 賃金 借入 負債 宗教 信条 思想 前科 犯罪"
        " 検査 投薬 処方 治療 喫煙 飲酒 妊娠"
    ),
    Topic.TIME: "date day time timestamp datetime datum tag when 日付 日時 年月日 購入日 利用日 来店日 受診日 売上日",
    Topic.ITEM: (
        "item product sku stock stockcode goods article artikel produkt ware station shop store place"
        " 商品 商品コード 品目 品名 品番 店舗 駅 場所 薬品"
    ),
    Topic.PRICE: "price unitprice amount cost fare charge preis betrag 価格 単価 金額 料金 代金 売価",
    Topic.QUANTITY: "quantity qty pieces units menge anzahl stück 数量 個数 点数 本数",
    Topic.COUNT: (
        "n count counts freq frequency number persons total value turnover sales revenue production umsatz"
        " 件数 人数 度数 回答数 世帯数 事業所数 企業数 売上 売上高 出荷額 値"
    ),
}
_LISTED = {topic: frozenset(text.split()) for topic, text in WORDS.items()}
_JAPANESE = sorted(
    ((word, topic) for topic, words in _LISTED.items() for word in words if not word.isascii()),
    key=lambda pair: -len(pair[0]),
)
_BORDERS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-zÀ-ÿ]+")


def find_topics(name: str) -> dict[Topic, str]:
    """Return the topics that a name speaks of, each with the word that says so."""
    plain = unicodedata.normalize("NFKC", name)
    words = [word.casefold() for word in _BORDERS.split(plain) if word]
    joined = "".join(words)
    topics: dict[Topic, str] = {}
    for topic, listed in _LISTED.items():
        word = next((word for word in (*words, joined) if word in listed), None)
        if word is not None:
            topics[topic] = word
    longest = next(((word, topic) for word, topic in _JAPANESE if word in plain), None)
    if longest is not None:
        topics.setdefault(longest[1], longest[0])
        if longest[1] is Topic.PERSON and plain.casefold().endswith(("id", "番号", "no", "コード")):
            topics.setdefault(Topic.IDENTIFIER, longest[0])
    return topics
