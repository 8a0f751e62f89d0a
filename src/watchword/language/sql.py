"""SQL text to an expression tree.

    "price <= 580 AND NOT (model LIKE 'i%' OR sold)"
      tokens      sqlglot's tokenizer, compiled, with our own quotes and operators
      predicates  attribute, operator, constants: one function each
      joined      AND, OR, NOT and parentheses by an explicit stack of levels, so depth costs no recursion

Why not sqlglot's parser: see docs/decisions/0001.
"""

from __future__ import annotations

import re
import string
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, Final, NoReturn, ParamSpec, TypeVar

from sqlglot import Token, Tokenizer, TokenType
from sqlglot.errors import TokenError

from watchword.errors import ExpressionError, LimitError, QueryError
from watchword.language import construct
from watchword.language.expression import Expression, Not, Operator, Truth, Value
from watchword.language.pointer import pointer
from watchword.language.size import check_size
from watchword.limits import EXPRESSION_BYTES, EXPRESSION_NODES, LIST_LENGTH, NESTING

P = ParamSpec("P")
T = TypeVar("T")


class _ExpressionTokenizer(Tokenizer):
    """Strings and names without backslash escapes, no statements, no templates; other signs become UNKNOWN."""

    SINGLE_TOKENS = {  # noqa: RUF012 - the base class declares it so
        **{sign: TokenType.UNKNOWN for sign in string.punctuation if sign != "_"},
        "(": TokenType.L_PAREN,
        ")": TokenType.R_PAREN,
        ",": TokenType.COMMA,
        ".": TokenType.DOT,
        "-": TokenType.DASH,
        "+": TokenType.PLUS,
        "=": TokenType.EQ,
        "<": TokenType.LT,
        ">": TokenType.GT,
    }
    KEYWORDS = {  # noqa: RUF012
        "==": TokenType.EQ,
        "<>": TokenType.NEQ,
        "!=": TokenType.NEQ,
        "<=": TokenType.LTE,
        ">=": TokenType.GTE,
        "AND": TokenType.AND,
        "OR": TokenType.OR,
        "NOT": TokenType.NOT,
        "IN": TokenType.IN,
        "BETWEEN": TokenType.BETWEEN,
        "LIKE": TokenType.LIKE,
        "ILIKE": TokenType.ILIKE,
        "RLIKE": TokenType.RLIKE,
        "REGEXP": TokenType.RLIKE,
        "IS": TokenType.IS,
        "NULL": TokenType.NULL,
        "TRUE": TokenType.TRUE,
        "FALSE": TokenType.FALSE,
        "ESCAPE": TokenType.ESCAPE,
    }
    IDENTIFIERS = ['"', "`"]  # noqa: RUF012
    COMMANDS: ClassVar[set[TokenType]] = set()
    NESTED_COMMENTS = False


_ExpressionTokenizer._COMMENTS.pop("{#", None)  # every tokenizer is given a template language's comments

RESERVED: Final = frozenset(word for word in _ExpressionTokenizer.KEYWORDS if word.isalpha())
"""Words that are names only in quotes."""

_COMPARISONS: Final = {
    TokenType.EQ: (Operator.EQUAL, False),
    TokenType.NEQ: (Operator.EQUAL, True),
    TokenType.LT: (Operator.LESS, False),
    TokenType.LTE: (Operator.LESS_EQUAL, False),
    TokenType.GT: (Operator.GREATER, False),
    TokenType.GTE: (Operator.GREATER_EQUAL, False),
}
_TURNED: Final = {
    Operator.EQUAL: Operator.EQUAL,
    Operator.LESS: Operator.GREATER,
    Operator.LESS_EQUAL: Operator.GREATER_EQUAL,
    Operator.GREATER: Operator.LESS,
    Operator.GREATER_EQUAL: Operator.LESS_EQUAL,
}
_PATTERNS: Final = {
    TokenType.LIKE: Operator.LIKE,
    TokenType.ILIKE: Operator.ILIKE,
    TokenType.RLIKE: Operator.RLIKE,
}
_TRUTHS: Final = {TokenType.TRUE: True, TokenType.FALSE: False, TokenType.NULL: None}
_WORDS: Final = {TokenType.VAR, *(_ExpressionTokenizer.KEYWORDS[word] for word in RESERVED)}
_NUMBER: Final = re.compile(r"[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?")
_LEXEMES: Final = re.compile(
    r"""'(?:[^']|'')*+'|"(?:[^"]|"")*+"|`(?:[^`]|``)*+`|--[^\r\n]*|/\*.*?\*/|(?P<unclosed>['"`]|/\*)|[^'"`/-]+|.""",
    re.DOTALL,
)
_INTEGER_DIGITS: Final = 310  # no longer integer is a float64

