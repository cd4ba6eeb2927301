"""Made-up logs of buses, taxis, a gym and a hotel."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from random import Random

from made_up.europe import ENGLISH, ITALIAN, comma, draw_people
from made_up.kit import (
    AMOUNT,
    HARD,
    SOFT,
    Export,
    days,
    digits,
    identifier,
    moments,
    of_each,
    quasi,
    secret,
    some,
    write_lines,
    write_parquet,
)


def bus_cards(draw: Random) -> Export:
    """Return a bus company's log of cards."""
    size, riders = 600, 90
    cards = [f"BC{digits(draw, 12)}" for _ in range(riders)]
    born = [draw.randrange(1935, 2016) for _ in range(riders)]
    at = [draw.randrange(riders) for _ in range(size)]
    stops = ["雲見駅前", "市役所前", "汐入港", "緑野団地", "北高校前", "中央病院"]
    return Export(
        file="bus_ic.parquet",
        description="路線バスのICカード乗降記録",
        industry="bus",
        language="ja",
        shape="history",
        write=write_parquet,
        columns=[
            identifier("card_idi", "card number", of_each(cards, at), "code", means="person"),
            quasi(
                "乗車日時", "boarding", moments(draw, date(2024, 5, 1), date(2024, 6, 30), size), "date", means="date"
            ),
            quasi("系統", "line", draw.choices(["11", "12", "21", "急30"], k=size), accepted=SOFT),
            quasi("乗車停留所", "from stop", draw.choices(stops, k=size), means="item"),
            quasi("降車停留所", "to stop", draw.choices(stops, k=size)),
            quasi("券種", "ticket kind", [ticket_of(of_each(born, at), place) for place in range(size)]),
            quasi("利用額", "fare", draw.choices([100, 160, 210, 260, 320], k=size), "integer", AMOUNT, means="amount"),
            quasi("生年", "birth year", of_each(born, at), "integer"),
            identifier("車載機番号", "device number", [f"OBU-{draw.randrange(7000, 7040)}" for _ in at], "code"),
        ],
    )


def ticket_of(born: Sequence[int], place: int) -> str:
    """Return the kind of ticket for a year of birth."""
    return "小児" if born[place] > 2012 else "敬老" if born[place] < 1955 else "大人"


def taxi(draw: Random) -> Export:
    """Return a taxi company's trips."""
    size, riders = 500, 110
    accounts = [f"RID{digits(draw, 6)}" for _ in range(riders)]
    at = [draw.randrange(riders) for _ in range(size)]
    left = moments(draw, date(2024, 9, 1), date(2024, 9, 30), size)
    places = {
        name: [f"{base + draw.uniform(-0.08, 0.08):.6f}" for _ in at]
        for name, base in (("o_lat", 48.1), ("o_lng", -29.5), ("d_lat", 48.1), ("d_lng", -29.5))
    }
    return Export(
        file="trips_sep.csv",
        description="trips of a taxi app",
        industry="taxi",
        language="en",
        shape="history",
        write=write_lines,
        columns=[
            identifier(
                "ride_uuid",
                "trip number",
                [
                    f"{digits(draw, 8)}-{digits(draw, 4)}-4{digits(draw, 3)}-a{digits(draw, 3)}-{digits(draw, 12)}"
                    for _ in at
                ],
                "code",
                direct=False,
            ),
            identifier("rider", "customer number", of_each(accounts, at), "code", means="person"),
            identifier("badge_no", "driver's number", [f"HC{draw.randrange(20100, 20160)}" for _ in at], "code"),
            identifier("plate", "car plate", [f"ZZ{draw.randrange(10, 60)} XQT" for _ in at]),
            quasi(
                "hailed_at",
                "trip start",
                [f"{moment:%Y-%m-%dT%H:%M:%S+01:00}" for moment in left],
                "date",
                format="%Y-%m-%dT%H:%M:%S%z",
                means="date",
            ),
            *[
                identifier(
                    name, "latitude" if "lat" in name else "longitude", cells, "number", accepted_kinds=["category"]
                )
                for name, cells in places.items()
            ],
            quasi("km", "distance", [round(draw.expovariate(1 / 6), 2) for _ in at], "number", AMOUNT),
            quasi("fare_eur", "fare", [round(draw.uniform(4, 70), 2) for _ in at], "number", AMOUNT, means="amount"),
            quasi("tip", "tip", [draw.choice((0, 0, 1, 2, 5)) for _ in at], "integer", AMOUNT),
            quasi("pay", "way of payment", draw.choices(["card", "cash", "acct"], k=size), accepted=SOFT),
            quasi("stars", "rating", draw.choices(["", "3", "4", "5"], k=size), "integer", AMOUNT),
        ],
    )


