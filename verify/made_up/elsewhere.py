"""Made-up exports in English."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from made_up.europe import ENGLISH, draw_people
from made_up.kit import (
    AMOUNT,
    HARD,
    SOFT,
    Export,
    days,
    digits,
    identifier,
    of_each,
    quasi,
    secret,
    some,
    write_lines,
)


def telecom(draw: Random) -> Export:
    """Return a telephone company's summary of a month."""
    size = 400
    return Export(
        file="usage_may.tsv",
        description="monthly usage by subscriber line",
        industry="telecom",
        language="en",
        separator="\t",
        write=write_lines,
        columns=[
            identifier(
                "MSISDN",
                "telephone",
                [f"4477009{digits(draw, 5)}" for _ in range(size)],
                "code",
                accepted_kinds=["integer"],
            ),
            identifier(
                "IMEI",
                "device number",
                [f"00{digits(draw, 13)}" for _ in range(size)],
                "code",
                accepted_kinds=["integer"],
            ),
            quasi("TARIFF", "tariff", draw.choices(["PAYG", "SIM12", "SIM24", "BIZ"], k=size), accepted=AMOUNT),
            quasi(
                "ACT_DT",
                "contract date",
                [f"{day:%Y-%m-%d}" for day in days(draw, date(2015, 1, 1), date(2024, 4, 30), size)],
                "date",
                format="%Y-%m-%d",
            ),
            quasi(
                "AGE_BAND",
                "age class",
                draw.choices(["18-24", "25-34", "35-49", "50-64", "65+", "U"], k=size),
                gaps=("U",),
            ),
            quasi("POST_AREA", "postal area", draw.choices(["ZZ1", "ZZ2", "ZZ4", "ZY9"], k=size)),
            quasi("VOICE_MIN", "minutes", [round(draw.expovariate(1 / 140), 1) for _ in range(size)], "number", AMOUNT),
            quasi("SMS_CNT", "messages", [draw.randrange(0, 200) for _ in range(size)], "integer", AMOUNT),
            quasi("DATA_MB", "data", [round(draw.expovariate(1 / 4000), 2) for _ in range(size)], "number", AMOUNT),
            quasi("HOME_CELL", "radio cell", [f"C{draw.randrange(4000, 4060)}" for _ in range(size)], "code"),
            quasi("ROAM_CC", "country", some(draw, ["FR", "ES", "TR", "US"], 0.2, size), accepted=AMOUNT),
            secret("BILL_GBP", "charge", [round(draw.uniform(5, 90), 2) for _ in range(size)], "number", AMOUNT),
            secret("ARREARS_FLG", "default", draw.choices(["N", "Y"], [9, 1], k=size), accepted=AMOUNT),
            identifier("TOP_CALLED", "called telephone", [f"020 7946 0{digits(draw, 3)}" for _ in range(size)]),
        ],
    )


def meters(draw: Random) -> Export:
    """Return an electricity company's readings, printed page after page."""
    size, homes = 480, 120
    given, family = draw_people(draw, ENGLISH, homes)
    points = [f"10 {digits(draw, 4)} {digits(draw, 4)} {digits(draw, 3)}" for _ in range(homes)]
    places = [
        f"{draw.randrange(1, 90)} {draw.choice(('Heron', 'Chapel', 'Quarry'))} Lane, Nethercombe" for _ in range(homes)
    ]
    at = [place % homes for place in range(size)]
    used = [draw.randrange(90, 1400) for _ in at]
    return Export(
        file="meter_readings.csv.gz",
        description="quarterly meter readings, a report of pages",
        industry="electricity",
        language="en",
        shape="history",
        titles=("NETHERCOMBE POWER - READINGS REPORT", ""),
        footers=(f"TOTAL,,,,,,{sum(used)},,",),
        repeat=60,
        write=write_lines,
        columns=[
            identifier("Supply point", "meter number", of_each(points, at), "code", means="person"),
            identifier("Account holder", "person's name", [f"{given[p][0]} {family[p]}" for p in at]),
            identifier("Premises", "address", of_each(places, at)),
            quasi(
                "Read on",
                "reading time",
                [f"{date(2023, 3 * (n // homes) + 1, 1 + at[n] % 25):%d-%b-%y}" for n in range(size)],
                "date",
                format="%d-%b-%y",
                means="date",
            ),
            quasi("Type", "kind of reading", draw.choices(["ACTUAL", "EST", "CUSTOMER"], k=size), accepted=SOFT),
            quasi(
                "Register",
                "meter level",
                [f"{draw.randrange(10000, 99999):,}" for _ in at],
                "integer",
                ("quasi", "sensitive", "other", "identifier"),
            ),
            quasi("Units used", "consumption", used, "integer", AMOUNT),
            quasi("Bill", "charge", [f"£{number * 0.29:,.2f}" for number in used], "number", AMOUNT, means="amount"),
            secret(
                "Priority services",
                "disability",
                [("", "", "", "", "Oxygen at home", "Blind")[p % 6] for p in at],
                accepted=HARD,
            ),
        ],
    )