_local = threading.local()  # a tokenizer keeps the text it is at


def parse(text: str) -> Expression:
    """The tree of an expression. Raises ExpressionError, or LimitError, with the position in the text."""
    if not isinstance(text, str):
        raise ExpressionError(f"an expression must be a string, not {type(text).__name__}")
    _check_text(text)
    tokens = _tokenize(text)
    expression = _Parser(text, tokens).parse()
    if len(tokens) > EXPRESSION_NODES:
        check_size(expression)
    return expression


def _check_text(text: str) -> None:
    try:
        size = len(text) if text.isascii() else len(text.encode())
    except UnicodeEncodeError as error:
        raise _error_at(text, error.start, "half of a surrogate pair", "valid Unicode") from None
    if size > EXPRESSION_BYTES:
        raise LimitError(f"an expression of {size} bytes, the limit is {EXPRESSION_BYTES}: split it")


def _tokenize(text: str) -> list[Token]:
    tokenizer: _ExpressionTokenizer | None = getattr(_local, "tokenizer", None)
    if tokenizer is None:
        tokenizer = _local.tokenizer = _ExpressionTokenizer()
    try:
        tokens = tokenizer.tokenize(text)
    except TokenError:
        raise _unclosed(text) from None
    if "/*" in text and any(match["unclosed"] for match in _LEXEMES.finditer(text)):
        raise _unclosed(text)
    if not text.isascii():
        for token in tokens:
            if token.token_type in _WORDS and not token.text.isascii():
                token.token_type = TokenType.VAR  # a dotless i, say, has an ASCII letter as its upper case
    tokens.append(Token(TokenType.SENTINEL, "", start=len(text), end=len(text) - 1))
    return tokens


def _unclosed(text: str) -> ExpressionError:
    match = next(match for match in _LEXEMES.finditer(text) if match["unclosed"])
    what = "a comment" if match["unclosed"] == "/*" else "a string" if match["unclosed"] == "'" else "a quoted name"
    return _error_at(text, match.start(), f"{what} without its end", "*/" if what == "a comment" else match["unclosed"])


def _error_at(text: str, position: int, found: str, expected: str) -> ExpressionError:
    message = f"at position {position}: found {found}, expected {expected}\n{pointer(text, position)}"
    return ExpressionError(message, position=position, found=found, expected=expected)


@dataclass(slots=True)
class _Level:
    """What stands inside one pair of parentheses so far: alternatives OR conjuncts AND NOT NOT ..."""

    alternatives: list[Expression] = field(default_factory=list)
    conjuncts: list[Expression] = field(default_factory=list)
    nots: int = 0

    def add(self, node: Expression) -> None:
        for _ in range(self.nots):
            node = Not(node)
        self.nots = 0
        self.conjuncts.append(node)

    def end_alternative(self) -> None:
        self.alternatives.append(construct.all_of(self.conjuncts))
        self.conjuncts = []

    def close(self) -> Expression:
        self.end_alternative()
        return construct.any_of(self.alternatives)


