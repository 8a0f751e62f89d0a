"""A made-up shop for the demo: what people watch for, and the offers that come in. The same for the same seed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

BRANDS: Final = [
    "Aldermoor", "Bluefinch", "Castwell", "Dunmere", "Eastlight", "Fernhollow", "Galvano", "Harrowby", "Inkwood",
    "Junipera", "Kestrelle", "Lumenar", "Marlowe & Tide", "Nordvik", "Oakmantle", "Pellagio", "Quillfeather",
    "Rookery", "Silverbirch", "Tamarack", "Umberline", "Velloria", "Wrenfield", "Yarrowdale", "Zephyrine",
    "Ashgrove", "Brightwater", "Copperleaf", "Driftmark", "Emberlane", "Foxglove", "Gildenhall", "Hollowell",
    "Ironbark", "Jasperson", "Kingsmere", "Larkspur", "Mossbank", "Northgate", "Old O'Hara",
]  # fmt: skip
COLOURS: Final = ["black", "white", "silver", "red", "blue", "green", "yellow", "brown", "grey", "orange"]
COUNTRIES: Final = ["DE", "FR", "IT", "ES", "PL", "NL", "SE", "PT", "AT", "CZ", "GB", "US", "JP", "KR", "IN"]
TAGS: Final = ["new", "sale", "vintage", "limited", "refurbished", "organic", "handmade", "gift", "eco", "outlet"]

# category -> attributes that only its offers have
CATEGORIES: Final[dict[str, dict[str, list[Any]]]] = {
    "phone": {"memory_gb": [64, 128, 256, 512], "screen_inches": [5.4, 6.1, 6.7], "model": ["Nova", "Pulse", "Arc"]},
    "laptop": {"memory_gb": [8, 16, 32, 64], "screen_inches": [13.3, 14.0, 16.0], "model": ["Slate", "Forge", "Arc"]},
    "camera": {"megapixels": [12, 24, 45, 61], "mount": ["K", "E", "Z"], "model": ["Iris", "Vista"]},
    "shoes": {"size": list(range(36, 47)), "material": ["leather", "canvas", "wool"]},
    "jacket": {"size": list(range(36, 60, 2)), "material": ["leather", "cotton", "wool", "nylon"]},
    "bicycle": {"gears": [1, 7, 8, 11, 22], "frame_cm": list(range(48, 64, 2)), "material": ["steel", "carbon"]},
    "sofa": {"seats": [2, 3, 4], "material": ["leather", "cotton", "velvet"], "width_cm": list(range(150, 280, 10))},
    "lamp": {"watts": [4, 7, 12, 20], "material": ["brass", "glass", "steel"]},
    "book": {"pages": list(range(80, 900, 20)), "language": ["en", "de", "fr", "es"]},
    "watch": {"case_mm": [34, 36, 38, 40, 42, 44], "movement": ["automatic", "quartz", "solar"]},
}


class Shop:
    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._wishes: list[Callable[[], str]] = [
            self._brand_below, self._narrow, self._detail, self._seller, self._bargain, self._model,
        ]  # fmt: skip

    def expressions(self, count: int) -> list[str]:
        return [self._random.choice(self._wishes)() for _ in range(count)]

    def offers(self, count: int) -> list[dict[str, Any]]:
        return [self._offer() for _ in range(count)]

    def _offer(self) -> dict[str, Any]:
        random = self._random
        category = random.choice(list(CATEGORIES))
        offer: dict[str, Any] = {
            "category": category,
            "brand": random.choice(BRANDS),
            "price": self._price(),
            "seller": {"country": random.choice(COUNTRIES), "rating": round(random.uniform(2.0, 5.0), 1)},
        }
        if random.random() < 0.8:
            offer["colour"] = random.choice(COLOURS)
        if random.random() < 0.5:
            offer["tags"] = random.sample(TAGS, random.randint(1, 3))
        if random.random() < 0.3:
            offer["discount"] = random.randrange(5, 75, 5)
        for name, values in CATEGORIES[category].items():
            if random.random() < 0.9:
                offer[name] = random.choice(values)
        if "model" in offer:
            offer["model"] += f" {random.randint(1, 20)}"
        return offer

    def _price(self) -> float:
        return round(self._random.lognormvariate(5.0, 1.0), 2)

    def _pick(self, values: list[str], count: int = 1) -> str:
        return ", ".join("'" + value.replace("'", "''") + "'" for value in self._random.sample(values, count))

    def _brand_below(self) -> str:
        return (
            f"brand = {self._pick(BRANDS)} AND category = {self._pick(list(CATEGORIES))} AND price <= {self._price()}"
        )

    def _narrow(self) -> str:
        low = self._price()
        return (
            f"category = {self._pick(list(CATEGORIES))} AND colour IN ({self._pick(COLOURS, 2)})"
            f" AND price BETWEEN {low} AND {round(low * 1.3, 2)}"
        )

    def _detail(self) -> str:
        category = self._random.choice(list(CATEGORIES))
        name, values = self._random.choice(list(CATEGORIES[category].items()))
        value = self._random.choice(values)
        if isinstance(value, str):
            wanted = f"{name} = '{value}'" if name != "model" else f"{name} LIKE '{value}%'"
        else:
            wanted = f"{name} >= {value}"
        return f"category = '{category}' AND {wanted} AND brand = {self._pick(BRANDS)} AND seller.rating >= 4"

    def _seller(self) -> str:
        return (
            f"seller.country = {self._pick(COUNTRIES)} AND tags = {self._pick(TAGS)}"
            f" AND category = {self._pick(list(CATEGORIES))} AND NOT brand = {self._pick(BRANDS)}"
        )

    def _bargain(self) -> str:
        return (
            f"brand IN ({self._pick(BRANDS, 3)}) AND (discount >= {self._random.randrange(30, 75, 5)}"
            f" OR tags = 'sale' AND price < {self._price()}) AND colour = {self._pick(COLOURS)}"
        )

    def _model(self) -> str:
        model = self._random.choice(["Nova", "Pulse", "Arc", "Slate", "Forge", "Iris", "Vista"])
        return f"model = '{model} {self._random.randint(1, 20)}' AND price < {self._price()} AND discount IS NOT NULL"
