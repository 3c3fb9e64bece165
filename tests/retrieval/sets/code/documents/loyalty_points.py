"""Loyalty points: earning, spending and expiry."""
from dataclasses import dataclass, field
from datetime import date, timedelta

CENTS_PER_POINT = 200           # one point for every two crowns spent
POINT_VALUE_CENTS = 5           # what a point is worth when it is spent
SMALLEST_REDEMPTION = 300       # points
HIGHEST_SHARE = 0.5             # of a basket that may be paid with points
LIFE = timedelta(days=730)
WELCOME_POINTS = 75

# Yearly turnover in cents from which a level is reached, and its multiplier.
LEVELS = [
    ("birch", 0, 1.0),
    ("maple", 500_000, 1.25),
    ("oak", 1_500_000, 1.6),
]


@dataclass
class Entry:
    earned_on: date
    points: int


@dataclass
class Account:
    customer_id: int
    entries: list = field(default_factory=list)


def level_of(turnover_cents):
    name, multiplier = LEVELS[0][0], LEVELS[0][2]
    for level, threshold, factor in LEVELS:
        if turnover_cents >= threshold:
            name, multiplier = level, factor
    return name, multiplier


def earn(account, basket_cents, turnover_cents, today):
    """Book the points of one purchase; fractions are dropped.

    Shipping and gift cards earn nothing and must not be part of the basket.
    """
    _, multiplier = level_of(turnover_cents)
    points = int(basket_cents / CENTS_PER_POINT * multiplier)
    if points:
        account.entries.append(Entry(today, points))
    return points


def balance(account, today):
    return sum(e.points for e in account.entries if e.earned_on + LIFE >= today)


def spend(account, wanted, basket_cents, today):
    """Spend points, oldest first.  Returns the discount in cents."""
    if wanted < SMALLEST_REDEMPTION:
        raise ValueError("too few points")
    most = int(basket_cents * HIGHEST_SHARE) // POINT_VALUE_CENTS
    points = min(wanted, most, balance(account, today))
    left = points
    for entry in sorted(account.entries, key=lambda e: e.earned_on):
        if entry.earned_on + LIFE < today:
            continue
        used = min(entry.points, left)
        entry.points -= used
        left -= used
        if not left:
            break
    return points * POINT_VALUE_CENTS


def undo_return(account, points):
    """Take back the points of returned goods; the balance may become negative."""
    account.entries.append(Entry(date.today(), -points))
