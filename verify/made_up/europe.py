"""Made-up exports of European offices."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from made_up.kit import (
    AMOUNT,
    HARD,
    SOFT,
    Export,
    days,
    digits,
    empty,
    identifier,
    moments,
    of_each,
    quasi,
    secret,
    some,
    write_lines,
)

GERMAN = (
    "Annegret Bernd Dörte Falk Gesine Heiko Ilka Jürgen Käthe Lutz Marlies Norbert Petra Rüdiger Silke Uwe"
    "|Ahlers Böttcher Clausen Dierks Ehlers Fröhlich Göttsche Hinrichs "
    "Jessen Köster Lührs Möller Petersen Röhrs Stüben Thießen"
)
FRENCH = (
    "Amélie Benoît Chantal Didier Élodie Fabrice Ghislaine Hervé Inès Jérôme Lucette Maël Noémie Odile Pascal Solène"
    "|Aubry Besnard Cordier Delmas Fabre Guérin Hamon Jacquet "
    "Lacroix Maillard Noël Pichon Renaud Sauvage Tessier Vasseur"
)
DUTCH = (
    "Anouk Bram Carlijn Daan Els Femke Gijs Hanneke Joost Koen Lotte Maarten Nienke Pieter Sanne Wouter"
    "|van den Berg|de Graaf|Hoekstra|Jonker|Kuipers|van Leeuwen|Mulder|"
    "Postma|de Ruiter|Scholten|Terpstra|Veenstra|Wiersma|Zijlstra"
)
SPANISH = (
    "Adela Bruno Consuelo Darío Elvira Fermín Gloria Hugo Inmaculada Jacinto Lorena Matías Nuria Óscar Pilar Rubén"
    "|Aguirre Benítez Cabrera Domínguez Escudero Fuentes Guerrero Herrero "
    "Iglesias Lozano Montero Navarro Ortega Paredes Quintana Rivas"
)
ITALIAN = (
    "Alba Bruno Chiara Dario Elisa Fabio Giada Ivo Loredana Mauro Nives Oreste Paola Renzo Silvia Tullio"
    "|Amato Basile Caputo D'Angelo Esposito Ferri Grassi Leone "
    "Marchetti Neri Orlando Pagano Ricci Sartori Testa Vitale"
)
ENGLISH = (
    "Abigail Byron Cordelia Dexter Edith Floyd Greta Harvey Imogen Jasper Keira Leland Mabel Nigel Opal Percy"
    "|Ashworth Blakely Crowther Dunmore Eastwood Fairley Gadsby Hartnell "
    "Ingram Jessop Kirkham Lockwood Merriman Northcote Oakes Pemberton"
)


def draw_people(draw: Random, names: str, size: int) -> tuple[list[str], list[str]]:
    """Return given names and family names."""
    given, _, family = names.partition("|")
    families = family.split("|") if "|" in family else family.split()
    return draw.choices(given.split(), k=size), draw.choices(families, k=size)


def comma(number: float, thousands: str = ".") -> str:
    """Return a number with a decimal comma."""
    return f"{number:,.2f}".replace(",", "T").replace(".", ",").replace("T", thousands)


def library(draw: Random) -> Export:
    """Return a German library's loans."""
    size, readers = 560, 120
    given, family = draw_people(draw, GERMAN, readers)
    cards = [f"L{number:07}" for number in draw.sample(range(10**7), readers)]
    at = [draw.randrange(readers) for _ in range(size)]
    out = sorted(days(draw, date(2024, 1, 8), date(2024, 7, 31), size))
    titles = [
        "Der Leuchtturm",
        "Backen mit Dampf",
        "Statistik für Eilige",
        "Trennung und Neubeginn",
        "Das kleine Moor",
        "Leben mit Diabetes",
        "Abenteuer Watt",
    ]
    back = [f"{day + timedelta(days=draw.randrange(3, 40)):%d.%m.%Y}" if draw.random() < 0.9 else "" for day in out]
    return Export(
        file="ausleihen.csv",
        description="Ausleihen einer Stadtbücherei",
        industry="library",
        language="de",
        shape="history",
        encoding="latin-1",
        separator=";",
        newline="\r\n",
        decimal=",",
        write=write_lines,
        columns=[
            identifier("Leserausweis", "member number", of_each(cards, at), "code", means="person"),
            identifier("Leser/in", "person's name", [f"{family[p]}, {given[p]}" for p in at]),
            quasi("Jahrgang", "birth year", [1935 + p * 7 % 80 for p in at], "integer"),
            quasi(
                "Ausgeliehen am",
                "loan date",
                [f"{day:%d.%m.%Y}" for day in out],
                "date",
                format="%d.%m.%Y",
                means="date",
            ),
            quasi("Rückgabe am", "return date", back, "date", format="%d.%m.%Y"),
            quasi(
                "Mediennr.",
                "copy number",
                [f"{draw.randrange(400):04}-{draw.randrange(3)}" for _ in at],
                "code",
                ("quasi", "other", "left_out", "identifier"),
            ),
            quasi("Titel", "title", draw.choices(titles, k=size), accepted=HARD, means="item"),
            quasi(
                "Sachgruppe",
                "article group",
                draw.choices(["Belletristik", "Ratgeber", "Kinder", "Gesundheit"], k=size),
                accepted=AMOUNT,
            ),
            quasi(
                "Gebühr",
                "fee",
                [comma(draw.choice([0, 0, 0, 0.5, 1.5, 3.0])) for _ in at],
                "number",
                AMOUNT,
                means="amount",
            ),
            quasi("Zweigstelle", "site", draw.choices(["Mitte", "Hafen", "Nord"], k=size), accepted=SOFT),
            identifier(
                "Anmerkung",
                "remarks",
                some(
                    draw,
                    ["Frau Clausen holt ab", "Tel. 030 23125 417 anrufen", "Buch beschädigt, s. Brief"],
                    0.08,
                    size,
                ),
            ),
        ],
    )


