"""One event, as Python values: nested records become dotted names, values become a few plain types.

    {"price": np.int32(3), "seller": {"country": "NO", "rating": None}, "tags": ("a", None)}
    -> {"price": 3, "seller.country": "NO", "tags": ["a", None]}

A list stays a list; a record or list inside it becomes None: it is there, but comparable with nothing, as a null is.
A set and a `Range` make the attribute symmetric (some value in it must satisfy a predicate).
Every attribute of an event passes here, so the type of a value picks its reader from a table: no chain of tests.
"""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import numpy as np
import pyarrow as pa

from watchword.errors import EventError, LimitError
from watchword.limits import EVENT_NESTING, EVENT_VALUES

Scalar = bool | int | float | str | dt.datetime | Decimal
"""Datetimes are naive and mean UTC. A pandas.Timestamp appears only where a time has nanoseconds."""


@dataclass(frozen=True, slots=True)
class Range:
    """Every value between two bounds, as the value of an attribute. None leaves a side unbounded."""

    low: Scalar | None
    high: Scalar | None
    low_open: bool = False
    high_open: bool = False

    def __post_init__(self) -> None:
        low = _bound(self.low)
        high = _bound(self.high)
        if low is None and high is None:
            raise EventError("a Range needs at least one bound: leave the attribute out where nothing is known of it")
        if low is not None and high is not None:
            self._check_order(low, high)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    def _check_order(self, low: Any, high: Any) -> None:
        if family(low) is not family(high):
            raise EventError(
                f"the bounds of a Range are of different types, {low!r} and {high!r}: give two numbers, times or texts"
            )
        if low > high or (low == high and (self.low_open or self.high_open)):
            raise EventError(f"a Range from {low!r} to {high!r} holds no value: its low bound must come first")


EventValue = Scalar | list[Scalar | None] | frozenset[Scalar | None] | Range

_PLAIN: Final = frozenset({bool, int, float, str, type(None)})

_FAMILIES: Final[dict[type, str]] = {
    bool: "boolean",
    int: "number",
    float: "number",
    Decimal: "number",
    str: "text",
    dt.datetime: "time",
}


def family(value: object) -> str | None:
    """Only values of one family compare: "boolean", "number", "text" or "time". None for lists, sets and ranges."""
    name = _FAMILIES.get(type(value))
    if name is None and isinstance(value, dt.datetime):
        return "time"
    return name


def flatten(event: Mapping[str, object]) -> dict[str, EventValue]:
    """The attributes of an event. Raises EventError, or LimitError where it is too large or nested too deeply."""
    if not isinstance(event, Mapping):
        raise EventError(f"an event must be a mapping of attributes to values, not {_type_name(event)}")
    flat: dict[str, EventValue] = {}
    elements = _flatten_into(flat, event, "", 1)
    if len(flat) + elements > EVENT_VALUES:
        raise LimitError(f"the event has more than {EVENT_VALUES} values: split it")
    return flat


def _flatten_into(flat: dict[str, EventValue], record: Mapping[Any, object], prefix: str, depth: int) -> int:
    """Write the attributes of `record` to `flat`; the number of elements that its lists hold."""
    if depth > EVENT_NESTING:
        raise LimitError(f"records nest more than {EVENT_NESTING} deep at {prefix[:100]!r}: flatten the event")
    elements = 0
    readers = _READERS
    for key, value in record.items():
        if not isinstance(key, str):
            raise EventError(f"the attribute name {key!r}{_inside(prefix)} is not a string: use string keys")
        name = prefix + key
        reader = readers.get(type(value), _read_unusual)
        plain: Any = value
        if reader is not None:
            try:
                plain = reader(value)
            except EventError as error:
                raise EventError(f"attribute {name!r}: {error}") from error
            if isinstance(plain, (list, frozenset)):
                elements += len(plain)
            elif isinstance(plain, Mapping):
                elements += _flatten_into(flat, plain, name + ".", depth + 1)
                continue
        if plain is None:
            flat.pop(name, None)  # the later of two values counts, also where it is null
        else:
            flat[name] = plain
    return elements


def _inside(prefix: str) -> str:
    return f" inside {prefix[:-1]!r}" if prefix else ""


def _type_name(value: object) -> str:
    return type(value).__name__


def _bound(value: object) -> Scalar | None:
    plain = read_scalar(value)
    if isinstance(plain, bool):
        raise EventError("a Range of booleans: give the set of its values")
    if plain != plain:
        raise EventError("a bound of a Range is NaN: use None for an unbounded side")
    return plain


def read_scalar(value: object) -> Scalar | None:
    """A scalar as a plain Python value; None for null."""
    return _single(_read_any(value), value)


def _single(plain: Any, value: object) -> Scalar | None:
    """`plain`, which `value` was read as, if it is a scalar or null."""
    if plain is None or family(plain) is not None:
        return plain  # type: ignore[no-any-return]
    raise EventError(f"a {_type_name(value)} inside a list, set or Range: only single values may stand there")


