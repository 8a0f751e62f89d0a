"""Watchword matches standing subscriptions (Boolean expressions) against events: none missed, none invented.

    import watchword as ww

    index = ww.Index()
    index.subscribe("s1", "model = 'iphone5s' AND price <= 580")
    index.match({"model": "iphone5s", "price": 550})  # -> ["s1"]

Names are loaded on first use, so that the import is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

# Not on first use like the others: the folder of this name would take the function's place when it is loaded.
from watchword.structures import structures

if TYPE_CHECKING:
    from watchword.coding.event import Range
    from watchword.errors import (
        EventError,
        ExpressionError,
        LimitError,
        QueryError,
        StorageError,
        SubscriptionIdError,
        TextSettingsError,
        UnknownStructureError,
        WatchwordError,
    )
    from watchword.index.index import Index
    from watchword.language.builder import col

__version__ = "0.1.0"

_HOMES: Final = {
    "Index": "watchword.index.index",
    "Range": "watchword.coding.event",
    "col": "watchword.language.builder",
    "EventError": "watchword.errors",
    "ExpressionError": "watchword.errors",
    "LimitError": "watchword.errors",
    "QueryError": "watchword.errors",
    "StorageError": "watchword.errors",
    "SubscriptionIdError": "watchword.errors",
    "TextSettingsError": "watchword.errors",
    "UnknownStructureError": "watchword.errors",
    "WatchwordError": "watchword.errors",
}

__all__ = [
    "EventError",
    "ExpressionError",
    "Index",
    "LimitError",
    "QueryError",
    "Range",
    "StorageError",
    "SubscriptionIdError",
    "TextSettingsError",
    "UnknownStructureError",
    "WatchwordError",
    "__version__",
    "col",
    "structures",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'watchword' has no attribute {name!r}")
    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
