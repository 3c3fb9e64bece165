"""What must not reach a log file."""

import logging
import re
from typing import Any

# PostgreSQL tells in the details of an error which row it was about, with its text, or quotes the statement.
DETAILS = re.compile(
    r"^(?:DETAIL|CONTEXT|QUERY|LINE \d+):.*?(?=^(?:The above exception|During handling of the above)|\Z)",
    re.DOTALL | re.MULTILINE,
)


class WithoutDetail(logging.Formatter):
    """Leaves the details that PostgreSQL gives of errors out of tracebacks."""

    def formatException(self, ei: Any) -> str:
        return DETAILS.sub("Details are left out.\n", super().formatException(ei)).rstrip("\n")


INVITED = re.compile(r"(/invited/[^/\s]+/)[^/\s]+")


class WithoutInvitation(logging.Filter):
    """Drops the secret from the address of an invitation, which is good until it is used."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(INVITED.sub(r"\1…", part) if isinstance(part, str) else part for part in record.args)
        return True


class WithoutTraceback(logging.Filter):
    """One line for a request that was refused. What Django attaches is where our own code refused it."""

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(record, "status_code", 500) < 500:
            record.exc_info = record.exc_text = None
        return True


class WithoutQuery(logging.Filter):
    """Drops the query string from access-log lines: search words are text of users."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(self.cut(part) for part in record.args)
        return True

    def cut(self, part: object) -> object:
        """`/search/?q=secret` and `GET /search/?q=secret HTTP/1.1` without what follows the question mark."""
        if not isinstance(part, str) or "?" not in part:
            return part
        path, _, rest = part.partition("?")
        _, space, protocol = rest.rpartition(" ")
        return f"{path}{space}{protocol}" if space else path
