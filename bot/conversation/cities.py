"""Cities and their time zones, by the names that they have in the languages of the bot.

The names of the cities that stand for a zone come from CLDR (Babel, which the Fluent files need as well); other large
cities are listed here.
"""

from __future__ import annotations

import zoneinfo
from collections.abc import Iterator
from functools import cache

from babel import Locale
from babel.core import get_global

from bot.conversation.texts import LANGUAGES

OTHER_CITIES = {
    "Europe/Kyiv": """
        Киев Kiev Львів Львов Lviv Харків Харьков Kharkiv Одеса Одесса Odesa Odessa Дніпро Днепр Dnipro Запоріжжя
        Запорожье Zaporizhzhia Вінниця Винница Vinnytsia Полтава Poltava Чернігів Чернигов Chernihiv Черкаси Черкассы
        Cherkasy Суми Сумы Sumy Житомир Zhytomyr Рівне Ровно Rivne Тернопіль Тернополь Ternopil Луцьк Луцк Lutsk
        Чернівці Черновцы Chernivtsi Ужгород Uzhhorod Миколаїв Николаев Mykolaiv Херсон Kherson Хмельницький
        Хмельницкий Khmelnytskyi Івано-Франківськ Ивано-Франковск Ivano-Frankivsk Кропивницький Кропивницкий
        Kropyvnytskyi Маріуполь Мариуполь Mariupol Донецьк Донецк Donetsk Луганськ Луганск Luhansk
        Кременчук Кременчуг Kremenchuk Ірпінь Ирпень Irpin Буча Bucha Україна Украина Ukraine""",
    "Europe/Warsaw": "Краків Краков Kraków Krakow Вроцлав Wrocław Wroclaw Гданськ Гданьск Gdańsk Gdansk Познань Poznań"
    " Poznan Лодзь Łódź Lodz Люблін Люблин Lublin Польща Польша Poland",
    "Europe/Berlin": "Мюнхен Munich München Гамбург Hamburg Франкфурт Frankfurt Кельн Кёльн Cologne Köln Штутгарт"
    " Stuttgart Лейпциг Leipzig Дрезден Dresden Німеччина Германия Germany",
    "Europe/Prague": "Брно Brno Чехія Чехия Czechia",
    "Europe/London": "Манчестер Manchester Единбург Эдинбург Edinburgh Кембридж Cambridge Оксфорд Oxford Британія"
    " Британия Britain",
    "Europe/Paris": "Ліон Лион Lyon Ніцца Ницца Nice Франція Франция France",
    "Europe/Madrid": "Барселона Barcelona Валенсія Валенсия Valencia Аліканте Аликанте Alicante Іспанія Испания Spain",
    "Europe/Rome": "Мілан Милан Milan Неаполь Naples Турин Turin Італія Италия Italy",
    "Europe/Lisbon": "Порту Порто Porto Португалія Португалия Portugal",
    "Europe/Zurich": "Женева Geneva Базель Basel Берн Bern Швейцарія Швейцария Switzerland",
    "Europe/Vilnius": "Каунас Kaunas Литва Lithuania",
    "Europe/Moscow": "Санкт-Петербург Петербург Питер Казань Kazan Сочи Sochi Воронеж Voronezh",
    "Asia/Tbilisi": "Батумі Батуми Batumi Грузія Грузия Georgia",
    "Asia/Jerusalem": "Тель-Авів Тель-Авив Хайфа Haifa Ізраїль Израиль Israel",
    "Asia/Kolkata": "Делі Дели Delhi Мумбаї Мумбаи Mumbai Бангалор Bangalore",
    "Asia/Shanghai": "Пекін Пекин Beijing",
    "America/Toronto": "Оттава Ottawa Монреаль Montreal",
    "America/New_York": "Бостон Boston Вашингтон Washington Філадельфія Филадельфия Philadelphia Маямі Майами Miami",
    "America/Chicago": "Даллас Dallas Х'юстон Хьюстон Houston Остін Остин Austin",
    "America/Edmonton": "Калгарі Калгари Calgary",
    "America/Los_Angeles": "Сіетл Сиэтл Seattle Сан-Дієго Сан-Диего",
}
"""Large cities of one word that give no zone its name, and countries with a single zone, by their zone."""
_LONGER_NAMES = {
    "Біла Церква": "Europe/Kyiv", "Белая Церковь": "Europe/Kyiv", "Bila Tserkva": "Europe/Kyiv",
    "Кривий Ріг": "Europe/Kyiv", "Кривой Рог": "Europe/Kyiv", "Kryvyi Rih": "Europe/Kyiv",
    "Saint Petersburg": "Europe/Moscow", "Tel Aviv": "Asia/Jerusalem", "San Francisco": "America/Los_Angeles",
    "San Diego": "America/Los_Angeles", "Сан-Франциско": "America/Los_Angeles",
}  # fmt: skip


def get_city(zone: str, language: str) -> str:
    """The city that stands for a zone in a language, as CLDR names it; otherwise the last part of the IANA name."""
    return _list_zone_cities(language).get(zone) or zone.rpartition("/")[2].replace("_", " ")


@cache
def _list_zone_cities(language: str) -> dict[str, str]:
    """The cities of zones in a language by IANA name; CLDR has some of them under older names."""
    aliases = get_global("zone_aliases")
    zones = Locale.parse(language).time_zones.items()
    return {aliases.get(name, name): str(data["city"]) for name, data in zones if "city" in data}


@cache
def index_cities() -> dict[str, str]:
    """IANA names of zones by IANA name and by cities in every language, as `normalise_name` writes them."""
    names = sorted(zoneinfo.available_timezones())
    index = {normalise_name(name.rpartition("/")[2]): name for name in names if "/" in name}
    for language in LANGUAGES:
        index |= {normalise_name(city): zone for zone, city in _list_zone_cities(language).items() if zone in names}
    index |= {normalise_name(city): zone for city, zone in _list_other_cities()}
    return index | {normalise_name(name): name for name in names}


def normalise_name(name: str) -> str:
    """The name of a city as it is compared: in lower case, with single spaces, plain apostrophes, and е for ё."""
    words = " ".join(name.replace("_", " ").split()).casefold()
    return words.replace("’", "'").replace("ʼ", "'").replace("ё", "е")


def _list_other_cities() -> Iterator[tuple[str, str]]:
    for zone, cities in OTHER_CITIES.items():
        yield from ((city, zone) for city in cities.split())
    yield from _LONGER_NAMES.items()
