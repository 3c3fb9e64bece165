"""Parse and print durations as people write them in settings files."""
import re

SECONDS = {
    "s": 1,
    "m": 60,
    "h": 3600,
    "d": 86400,
    "w": 604800,
}
PART = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw])", re.IGNORECASE)
CLOCK = re.compile(r"^(\d+):([0-5]\d)(?::([0-5]\d))?$")

LONGEST = 366 * 86400


class BadDuration(ValueError):
    """Text that is not a duration."""


def parse_duration(text):
    """Return the number of seconds.

    Accepted are a bare number (seconds), a sum of parts such as "1h30m" or
    "2 d 4 h", and clock style "h:mm" or "h:mm:ss".  Upper case is allowed.
    A leading minus sign is refused, months and years are refused because
    their length is not fixed.  "never" gives None.
    """
    if isinstance(text, (int, float)):
        return _checked(float(text), text)
    value = text.strip()
    if value.lower() == "never":
        return None
    if re.fullmatch(r"\d+(?:\.\d+)?", value):
        return _checked(float(value), text)
    clock = CLOCK.match(value)
    if clock:
        hours, minutes, seconds = clock.group(1), clock.group(2), clock.group(3) or "0"
        return _checked(int(hours) * 3600 + int(minutes) * 60 + int(seconds), text)
    rest = PART.sub("", value).strip()
    parts = PART.findall(value)
    if rest or not parts:
        raise BadDuration(f"not a duration: {text!r}")
    units = [unit.lower() for _, unit in parts]
    if len(set(units)) != len(units):
        raise BadDuration(f"unit given twice: {text!r}")
    return _checked(sum(float(n) * SECONDS[u.lower()] for n, u in parts), text)


def _checked(seconds, text):
    if seconds < 0 or seconds > LONGEST:
        raise BadDuration(f"out of range: {text!r}")
    return seconds


def format_duration(seconds):
    """Shortest form with at most two units: 93784 becomes "1d 2h"."""
    if seconds is None:
        return "never"
    left, out = int(seconds), []
    for unit in "wdhms":
        count, left = divmod(left, SECONDS[unit])
        if count:
            out.append(f"{count}{unit}")
    return " ".join(out[:2]) or "0s"
