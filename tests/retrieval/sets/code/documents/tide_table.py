"""Tide tables for small harbours.

The height of the water is the sum of harmonic constituents.  Only the five
strongest constituents are used; that is good to about 15 cm in the harbours
we serve and is not meant for navigation.
"""
import math
from datetime import datetime, timedelta, timezone

# Speed in degrees per hour.
SPEEDS = {
    "M2": 28.9841042,
    "S2": 30.0,
    "N2": 28.4397295,
    "K1": 15.0410686,
    "O1": 13.9430356,
}

EPOCH = datetime(2000, 1, 1, tzinfo=timezone.utc)

# harbour -> (mean level in metres above chart datum, {name: (amplitude m, phase deg)})
HARBOURS = {
    "Skerrin": (2.85, {"M2": (1.62, 118.0), "S2": (0.55, 161.0), "N2": (0.31, 97.0),
                       "K1": (0.09, 41.0), "O1": (0.07, 350.0)}),
    "Ostwick": (3.40, {"M2": (2.04, 186.0), "S2": (0.69, 231.0), "N2": (0.40, 163.0),
                       "K1": (0.11, 273.0), "O1": (0.12, 112.0)}),
}

STEP = timedelta(minutes=6)
ALMANAC_DAYS = 31


def height(harbour, moment):
    """Height of the water in metres above chart datum."""
    mean, parts = HARBOURS[harbour]
    hours = (moment - EPOCH).total_seconds() / 3600
    total = mean
    for name, (amplitude, phase) in parts.items():
        total += amplitude * math.cos(math.radians(SPEEDS[name] * hours - phase))
    return total


def extremes(harbour, start, days=ALMANAC_DAYS):
    """Yield (moment, height, 'high' or 'low') by walking in steps."""
    end = start + timedelta(days=days)
    before, here = height(harbour, start - STEP), height(harbour, start)
    moment = start
    while moment < end:
        after = height(harbour, moment + STEP)
        if here >= before and here > after:
            yield moment, round(here, 2), "high"
        elif here <= before and here < after:
            yield moment, round(here, 2), "low"
        before, here = here, after
        moment += STEP


def safe_window(harbour, start, draught, clearance=0.4):
    """First moment within 24 hours at which a boat of this draught may enter.

    The clearance is the water that must remain below the keel, in metres.
    Returns None when there is no such moment.
    """
    moment = start
    while moment < start + timedelta(hours=24):
        if height(harbour, moment) >= draught + clearance:
            return moment
        moment += STEP
    return None
