"""Numbers, money, sizes and times as people read them: units always, the exact value where it is rounded.

All but `format_money` speak the language of the reader, so they are for pages and answers. `format_money` is for text
that is stored, labelled or given to a model, which no reader's language may change.
"""

from datetime import date, datetime
from decimal import Decimal, InvalidOperation

from django.utils import timezone
from django.utils.dateformat import format as format_date
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext, pgettext

from entities.language import find_kind_name

SYMBOLS = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "INR": "₹", "CHF": "CHF\u00a0", "SEK": "SEK\u00a0"}
NOTHING = "—"


def format_money(value: Decimal | float | str | None, currency: str = "") -> str:
    """ "€1,250,000", "−$12.50", "SEK 900": no decimals when they are zero, a dash for None, else unchanged."""
    parts = _split_money(value, currency)
    if isinstance(parts, str):
        return parts
    amount, symbol = parts
    return f"{'−' if amount < 0 else ''}{symbol}{abs(amount):,.{_count_decimals(amount)}f}"


def localize_money(value: Decimal | float | str | None, currency: str = "") -> str:
    """The same for a page: "1.250.000 €" in German."""
    parts = _split_money(value, currency)
    if isinstance(parts, str):
        return parts
    amount, symbol = parts
    words = {"symbol": symbol, "amount": number_format(abs(amount), _count_decimals(amount), force_grouping=True)}
    text = pgettext("money", "%(symbol)s%(amount)s") % words if symbol else words["amount"]
    return f"{'−' if amount < 0 else ''}{text.strip()}"


def _split_money(value: Decimal | float | str | None, currency: str) -> tuple[Decimal, str] | str:
    if value is None or value == "":
        return NOTHING
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        return str(value)
    code = (currency or "").strip().upper()
    return amount, SYMBOLS.get(code, f"{code}\u00a0" if code else "")


def _count_decimals(amount: Decimal) -> int:
    return 0 if amount == amount.to_integral_value() else 2


def format_size(size: float | None) -> str:
    """Bytes in powers of 1,000: "612 bytes", "24 kB", "1.2 MB"; a dash for None."""
    if size is None:
        return NOTHING
    if abs(size) < 1000:
        return ngettext("%(count)s byte", "%(count)s bytes", int(size)) % {"count": int(size)}
    amount = float(size)
    for unit in ("kB", "MB", "GB", "TB"):
        amount /= 1000
        if abs(amount) < 999.95 or unit == "TB":
            break
    decimals = 0 if abs(amount) >= 10 else 1
    return f"{number_format(Decimal(f'{amount:.{decimals}f}'), decimals)}\u00a0{unit}"


def format_count(count: int | None, noun: str) -> str:
    """`noun` is "file" or "reply,replies" (`entities.names`): "1 file", "1,204 files", "no replies"."""
    singular, _, plural = noun.partition(",")
    plural = plural or f"{singular}s"
    things = find_kind_name(singular if count == 1 else plural) or ngettext(singular, plural, count or 0)
    if not count:
        return gettext("no %(things)s") % {"things": things}
    return f"{number_format(count, force_grouping=True)} {things}"


def format_relative(moment: datetime | date, now: datetime | None = None) -> str:
    """How long ago (or until), in the largest fitting unit; a date past a week. A date without time counts in days."""
    now = now or timezone.now()
    if not isinstance(moment, datetime):
        days = (moment - timezone.localdate(now)).days
        near = {0: gettext("today"), 1: gettext("tomorrow"), -1: gettext("yesterday")}.get(days)
        if near:
            return near
        return _format_distance("day", abs(days), past=days < 0) if abs(days) < 7 else format_day(moment, now)
    if timezone.is_naive(moment):
        moment = timezone.make_aware(moment)
    seconds = (now - moment).total_seconds()
    distance = abs(seconds)
    if distance < 45:
        return gettext("just now") if seconds >= 0 else gettext("in a moment")
    for limit, length, unit in ((2700, 60, "min"), (79200, 3600, "h"), (561600, 86400, "day")):
        if distance < limit:
            return _format_distance(unit, max(1, round(distance / length)), past=seconds > 0)
    return format_day(timezone.localtime(moment).date(), now)


def _format_distance(unit: str, count: int, *, past: bool) -> str:
    if unit == "min":
        words = gettext("%(count)s min ago") if past else gettext("in %(count)s min")
    elif unit == "h":
        words = gettext("%(count)s h ago") if past else gettext("in %(count)s h")
    elif past:
        words = ngettext("%(count)s day ago", "%(count)s days ago", count)
    else:
        words = ngettext("in %(count)s day", "in %(count)s days", count)
    return words % {"count": count}


def format_day(day: date, now: datetime | None = None) -> str:
    """ "12 May", with the year when it is not this one."""
    this_year = timezone.localdate(now or timezone.now()).year
    return format_date(day, pgettext("date", "j M")) if day.year == this_year else format_full_day(day)


def format_full_day(day: date) -> str:
    """ "12 May 2025" in the reader's time zone."""
    return format_date(_convert_to_local(day), pgettext("date", "j M Y"))


def format_long_day(day: date) -> str:
    """ "12 December 2025" in the reader's time zone."""
    return format_date(_convert_to_local(day), pgettext("date", "j F Y"))


def format_day_of_month(moment: datetime) -> str:
    """ "12 May" in the reader's time zone."""
    return format_date(_convert_to_local(moment), pgettext("date", "j F"))


def format_moment(moment: datetime) -> str:
    """ "12 May 2025, 14:03" in the reader's time zone."""
    return format_date(_convert_to_local(moment), pgettext("date", "j F Y, H:i"))


def format_exact(moment: datetime | date) -> str:
    """ "Mon 12 May 2025, 14:03 UTC"; without the time for a date."""
    if not isinstance(moment, datetime):
        return format_date(moment, pgettext("date", "D j M Y"))
    return format_date(_convert_to_local(moment), pgettext("date", "D j M Y, H:i T"))


def _convert_to_local(moment: date) -> date:
    if not isinstance(moment, datetime):
        return moment
    return timezone.localtime(timezone.make_aware(moment) if timezone.is_naive(moment) else moment)