def _read_element(value: object) -> Scalar | None:
    if type(value) in _PLAIN:
        return value  # type: ignore[return-value]
    if isinstance(value, (list, tuple, Mapping)):
        return None
    plain = _read_any(value)
    return None if isinstance(plain, (list, Mapping)) else _single(plain, value)


def _read_datetime(value: dt.datetime) -> dt.datetime:
    if value.tzinfo is None:
        return value
    try:
        return value.astimezone(dt.UTC).replace(tzinfo=None)
    except OverflowError:
        raise EventError(f"the time {value} lies outside the years 1 to 9999 in UTC") from None


def _read_date(value: dt.date) -> dt.datetime:
    return dt.datetime(value.year, value.month, value.day)


def _read_decimal(value: Decimal) -> Decimal | float:
    if value.is_finite():
        return value
    return float("nan") if value.is_nan() else float(value)


def _read_elements(value: Any) -> list[Scalar | None]:
    _check_length(value)
    return [_read_element(element) for element in value]


def _read_set(value: Any) -> frozenset[Scalar | None]:
    _check_length(value)
    return frozenset([read_scalar(element) for element in value])


def _check_length(value: Any) -> None:
    if len(value) > EVENT_VALUES:
        raise EventError(f"a list of {len(value)} elements, the limit is {EVENT_VALUES}: split it")


def _read_array(value: Any) -> Any:
    if value.ndim == 0:
        return _read_any(value[()])
    return _read_elements(value)


def _read_arrow(value: Any) -> Any:
    try:
        plain = value.as_py()
    except (ValueError, OverflowError) as error:
        raise EventError(f"the {value.type} value cannot be read: {error}") from error
    return _read_any(plain)


def _read_numpy_time(value: Any) -> dt.datetime | None:
    if np.isnat(value):
        return None
    unit = np.datetime_data(value.dtype)[0]
    micros = value.astype("datetime64[us]")
    if unit == "ns" and micros != value:
        import pandas  # the only type of Python's that holds nanoseconds

        return _read_timestamp(pandas.Timestamp(value))
    plain = micros.item()
    if not isinstance(plain, dt.datetime) or micros.astype(value.dtype) != value:
        raise EventError(f"the time {value} lies outside the years 1 to 9999, or is finer than nanoseconds")
    return plain


def _read_timestamp(value: Any) -> dt.datetime:
    """A pandas.Timestamp: as a datetime where it has no nanoseconds."""
    if value.tzinfo is not None:
        value = value.tz_convert("UTC").tz_localize(None)
    return value if value.nanosecond else value.to_pydatetime()  # type: ignore[no-any-return]


def _read_unusual(value: Any) -> Any:
    """Values of types that are not in the table: NumPy and Arrow scalars, pandas values, subclasses."""
    if isinstance(value, Mapping):
        return value
    pandas = sys.modules.get("pandas")
    if pandas is not None:
        if value is pandas.NaT or value is pandas.NA:
            return None
        if isinstance(value, pandas.Timestamp):
            return _read_timestamp(value)
    if isinstance(value, np.datetime64):
        return _read_numpy_time(value)
    if isinstance(value, pa.Scalar):
        return _read_arrow(value)
    if isinstance(value, np.generic) and not isinstance(value, np.timedelta64):
        plain = value.item()
        if type(plain) in _FAMILIES:
            return plain
    return _read_subclass(value)


def _read_subclass(value: Any) -> Any:
    for base, reader in _SUBCLASS_READERS.items():
        if isinstance(value, base):
            return reader(value)
    raise EventError(
        f"a value of type {_type_name(value)} cannot be matched: give a number, text, boolean, time, or a list of them"
    )


def _read_any(value: object) -> Any:
    reader = _READERS.get(type(value), _read_unusual)
    return value if reader is None else reader(value)


_READERS: Final[dict[type, Callable[[Any], Any] | None]] = {
    bool: None,
    int: None,
    float: None,
    str: None,
    type(None): None,
    dict: lambda record: record,
    Range: None,
    list: _read_elements,
    tuple: _read_elements,
    set: _read_set,
    frozenset: _read_set,
    dt.datetime: _read_datetime,
    dt.date: _read_date,
    Decimal: _read_decimal,
    np.ndarray: _read_array,
}
"""How to read a value of exactly this type; None where it is plain already."""

_SUBCLASS_READERS: Final[dict[type, Callable[[Any], Any]]] = {
    str: str.__str__,
    int: int.__int__,
    float: float.__float__,
    dt.datetime: _read_datetime,
    dt.date: _read_date,
    Decimal: _read_decimal,
    list: _read_elements,
    tuple: _read_elements,
    set: _read_set,
    frozenset: _read_set,
    np.ndarray: _read_array,
    Range: lambda value: value,
}