def claims(draw: Random) -> Export:
    """Return a French insurer's claims."""
    size = 300
    given, family = draw_people(draw, FRENCH, size)
    asked = [draw.uniform(80, 9000) for _ in range(size)]
    return Export(
        file="sinistres_2023.csv",
        description="Sinistres automobile et habitation",
        industry="insurance",
        language="fr",
        shape="records",
        shapes=("records", "history"),
        encoding="utf-16",
        separator=";",
        newline="\r\n",
        decimal=",",
        write=write_lines,
        columns=[
            identifier(
                "N° sinistre",
                "file number",
                [f"S23{number:06}" for number in draw.sample(range(10**6), size)],
                "code",
                direct=False,
            ),
            identifier(
                "N° de police", "policy number", [f"{digits(draw, 4)} {digits(draw, 5)}" for _ in range(size)], "code"
            ),
            identifier("Assuré", "person's name", [f"{f.upper()} {g}" for g, f in zip(given, family, strict=True)]),
            quasi(
                "Né(e) le",
                "birth date",
                [f"{day:%d/%m/%Y}" for day in days(draw, date(1940, 1, 1), date(2003, 12, 31), size)],
                "date",
                format="%d/%m/%Y",
            ),
            quasi(
                "CP",
                "postal code",
                [f"{draw.choice(('02', '08', '51', '60'))}{draw.randrange(100, 999)}" for _ in range(size)],
                "code",
            ),
            quasi(
                "Survenu le",
                "claim date",
                [f"{day:%d/%m/%Y}" for day in sorted(days(draw, date(2023, 1, 1), date(2023, 12, 31), size))],
                "date",
                format="%d/%m/%Y",
            ),
            quasi(
                "Garantie",
                "cause",
                draw.choices(["Bris de glace", "Vol", "Dégât des eaux", "Incendie", "Corporel"], k=size),
                accepted=HARD,
            ),
            secret(
                "Montant réclamé",
                "amount claimed",
                [comma(number, "\u202f") + " €" for number in asked],
                "number",
                AMOUNT,
            ),
            secret(
                "Montant réglé",
                "amount",
                [comma(number * draw.choice((0, 0.5, 0.8, 1)), "\u202f") + " €" for number in asked],
                "number",
                AMOUNT,
            ),
            secret(
                "Taux IPP",
                "injury",
                [f"{draw.randrange(1, 60)} %" if draw.random() < 0.1 else "NC" for _ in range(size)],
                "integer",
                AMOUNT,
                ("NC",),
                accepted_kinds=["decimal"],
            ),
            identifier(
                "RIB",
                "bank account",
                [" ".join(["FR00", *(digits(draw, 4) for _ in range(5)), digits(draw, 3)]) for _ in range(size)],
            ),
            identifier("Portable", "telephone", [f"06 39 98 {digits(draw, 2)} {digits(draw, 2)}" for _ in range(size)]),
            identifier(
                "Gestionnaire", "employee's name", draw.choices(["M. Aubry", "Mme Pichon", "Mme Hamon"], k=size)
            ),
        ],
    )


