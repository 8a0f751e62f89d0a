"""What columns of an Arrow type can say: which of them are read, and under which names.

price: int64      one value                     price
tags: list        many values                   tags
seller: struct    the values of its fields      seller.country   seller.city
features: map     the value of every key        a17   a18        (in a struct `s`: s.a17   s.a18)
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from watchword.coding.arrow_lists import LISTS
from watchword.coding.arrow_scalars import is_scalar
from watchword.coding.attributes import Attributes


def is_used(prefix: str, field: str, type: Any, attributes: Attributes) -> bool:
    """Could a column of this type hold an attribute that some subscription uses? `prefix`: the structs around it."""
    if isinstance(type, pa.BaseExtensionType):
        return is_used(prefix, field, type.storage_type, attributes)
    if type.id == pa.lib.Type_STRUCT:
        return any(is_used(f"{prefix}{field}.", inner.name, inner.type, attributes) for inner in type)
    if type.id == pa.lib.Type_MAP:
        return any(name.startswith(prefix) for name in attributes.names)
    return attributes.number(prefix + field) is not None


def is_readable(type: Any) -> bool:
    """Are these single values, or lists? The elements of a list may be nested: such a one compares with nothing."""
    if type.id in LISTS:
        return is_scalar(type.value_type) or is_nested(type.value_type)
    return is_scalar(type)


def is_nested(type: Any) -> bool:
    if isinstance(type, pa.BaseExtensionType):
        return is_nested(type.storage_type)
    return type.id in LISTS or type.id in (pa.lib.Type_STRUCT, pa.lib.Type_MAP)
