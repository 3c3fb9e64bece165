"""Numbers, money, sizes and times as people read them: units always, the exact value where it is rounded."""

from datetime import date, datetime
from decimal import Decimal, InvalidOperation

from django.utils import timezone

SYMBOLS = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "INR": "₹", "CHF": "CHF\u00a0", "SEK": "SEK\u00a0"}
NOTHING = "—"


def format_money(value: Decimal | float | str | None, currency: str = "") -> str:
    """ "€1,250,000", "−$12.50", "SEK 900": no decimals when they are zero, a dash for None, else unchanged."""
    if value is None or value == "":
        return NOTHING
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        return str(value)
    digits = f"{abs(amount):,.0f}" if amount == amount.to_integral_value() else f"{abs(amount):,.2f}"
    code = (currency or "").strip().upper()
    symbol = SYMBOLS.get(code, f"{code}\u00a0" if code else "")
    return f"{'−' if amount < 0 else ''}{symbol}{digits}"


def format_size(size: float | None) -> str:
    """Bytes in powers of 1,000: "612 bytes", "24 kB", "1.2 MB"; a dash for None."""
    if size is None:
        return NOTHING
    if abs(size) < 1000:
        return "1 byte" if size == 1 else f"{int(size)} bytes"
    amount = float(size)
    for unit in ("kB", "MB", "GB", "TB"):
        amount /= 1000
        if abs(amount) < 999.95 or unit == "TB":
            break
    return f"{amount:.0f}\u00a0{unit}" if abs(amount) >= 10 else f"{amount:.1f}\u00a0{unit}"


def format_count(count: int | None, noun: str) -> str:
    """`noun` is "file" or "reply,replies": "1 file", "1,204 files", "no replies"."""
    singular, _, plural = noun.partition(",")
    plural = plural or f"{singular}s"
    if not count:
        return f"no {plural}"
    return f"{count:,} {singular if count == 1 else plural}"


def format_relative(moment: datetime | date, now: datetime | None = None) -> str:
    """How long ago (or until), in the largest fitting unit; a date past a week. A date without time counts in days."""
    now = now or timezone.now()
    if not isinstance(moment, datetime):
        days = (moment - timezone.localdate(now)).days
        near = {0: "today", 1: "tomorrow", -1: "yesterday"}.get(days)
        if near or abs(days) < 7:
            return near or (f"in {days} days" if days > 0 else f"{-days} days ago")
        return format_day(moment, now)
    if timezone.is_naive(moment):
        moment = timezone.make_aware(moment)
    seconds = (now - moment).total_seconds()
    distance = abs(seconds)
    if distance < 45:
        return "just now" if seconds >= 0 else "in a moment"
    for limit, length, unit in ((2700, 60, "min"), (79200, 3600, "h"), (561600, 86400, "day")):
        if distance < limit:
            count = max(1, round(distance / length))
            unit = f"{unit}s" if unit == "day" and count > 1 else unit
            return f"{count} {unit} ago" if seconds > 0 else f"in {count} {unit}"
    return format_day(timezone.localtime(moment).date(), now)


def format_day(day: date, now: datetime | None = None) -> str:
    """ "12 May", with the year when it is not this one."""
    this_year = timezone.localdate(now or timezone.now()).year
    return f"{day.day} {day:%b}" if day.year == this_year else f"{day.day} {day:%b} {day.year}"


def format_exact(moment: datetime | date) -> str:
    """ "Mon 12 May 2025, 14:03 UTC"; without the time for a date."""
    if not isinstance(moment, datetime):
        return f"{moment:%a} {moment.day} {moment:%b} {moment.year}"
    if timezone.is_naive(moment):
        moment = timezone.make_aware(moment)
    local = timezone.localtime(moment)
    return f"{local:%a} {local.day} {local:%b} {local.year}, {local:%H:%M} {local.tzname()}"
