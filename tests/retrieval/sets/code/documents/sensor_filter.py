"""Clean the readings of the greenhouse sensors before they are stored.

Three steps: throw away impossible values, throw away single spikes with a
running median, and store only values that have changed noticeably.
"""
from collections import deque
from statistics import median

# name: (lowest, highest, smallest change worth storing)
LIMITS = {
    "air_temperature": (-30.0, 65.0, 0.2),      # degrees Celsius
    "soil_moisture": (0.0, 100.0, 1.0),         # percent
    "light": (0.0, 130000.0, 250.0),            # lux
    "co2": (250.0, 5000.0, 15.0),               # ppm
}

WINDOW = 7                  # readings in the running median
SPIKE_FACTOR = 4.0
SILENCE_LIMIT = 1800        # store at least one value in this many seconds
FAULTY_AFTER = 12           # impossible values in a row until an alarm


class Channel:
    """State of one sensor."""

    def __init__(self, kind):
        self.low, self.high, self.step = LIMITS[kind]
        self.recent = deque(maxlen=WINDOW)
        self.stored = None
        self.stored_at = None
        self.bad_in_row = 0

    @property
    def faulty(self):
        return self.bad_in_row >= FAULTY_AFTER

    def accept(self, value, moment):
        """Return the value to be stored, or None."""
        if value is None or not self.low <= value <= self.high:
            self.bad_in_row += 1
            return None
        self.bad_in_row = 0
        spike = self._is_spike(value)
        self.recent.append(value)
        if spike:
            return None
        smooth = median(self.recent)
        if self.stored is not None:
            changed = abs(smooth - self.stored) >= self.step
            silent = moment - self.stored_at >= SILENCE_LIMIT
            if not changed and not silent:
                return None
        self.stored, self.stored_at = smooth, moment
        return smooth

    def _is_spike(self, value):
        """A spike is far from the median, measured by the usual deviation.

        With fewer than four readings nothing is called a spike.
        """
        if len(self.recent) < 4:
            return False
        middle = median(self.recent)
        usual = median(abs(r - middle) for r in self.recent) or self.step
        return abs(value - middle) > SPIKE_FACTOR * usual


def battery_percent(volts):
    """Rough state of the two AA cells; 3.1 V is full and 2.2 V is empty."""
    share = (volts - 2.2) / (3.1 - 2.2)
    return round(100 * min(max(share, 0.0), 1.0))
