"""Every error Watchword raises inherits from `WatchwordError` and says what, where and the remedy."""

from __future__ import annotations


class WatchwordError(Exception):
    """Base class of all errors of this library."""


class ExpressionError(WatchwordError, ValueError):
    """An expression that cannot be a subscription.

    `position` counts characters from 0 into the text (None where there is no text);
    `found` and `expected` say what stood there and what could have.
    """

    def __init__(
        self,
        message: str,
        *,
        position: int | None = None,
        found: str | None = None,
        expected: str | None = None,
    ) -> None:
        super().__init__(message)
        self.position = position
        self.found = found
        self.expected = expected


class QueryError(ExpressionError):
    """A text query of MATCHES that cannot be read.

    `position` counts into the text that was given, the SQL around the query where there is one;
    `query_position` counts into the query itself.
    """

    def __init__(
        self,
        message: str,
        *,
        position: int | None = None,
        found: str | None = None,
        expected: str | None = None,
        query_position: int | None = None,
    ) -> None:
        super().__init__(message, position=position, found=found, expected=expected)
        self.query_position = query_position


class LimitError(ExpressionError):
    """An expression or event beyond a documented limit (see `watchword.limits`)."""


class TextSettingsError(WatchwordError, ValueError):
    """Settings of text that name an analyzer or an operator that does not exist."""


class EventError(WatchwordError, ValueError):
    """An event that cannot be read as a record."""


class SubscriptionIdError(WatchwordError, ValueError):
    """A subscription id of the wrong type, or missing."""


class StorageError(WatchwordError):
    """A saved index that is missing, damaged, or of an unknown format version."""


class UnknownStructureError(WatchwordError, ValueError):
    """A structure name that is not registered."""


class MissingDependencyError(WatchwordError):
    """Something that an optional part of Watchword needs is not installed."""