class _Parser:
    __slots__ = ("at", "text", "tokens")

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.at = 0

    def parse(self) -> Expression:
        levels = [_Level()]
        depth = 0
        while True:
            token = self.tokens[self.at]
            if token.token_type in (TokenType.NOT, TokenType.L_PAREN):
                depth += 1
                if depth > NESTING:
                    self.refuse(token, LimitError(f"more than {NESTING} parentheses and NOTs inside one another"))
                if token.token_type is TokenType.NOT:
                    levels[-1].nots += 1
                else:
                    levels.append(_Level())
                self.at += 1
                continue
            node = self.predicate()
            while True:
                level = levels[-1]
                depth -= level.nots
                level.add(node)
                kind = self.tokens[self.at].token_type
                if kind is not TokenType.R_PAREN or len(levels) == 1:
                    break
                self.at += 1
                depth -= 1
                node = levels.pop().close()
            if kind is TokenType.SENTINEL and len(levels) == 1:
                return levels[0].close()
            if kind is TokenType.OR:
                level.end_alternative()
            elif kind is not TokenType.AND:
                self.fail("AND, OR or the end" if len(levels) == 1 else "AND, OR or ')'")
            self.at += 1

    def predicate(self) -> Expression:
        token = self.tokens[self.at]
        kind = token.token_type
        if kind in _TRUTHS and self.tokens[self.at + 1].token_type not in _COMPARISONS:
            self.at += 1
            return Truth(_TRUTHS[kind])
        if kind is TokenType.VAR and token.text.upper() == "MATCHES" and self.is_call():
            return self.matches()
        if kind is TokenType.IDENTIFIER or (kind is TokenType.VAR and not self.at_time(token)):
            return self.after_attribute(token, self.attribute())
        if not self.at_constant(token):
            self.fail("a condition: an attribute, NOT, or '('")
        value = self.constant()
        comparison = _COMPARISONS.get(self.tokens[self.at].token_type)
        if comparison is None:
            self.fail("a comparison: after a constant only =, <>, <, <=, > or >= and an attribute may stand")
        self.at += 1
        return construct.compare(self.attribute(), _TURNED[comparison[0]], value, comparison[1])

    def after_attribute(self, first: Token, attribute: str) -> Expression:
        token = self.tokens[self.at]
        comparison = _COMPARISONS.get(token.token_type)
        if comparison is not None:
            self.at += 1
            return construct.compare(attribute, comparison[0], self.constant(), comparison[1])
        negated = token.token_type is TokenType.NOT
        if negated:
            self.at += 1
            token = self.tokens[self.at]
        kind = token.token_type
        self.at += 1
        if kind is TokenType.IN:
            return self.made(token, construct.among, attribute, self.constants(), negated)
        if kind is TokenType.BETWEEN:
            low = self.constant()
            self.take(TokenType.AND, "AND and the upper bound")
            return self.made(token, construct.between, attribute, low, self.constant(), negated)
        if kind in _PATTERNS:
            return self.like(attribute, _PATTERNS[kind], negated)
        if kind is TokenType.IS and not negated:
            return self.after_is(attribute)
        self.at -= 1
        if negated:
            self.fail("IN, BETWEEN, LIKE, ILIKE or RLIKE")
        if kind is TokenType.L_PAREN:
            self.refuse_call(first)
        if kind not in (TokenType.AND, TokenType.OR, TokenType.R_PAREN, TokenType.SENTINEL):
            self.fail("an operator such as =, <=, IN or LIKE, or AND, OR, or the end")
        return construct.compare(attribute, Operator.EQUAL, True)

    def like(self, attribute: str, operator: Operator, negated: bool) -> Expression:
        token = self.tokens[self.at]
        pattern = self.constant()
        escape: Value | None = None
        if self.tokens[self.at].token_type is TokenType.ESCAPE:
            self.at += 1
            token = self.tokens[self.at]
            if token.token_type is not TokenType.STRING:
                self.fail("one character in single quotes")
            escape = self.constant()
        return self.made(token, construct.like, attribute, operator, pattern, escape, negated)

    def is_call(self) -> bool:
        return self.tokens[self.at + 1].token_type is TokenType.L_PAREN

    def matches(self) -> Expression:
        self.at += 2
        attribute = self.attribute()
        self.take(TokenType.COMMA, "',' and a query in single quotes")
        token = self.tokens[self.at]
        query = self.constant()
        try:
            expression = self.made(token, construct.matches, attribute, query)
        except QueryError as error:
            self.refuse_query(token, error)
        if self.tokens[self.at].token_type is TokenType.COMMA:
            self.at += 1
            token = self.tokens[self.at]
            expression = self.made(token, construct.matches, attribute, query, self.constant())
        self.take(TokenType.R_PAREN, "')'")
        return expression

    def after_is(self, attribute: str) -> Expression:
        negated = self.tokens[self.at].token_type is TokenType.NOT
        self.at += negated
        kind = self.tokens[self.at].token_type
        if kind not in _TRUTHS:
            self.fail("NULL, TRUE or FALSE")
        self.at += 1
        truth = _TRUTHS[kind]
        if truth is None:
            return construct.is_null(attribute, negated)
        return construct.is_truth(attribute, truth, negated)

    def attribute(self) -> str:
        first = self.tokens[self.at]
        parts = [self.name_part()]
        while self.tokens[self.at].token_type is TokenType.DOT:
            self.at += 1
            parts.append(self.name_part())
        return self.made(first, construct.name, ".".join(parts))

    def name_part(self) -> str:
        token = self.tokens[self.at]
        kind = token.token_type
        if kind is not TokenType.IDENTIFIER and not (kind is TokenType.VAR and token.text.isidentifier()):
            self.fail("an attribute's name (in double quotes where it holds spaces or signs, or is a reserved word)")
        self.at += 1
        return token.text

    def constants(self) -> list[Value | None]:
        self.take(TokenType.L_PAREN, "'(' and a list of constants")
        values = [self.constant()]
        while self.tokens[self.at].token_type is TokenType.COMMA:
            self.at += 1
            values.append(self.constant())
            if len(values) > LIST_LENGTH:
                self.refuse(self.tokens[self.at - 1], LimitError(f"IN with more than {LIST_LENGTH} constants"))
        self.take(TokenType.R_PAREN, "',' or ')'")
        return values

    def at_time(self, token: Token) -> bool:
        return token.text.upper() in ("DATE", "TIMESTAMP") and self.tokens[self.at + 1].token_type is TokenType.STRING

    def at_constant(self, token: Token) -> bool:
        kind = token.token_type
        if kind is TokenType.VAR:
            return self.at_time(token)
        return kind in _TRUTHS or kind in (
            TokenType.STRING,
            TokenType.NUMBER,
            TokenType.DOT,
            TokenType.DASH,
            TokenType.PLUS,
        )

    def constant(self) -> Value | None:
        token = self.tokens[self.at]
        kind = token.token_type
        if kind is TokenType.STRING:
            self.at += 1
            return token.text
        if kind in _TRUTHS:
            self.at += 1
            return _TRUTHS[kind]
        if kind in (TokenType.VAR, TokenType.IDENTIFIER) and not self.at_time(token):
            if self.is_call():
                self.refuse_call(token)
            self.fail("a constant (two attributes cannot be compared; text stands in single quotes)")
        if not self.at_constant(token):
            self.fail("a constant")
        if kind is TokenType.VAR:
            self.at += 2
            return self.time(token, self.tokens[self.at - 1])
        return self.number()

    def time(self, word: Token, quoted: Token) -> Value:
        time = self.made(quoted, construct.instant, quoted.text)
        if len(quoted.text) > len("YYYY-MM-DD") and word.text.upper() == "DATE":
            self.refuse(quoted, ExpressionError("a DATE has no time of day: write TIMESTAMP"))
        return time

    def number(self) -> Value | None:
        first = self.tokens[self.at]
        sign = ""
        if first.token_type in (TokenType.DASH, TokenType.PLUS):
            sign = first.text
            self.at += 1
        begin = self.at
        start = self.tokens[begin]
        if start.token_type is TokenType.DOT and self.tokens[self.at + 1].start == start.end + 1:
            self.at += 1
        token = self.tokens[self.at]
        digits = self.text[start.start : token.end + 1]
        if token.token_type is not TokenType.NUMBER or not _NUMBER.fullmatch(digits):
            self.at = begin
            self.fail("a number")
        self.at += 1
        after = self.tokens[self.at]
        if after.start == token.end + 1 and (after.token_type in _WORDS or after.token_type is TokenType.DOT):
            self.fail("a space or an operator after a number")
        if not digits.isdigit():
            return self.made(first, construct.constant, float(sign + digits))
        if len(digits.lstrip("0")) > _INTEGER_DIGITS:
            self.refuse(first, LimitError("an integer of more digits than any 64-bit float has"))
        return self.made(first, construct.constant, int(sign + (digits.lstrip("0") or "0")))

    def take(self, kind: TokenType, expected: str) -> None:
        if self.tokens[self.at].token_type is not kind:
            self.fail(expected)
        self.at += 1

    def made(self, token: Token, make: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `make` makes; where it refuses, the error points at `token`."""
        try:
            return make(*args, **kwargs)
        except QueryError:
            raise
        except ExpressionError as error:
            self.refuse(token, error)

    def refuse(self, token: Token, error: ExpressionError) -> NoReturn:
        message = f"at position {token.start}: {error}\n{pointer(self.text, token.start)}"
        raise type(error)(message, position=token.start, found=self.shown(token), expected=None) from None

    def refuse_query(self, token: Token, error: QueryError) -> NoReturn:
        """The error with its position in the SQL, where each quote of the query is doubled."""
        place = error.query_position or 0
        position = token.start + 1 + place + token.text.count("'", 0, place)
        raise QueryError(
            f"at position {position}: found {error.found}, expected {error.expected} (position {place} of the query)\n"
            f"{pointer(self.text, position)}",
            position=position,
            found=error.found,
            expected=error.expected,
            query_position=place,
        ) from None

    def refuse_call(self, function: Token) -> NoReturn:
        reason = f"{function.text}(...) is a call: a condition compares an attribute with constants, without functions"
        self.refuse(function, ExpressionError(reason))

    def fail(self, expected: str) -> NoReturn:
        token = self.tokens[self.at]
        raise _error_at(self.text, token.start, self.shown(token), expected)

    def shown(self, token: Token) -> str:
        if token.token_type is TokenType.SENTINEL:
            return "the end" if self.at else "nothing"
        text = self.text[token.start : token.end + 1]
        return f"'{text[:40]}...'" if len(text) > 40 else f"'{text}'"