def payroll(draw: Random) -> Export:
    """Return a Dutch payroll."""
    size = 220
    given, family = draw_people(draw, DUTCH, size)
    gross = [draw.uniform(1900, 7800) for _ in range(size)]
    return Export(
        file="salarisrun_0524.csv",
        description="Salarisrun van mei",
        industry="payroll",
        language="nl",
        separator=";",
        decimal=",",
        titles=("Salarisrun periode 05-2024",),
        footers=(f"Totaal;;;;;;;;;{comma(sum(gross))};;;;;;",),
        write=write_lines,
        columns=[
            identifier(
                "Pers.nr", "employee number", [f"{number:05}" for number in draw.sample(range(10**5), size)], "code"
            ),
            identifier("Medewerker", "person's name", [f"{g} {f}" for g, f in zip(given, family, strict=True)]),
            identifier("BSN", "social security number", [f"00{digits(draw, 7)}" for _ in range(size)], "code"),
            quasi(
                "Geb.dat.",
                "birth date",
                [f"{day:%d-%m-%Y}" for day in days(draw, date(1958, 1, 1), date(2003, 12, 31), size)],
                "date",
                format="%d-%m-%Y",
            ),
            quasi("M/V", "sex", draw.choices(["M", "V"], k=size)),
            quasi(
                "Functie",
                "position",
                draw.choices(["Planner", "Monteur", "Teamleider", "Administratie", "Chauffeur"], k=size),
            ),
            quasi("Burg. staat", "marital status", draw.choices(["gehuwd", "ongehuwd", "gescheiden"], k=size)),
            quasi(
                "In dienst",
                "entry date",
                [f"{day:%d-%m-%Y}" for day in days(draw, date(1990, 1, 1), date(2024, 4, 1), size)],
                "date",
                format="%d-%m-%Y",
            ),
            quasi(
                "Deeltijd",
                "part time",
                [comma(draw.choice((0.5, 0.6, 0.8, 1.0))) for _ in range(size)],
                "number",
                AMOUNT,
            ),
            secret("Bruto", "salary", [comma(number) for number in gross], "number", HARD),
            secret("Loonheffing", "tax", [comma(number * 0.31) for number in gross], "number", AMOUNT),
            secret("Loonbeslag", "wage garnishment", some(draw, ["ja"], 0.05, size), accepted=AMOUNT),
            secret(
                "Verzuimdgn", "days absent", [draw.choice((0, 0, 0, 1, 2, 5, 20)) for _ in range(size)], "integer", HARD
            ),
            identifier("IBAN", "bank account", [f"NL00TEST0{digits(draw, 9)}" for _ in range(size)], "code"),
            identifier(
                "E-mail werk",
                "e-mail",
                [
                    f"{g}.{f.replace(' ', '')}{n}@example.org".lower()
                    for n, (g, f) in enumerate(zip(given, family, strict=True))
                ],
            ),
            empty("Opm.", size),
        ],
    )


def shop(draw: Random) -> Export:
    """Return a Spanish web shop's orders."""
    size, customers = 480, 150
    given, family = draw_people(draw, SPANISH, customers)
    people = [f"{g} {f} {draw.choice(family)}" for g, f in zip(given, family, strict=True)]
    papers = [f"{digits(draw, 8)}{draw.choice('TRWAGMYFPDX')}" for _ in people]
    mails = [
        f"{g}{n}@example.com".lower().replace("ó", "o").replace("í", "i").replace("é", "e") for n, g in enumerate(given)
    ]
    homes = [f"C/ del Olivar {draw.randrange(1, 90)}, {draw.randrange(1, 7)}º {draw.choice('ABCD')}" for _ in people]
    at = [draw.randrange(customers) for _ in range(size)]
    goods = ["Cafetera", "Manta", "Lámpara", "Mochila", "Juego de sábanas", "Prueba de embarazo"]
    return Export(
        file="pedidos_web.csv",
        description="Pedidos de una tienda en línea",
        industry="e-commerce",
        language="es",
        shape="history",
        encoding="cp1252",
        separator=";",
        decimal=",",
        write=write_lines,
        columns=[
            identifier(
                "Nº pedido", "order number", [f"W-{88000 + place}" for place in range(size)], "code", direct=False
            ),
            quasi(
                "Fecha y hora",
                "order time",
                [f"{moment:%d/%m/%Y %H:%M}" for moment in moments(draw, date(2024, 1, 1), date(2024, 6, 30), size)],
                "date",
                format="%d/%m/%Y %H:%M",
                means="date",
            ),
            identifier("NIF", "identity card", of_each(papers, at), "code", means="person"),
            identifier("Destinatario", "person's name", of_each(people, at)),
            identifier("Correo", "e-mail", of_each(mails, at)),
            identifier("Domicilio", "address", of_each(homes, at)),
            quasi("C.P.", "postal code", [f"{draw.randrange(1, 53):02}{100 + p}" for p in at], "code"),
            quasi("Artículo", "article", draw.choices(goods, k=size), means="item"),
            quasi("Uds.", "number bought", draw.choices([1, 1, 1, 2, 3], k=size), "integer", AMOUNT, means="quantity"),
            quasi(
                "Importe",
                "amount paid",
                [comma(draw.uniform(5, 1400)) + " €" for _ in at],
                "number",
                AMOUNT,
                means="amount",
            ),
            quasi(
                "Forma de pago",
                "way of payment",
                draw.choices(["Tarjeta", "Contra reembolso", "Bizum"], k=size),
                accepted=SOFT,
            ),
            identifier(
                "Comentarios",
                "remarks",
                some(draw, ["Dejar en portería, preguntar por Pilar", "Llamar antes al 600 000 123"], 0.1, size),
            ),
        ],
    )


EUROPE = (library, claims, payroll, shop)
