"""Which dimension each predicate asks about, text patterns resolved to what codes can say of them.

Dimension 0 is constant; then every attribute's plain value, in the attributes' order; then what patterns need; then
the leaves of text queries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from watchword.coding.codebook import FOLDED, FOLDED_REVERSED, PATTERN, PLAIN, REVERSED, TEXT_LEAF
from watchword.coding.expand_matches import Expanded
from watchword.coding.patterns import Form, GeneralPattern, Pattern, classify
from watchword.coding.ranges import starts_of
from watchword.coding.values import FLOAT, I32, I64, INT, TEXT, TIME, U8, Values
from watchword.language.expression import Operator
from watchword.language.table import ExpressionTable

# Forms beside the operators: what LIKE, ILIKE, RLIKE and MATCHES become.
PREFIX: Final = 20  # operands: the first text of the prefix, the first text after it
ANY_TEXT: Final = 21
HOLDS: Final = 22
LEAF_HOLDS: Final = 23  # of a text query

_ORDERED_FORMS: Final = (
    Operator.LESS,
    Operator.LESS_EQUAL,
    Operator.GREATER,
    Operator.GREATER_EQUAL,
    Operator.BETWEEN,
    PREFIX,
)


@dataclass(slots=True)
class Dimensions:
    names: list[str]
    attribute: I32  # dimension -> attribute, -1 for the constant one
    transform: U8
    has_text: npt.NDArray[np.bool_]  # dimensions whose texts need a code even without text constants
    ordered: dict[str, U8]  # family -> dimension -> 1 where its constants are compared by order
    patterns: list[GeneralPattern]
    dimension: I32  # predicate -> dimension
    first_leaf: int  # the dimension of the first leaf of text queries
    present: I32  # attribute -> the dimension of its leaf PRESENT, or -1
    form: U8  # an Operator, or PREFIX, ANY_TEXT, HOLDS, LEAF_HOLDS
    first: I64  # predicate -> its first constant
    count: I64
    constants: Values
    constant_dimension: I32  # -1 for a pattern's own text


class _Resolver:
    """Resolves the patterns of a table one distinct pattern at a time."""

    def __init__(self, table: ExpressionTable) -> None:
        self.table = table
        self.attribute: list[int] = [-1, *range(len(table.names))]
        self.transform: list[int] = [PLAIN] * (1 + len(table.names))
        self.patterns: list[GeneralPattern] = []
        self.texts: list[bytes] = []  # new constants
        self.text_dimension: list[int] = []
        self._dimensions: dict[tuple[int, int, object], int] = {}
        self._resolved: dict[tuple[int, int, tuple[bytes, ...]], tuple[int, int, int, int]] = {}

    def resolve(self, predicate: int) -> tuple[int, int, int, int]:
        """Dimension, form, first new constant and how many of them."""
        table = self.table
        attribute, operator = int(table.attribute[predicate]), int(table.operator[predicate])
        texts = tuple(
            table.constants.text_at(i)
            for i in range(int(table.constant_starts[predicate]), int(table.constant_starts[predicate + 1]))
        )
        key = (attribute, operator, texts)
        if key not in self._resolved:
            decoded = [text.decode("utf-8", "surrogatepass") for text in texts]
            escape = decoded[1] if len(decoded) > 1 else None
            self._resolved[key] = self._place(attribute, classify(Operator(operator), decoded[0], escape))
        return self._resolved[key]

    def _place(self, attribute: int, pattern: Pattern) -> tuple[int, int, int, int]:
        literal = pattern.literal.encode("utf-8", "surrogatepass")
        plain, reverse = (FOLDED, FOLDED_REVERSED) if pattern.folded else (PLAIN, REVERSED)
        match pattern.form:
            case Form.EXACT:
                return self._constants(attribute, plain, Operator.EQUAL, literal)
            case Form.PREFIX:
                return self._constants(attribute, plain, PREFIX, literal, _after(literal))
            case Form.SUFFIX:
                return self._constants(attribute, reverse, PREFIX, literal[::-1], _after(literal[::-1]))
            case Form.ANY_TEXT:
                return self._constants(attribute, plain, ANY_TEXT)
            case Form.GENERAL:
                known = len(self.attribute)
                dimension = self._dimension(attribute, PATTERN, (pattern.folded, pattern.literal))
                if dimension == known:
                    self.patterns.append(GeneralPattern(dimension, attribute, pattern.folded, pattern.literal))
                return dimension, HOLDS, len(self.texts), 0

    def _constants(self, attribute: int, transform: int, form: int, *texts: bytes) -> tuple[int, int, int, int]:
        first, dimension = len(self.texts), self._dimension(attribute, transform)
        self.texts += texts
        self.text_dimension += [dimension] * len(texts)
        return dimension, form, first, len(texts)

    def _dimension(self, attribute: int, transform: int, pattern: object = None) -> int:
        if transform == PLAIN:
            return 1 + attribute
        key = (attribute, transform, pattern)
        if key not in self._dimensions:
            self._dimensions[key] = len(self.attribute)
            self.attribute.append(attribute)
            self.transform.append(transform)
        return self._dimensions[key]


def _after(prefix: bytes) -> bytes:
    """The first text, byte by byte, after all that begin with the prefix (UTF-8 has no byte 0xFF)."""
    return prefix[:-1] + bytes([prefix[-1] + 1])


def assign_dimensions(expanded: Expanded) -> Dimensions:
    table = expanded.table
    resolver = _Resolver(table)
    form = table.operator.copy()
    dimension = table.attribute + np.int32(1)
    first = table.constant_starts[:-1].copy()
    count = np.diff(table.constant_starts)
    is_pattern = (form >= Operator.LIKE) & (form <= Operator.RLIKE)
    is_query = expanded.leaf >= 0
    constant_dimension = np.repeat(np.where(is_pattern | is_query, np.int32(-1), dimension), count)
    by_order = np.repeat(np.isin(form, _ORDERED_FORMS), count)
    text_attributes = table.attribute[is_pattern]
    for predicate in np.flatnonzero(is_pattern).tolist():
        dimension[predicate], form[predicate], new, count[predicate] = resolver.resolve(predicate)
        first[predicate] = len(table.constants) + new
    first_leaf = len(resolver.attribute)
    dimension[is_query], form[is_query], count[is_query] = first_leaf + expanded.leaf[is_query], LEAF_HOLDS, 0
    field_attributes = np.array([field.attribute for field in expanded.fields], np.int32)
    leaf_counts = np.array([len(field.leaves.kind) for field in expanded.fields], np.int32)
    leaf_attributes = np.repeat(field_attributes, leaf_counts)
    present = np.full(len(table.names), -1, np.int32)
    present[field_attributes] = first_leaf + np.cumsum(leaf_counts) - 1
    has_text = np.zeros(first_leaf + len(leaf_attributes), bool)
    has_text[1 + text_attributes] = True
    has_text[dimension[form == ANY_TEXT]] = True
    constants = _append_texts(table.constants, resolver.texts)
    constant_dimension = np.concatenate([constant_dimension, np.array(resolver.text_dimension, np.int32)])
    by_order = np.concatenate([by_order, np.ones(len(resolver.texts), bool)])
    return Dimensions(
        names=table.names,
        attribute=np.concatenate([np.array(resolver.attribute, np.int32), leaf_attributes]),
        transform=np.append(np.array(resolver.transform, np.uint8), np.full(len(leaf_attributes), TEXT_LEAF, np.uint8)),
        has_text=has_text,
        ordered=_ordered(len(has_text), constant_dimension, constants.kind, by_order),
        patterns=resolver.patterns,
        dimension=dimension,
        first_leaf=first_leaf,
        present=present,
        form=form,
        first=first,
        count=count,
        constants=constants,
        constant_dimension=constant_dimension,
    )


def _append_texts(constants: Values, texts: list[bytes]) -> Values:
    lengths = np.array([len(text) for text in texts], np.int32)
    return Values(
        np.concatenate([constants.kind, np.full(len(texts), TEXT, np.uint8)]),
        np.concatenate([constants.bits, starts_of(lengths)[:-1] + len(constants.text)]),
        np.concatenate([constants.length, lengths]),
        np.concatenate([constants.text, np.frombuffer(b"".join(texts), np.uint8)]),
    )


def _ordered(dimensions: int, dimension: I32, kind: U8, by_order: npt.NDArray[np.bool_]) -> dict[str, U8]:
    ordered = {}
    for family, kinds in {"number": (INT, FLOAT), "time": (TIME,), "text": (TEXT,)}.items():
        flags = ordered[family] = np.zeros(dimensions, np.uint8)
        flags[dimension[by_order & (dimension >= 0) & np.isin(kind, kinds)]] = 1
    return ordered