def gym(draw: Random) -> Export:
    """Return a gym's log of doors."""
    size, members = 600, 80
    given, family = draw_people(draw, ENGLISH, members)
    tags = [
        f"04:{digits(draw, 2)}:{draw.choice('ABCDEF')}{digits(draw, 1)}:{digits(draw, 2)}:7F" for _ in range(members)
    ]
    born = [f"{day:%d %b %Y}" for day in days(draw, date(1950, 1, 1), date(2007, 12, 31), members)]
    at = [draw.randrange(members) for _ in range(size)]
    came = moments(draw, date(2024, 2, 1), date(2024, 5, 31), size)
    stay = [draw.randrange(12, 150) for _ in at]
    return Export(
        file="door_events.csv",
        description="gym door log",
        industry="gym",
        language="en",
        shape="history",
        write=write_lines,
        columns=[
            identifier("Fob", "card number", of_each(tags, at), "code", means="person"),
            identifier("Holder", "person's name", [f"{given[p]} {family[p]}" for p in at]),
            quasi("DOB", "birth date", of_each(born, at), "date", format="%d %b %Y"),
            quasi("Tier", "kind of membership", [("Off-peak", "Full", "Student")[p % 3] for p in at], accepted=SOFT),
            quasi(
                "Swiped in",
                "visit",
                [f"{moment:%d/%m/%Y %I:%M %p}" for moment in came],
                "date",
                format="%d/%m/%Y %I:%M %p",
                means="date",
            ),
            quasi(
                "Swiped out",
                "leaving",
                [
                    f"{m + timedelta(minutes=s):%d/%m/%Y %I:%M %p}" if draw.random() < 0.95 else ""
                    for m, s in zip(came, stay, strict=True)
                ],
                "date",
                format="%d/%m/%Y %I:%M %p",
            ),
            quasi(
                "Zone",
                "activity",
                draw.choices(["Pool", "Weights", "Studio", "Rehab"], k=size),
                accepted=HARD,
                means="item",
            ),
            quasi("Mins", "duration", stay, "integer", AMOUNT),
            quasi("Locker", "locker", [draw.randrange(1, 120) for _ in at], accepted=("quasi", "other", "left_out")),
            identifier("ICE contact", "telephone", [f"07700 900{100 + p * 7 % 900}" for p in at]),
        ],
    )


def hotel(draw: Random) -> Export:
    """Return an Italian hotel's guest book."""
    size = 200
    given, family = draw_people(draw, ITALIAN, size)
    came = sorted(days(draw, date(2024, 6, 1), date(2024, 8, 31), size))
    return Export(
        file="schedine.csv",
        description="Schedine alloggiati di un albergo",
        industry="hotel",
        language="it",
        shape="records",
        shapes=("records", "history"),
        encoding="cp1252",
        separator=";",
        newline="\r\n",
        decimal=",",
        write=write_lines,
        columns=[
            identifier("Cognome", "family name", family),
            identifier("Nome", "given name", given),
            quasi("Sesso", "sex", draw.choices(["M", "F"], k=size)),
            quasi(
                "Nato il",
                "birth date",
                [f"{day:%d/%m/%Y}" for day in days(draw, date(1940, 1, 1), date(2015, 12, 31), size)],
                "date",
                format="%d/%m/%Y",
            ),
            quasi(
                "Comune di nascita", "town", draw.choices(["Valdirose", "Monteluna", "Porto Chiaro", "Estero"], k=size)
            ),
            quasi(
                "Cittadinanza",
                "nationality",
                draw.choices(["ITA", "DEU", "FRA", "JPN", "ALB"], [8, 3, 2, 1, 1], k=size),
                accepted=HARD,
            ),
            quasi("Tipo doc.", "kind of paper", draw.choices(["CI", "PASS", "PAT"], k=size), accepted=SOFT),
            identifier(
                "N. documento",
                "identity card",
                [
                    f"C{draw.choice('ABXZ')}{digits(draw, 5)}{draw.choice('KLMN')}{draw.choice('PQRS')}"
                    for _ in range(size)
                ],
                "code",
            ),
            quasi("Arrivo", "arrival", [f"{day:%d/%m/%Y}" for day in came], "date", format="%d/%m/%Y"),
            quasi("Notti", "nights", [draw.randrange(1, 15) for _ in range(size)], "integer", AMOUNT),
            quasi(
                "Camera",
                "room",
                [draw.randrange(1, 4) * 100 + draw.randrange(1, 20) for _ in range(size)],
                accepted=SOFT,
            ),
            quasi("Totale soggiorno", "amount", [comma(draw.uniform(70, 2600)) for _ in range(size)], "number", AMOUNT),
            identifier(
                "Targa",
                "car plate",
                [
                    f"{draw.choice('EFG')}A {digits(draw, 3)} {draw.choice('XYZ')}{draw.choice('WTR')}"
                    if draw.random() < 0.6
                    else ""
                    for _ in range(size)
                ],
            ),
            secret(
                "Esigenze",
                "needs",
                some(draw, ["celiaco", "sedia a rotelle", "vegano"], 0.1, size),
                accepted=("sensitive", "quasi", "other", "identifier"),
            ),
        ],
    )


TRAVEL = (bus_cards, hotel, gym, taxi)