def charity(draw: Random) -> Export:
    """Return a charity's gifts, in the American way."""
    size, donors = 380, 140
    given, family = draw_people(draw, ENGLISH, donors)
    at = [draw.randrange(donors) for _ in range(size)]
    numbers = [f"D-{draw.randrange(10**5, 10**6)}" for _ in range(donors)]
    streets = [f"{draw.randrange(10, 990)} {draw.choice(('Juniper', 'Sycamore', 'Mill'))} Ave" for _ in range(donors)]
    born = [
        f"{day:%m/%d/%Y}" if draw.random() < 0.7 else "N/A"
        for day in days(draw, date(1935, 1, 1), date(1999, 12, 31), donors)
    ]
    return Export(
        file="gift_history.csv",
        description="gifts to a charity",
        industry="charity",
        language="en",
        shape="history",
        encoding="utf-8-sig",
        newline="\r\n",
        write=write_lines,
        columns=[
            identifier("Constituent ID", "person id", of_each(numbers, at), "code", means="person"),
            identifier("First", "given name", of_each(given, at)),
            identifier("Last", "family name", of_each(family, at)),
            identifier("Addr 1", "street", of_each(streets, at)),
            quasi("City", "town", [("Elmhollow", "Port Avery", "Dry Creek")[p % 3] for p in at]),
            quasi("ST", "state", [("OH", "MI", "IN")[p % 3] for p in at]),
            quasi("ZIP", "postal code", [f"0{7000 + p * 3}" for p in at], "code"),
            identifier("Home phone", "telephone", [f"(614) 555-01{p % 100:02}" for p in at]),
            identifier("Email", "e-mail", [f"{given[p]}.{family[p]}{p}@example.net".lower() for p in at]),
            quasi("Birthday", "birth date", of_each(born, at), "date", gaps=("N/A",), format="%m/%d/%Y"),
            quasi(
                "Gift Dt",
                "gift date",
                [f"{day:%m/%d/%Y}" for day in sorted(days(draw, date(2023, 1, 1), date(2023, 12, 31), size))],
                "date",
                format="%m/%d/%Y",
                means="date",
            ),
            quasi(
                "Appeal",
                "appeal",
                draw.choices(["Spring mailing", "Gala", "Church partners", "Clinic fund"], k=size),
                accepted=HARD,
                means="item",
            ),
            quasi(
                "Gift Amt",
                "amount",
                [f"${draw.choice((10, 25, 50, 100, 1250, 5000)):,}.00" for _ in at],
                "number",
                AMOUNT,
                means="amount",
                accepted_kinds=["integer"],
            ),
            identifier(
                "Tribute",
                "remarks with names",
                some(draw, ["In memory of Floyd Gadsby", "In honor of Mabel Oakes"], 0.1, size),
            ),
        ],
    )


def discharges(draw: Random) -> Export:
    """Return a hospital's discharges."""
    size = 450
    came = days(draw, date(2023, 1, 1), date(2023, 12, 20), size)
    stay = [draw.randrange(0, 21) for _ in range(size)]
    codes = ["I21.4", "J18.9", "E11.65", "F32.1", "O80", "S72.00", "B20", "K35.80"]
    return Export(
        file="discharge_fy23.txt",
        description="hospital discharges with ICD codes",
        industry="hospital",
        language="en",
        shapes=("records", "history"),
        separator="|",
        write=write_lines,
        columns=[
            identifier("MRN", "patient id", [f"{number:08}" for number in draw.sample(range(10**8), size)], "code"),
            identifier(
                "ENC_NUM",
                "stay number",
                [f"{7000000 + place}" for place in range(size)],
                "code",
                direct=False,
                accepted_kinds=["integer"],
            ),
            quasi("ADM_DT", "admission", [f"{day:%d%b%Y}".upper() for day in came], "date", format="%d%b%Y"),
            quasi(
                "DSCH_DT",
                "discharge",
                [f"{day + timedelta(days=n):%d%b%Y}".upper() for day, n in zip(came, stay, strict=True)],
                "date",
                format="%d%b%Y",
            ),
            quasi("LOS", "days stayed", stay, "integer", AMOUNT),
            quasi("GENDER", "sex", draw.choices(["1", "2", "9"], [49, 49, 2], k=size), gaps=()),
            quasi("AGE", "age", [draw.randrange(0, 97) for _ in range(size)], "integer"),
            quasi("ZIP3", "postal code", draw.choices(["070", "071", "085", "089"], k=size), "code"),
            quasi("RACE", "ethnicity", draw.choices(["W", "B", "A", "O", "UNK"], k=size), accepted=HARD, gaps=("UNK",)),
            quasi("PAYER", "insurer", draw.choices(["MCR", "MCD", "COMM", "SELF"], k=size), accepted=AMOUNT),
            secret("PDX", "diagnosis", draw.choices(codes, k=size)),
            secret("SDX1", "diagnosis", some(draw, codes, 0.6, size), accepted=HARD),
            secret("DRG", "case group", draw.choices(["193", "280", "470", "638", "885"], k=size), accepted=AMOUNT),
            quasi("DISP", "discharge to", draw.choices(["01", "03", "06", "20"], k=size), "code", AMOUNT),
            secret("TOT_CHG", "charges", [draw.randrange(900, 90000) for _ in range(size)], "integer", AMOUNT),
            identifier(
                "ATTENDING", "doctor's name", draw.choices(["LOCKWOOD, H MD", "INGRAM, K DO", "OAKES, M MD"], k=size)
            ),
        ],
    )


ELSEWHERE = (telecom, meters, charity, discharges)
