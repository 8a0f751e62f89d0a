"""Tenants: a subscription meets only the events of its own tenant, however many tenants one index has.

    subscription   id 7, tenant acme, price < 3   ->  id acme\\0 7,  "tenant-5f0c" = 'acme' AND (price < 3)
    event          tenant acme, {"price": 2}      ->  {"tenant-5f0c": "acme", "price": 2}

So the tenant is one more condition, mostly the rarest one and the access key. The name of the attribute is drawn when
the index is built and is in its versions alone: no event can hold it by itself. Ids may be the same in two tenants.
"""

from __future__ import annotations

import json as json_text
import secrets
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

BETWEEN: Final = "\0"  # between tenant and id; no tenant may hold it
MISSING: Final = "the id or the tenant is missing, or the tenant holds a zero character"


def new_attribute() -> str:
    return f"tenant-{secrets.token_hex(8)}"


def scoped_id() -> Column:
    """The id inside the index; null where there is none."""
    from pyspark.sql import functions as F  # noqa: N812

    tenant = F.col("tenant").cast("string")
    tenant = F.when(F.instr(tenant, BETWEEN) == 0, tenant)
    return F.concat(tenant, F.lit(BETWEEN), F.col("id").cast("string"))


def with_own_ids(errors: DataFrame) -> DataFrame:
    """An error table with tenants and their ids."""
    from pyspark.sql import functions as F  # noqa: N812

    end = F.instr("id", BETWEEN)
    tenant, own = F.substring("id", F.lit(1), end - 1), F.substring("id", end + 1, F.length("id"))
    return errors.select(tenant.alias("tenant"), own.alias("id"), "expression", "reason")


def scoped_expressions(ids: pa.ChunkedArray, expressions: pa.ChunkedArray, attribute: str) -> pa.ChunkedArray:
    """Each expression with its tenant as one more condition. The expressions stand by themselves: they are parsed."""
    tenants = pc.list_element(pc.split_pattern(ids, BETWEEN, max_splits=1), 0)
    quoted = pc.replace_substring(tenants, "'", "''")
    # the line ends before the parenthesis, for the expression may end in a comment
    return pc.binary_join_element_wise(f'"{attribute}" = \'', quoted, "' AND (", expressions, "\n)", "")


def own_ids(scoped: pa.Array, id_type: str) -> pa.Array:
    """The ids as their tenants know them."""
    ids = pc.list_element(pc.split_pattern(scoped, BETWEEN, max_splits=1), 1)
    return ids.cast(pa.int64()) if id_type == "bigint" else ids


def with_tenant(events: pa.RecordBatch, tenant: str, attribute: str, json: str | None) -> pa.RecordBatch:
    """Events that say of whom they are."""
    of = events.column(tenant).cast(pa.string())
    if json is None:
        return events.append_column(attribute, of)
    place = events.schema.names.index(json)
    return events.set_column(place, json, _in_front(events.column(json), of, attribute))


def _in_front(texts: pa.Array, of: pa.Array, attribute: str) -> pa.Array:
    """Each record with one more key in front; what is no record, and no text at all, stays as it is."""
    encoded = of.dictionary_encode()
    pairs = [json_text.dumps({attribute: name})[1:-1] for name in encoded.dictionary.to_pylist()]
    pair: Any = pa.array(pairs, pa.string()).take(encoded.indices)
    as_bytes = texts.cast(pa.binary())
    record = pc.match_substring_regex(as_bytes, r"^[ \t\r\n]*\{")
    empty = pc.match_substring_regex(as_bytes, r"^[ \t\r\n]*\{[ \t\r\n]*\}")
    rest = pc.replace_substring_regex(as_bytes, r"^[ \t\r\n]*\{", "", max_replacements=1)
    comma = pc.if_else(empty, b"", b",")
    joined = pc.binary_join_element_wise(b"{", pair.cast(pa.binary()), comma, rest, b"")
    known = pc.and_(pc.is_valid(of), pc.fill_null(record, False))
    chosen = pc.if_else(known, joined, as_bytes)
    return pa.Array.from_buffers(pa.string(), len(chosen), chosen.buffers())  # as it came: it may not be text at all
