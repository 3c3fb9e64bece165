"""What must not reach a log file."""

import logging


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
