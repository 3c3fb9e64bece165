"""A least recently used cache with a limit in bytes and an age limit.

The cache of the standard library counts entries.  Our map tiles differ in
size by a factor of a thousand, so this one counts bytes.
"""
import threading
import time
from collections import OrderedDict

DEFAULT_BYTES = 64 * 1024 * 1024
DEFAULT_AGE = 600.0     # seconds

# An entry larger than this share of the whole cache is never stored, since
# it would push out nearly everything else.
LARGEST_SHARE = 0.25


class TileCache:
    def __init__(self, max_bytes=DEFAULT_BYTES, max_age=DEFAULT_AGE, clock=time.monotonic):
        self.max_bytes = max_bytes
        self.max_age = max_age
        self.clock = clock
        self.used = 0
        self.hits = 0
        self.misses = 0
        self._entries = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key):
        """Return the bytes, or None when unknown or too old."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                self.misses += 1
                return None
            data, stamp = entry
            if self.clock() - stamp > self.max_age:
                self._drop(key)
                self.misses += 1
                return None
            self._entries.move_to_end(key)
            self.hits += 1
            return data

    def put(self, key, data):
        """Store the bytes.  Returns False when they are too large."""
        if len(data) > self.max_bytes * LARGEST_SHARE:
            return False
        with self._lock:
            if key in self._entries:
                self._drop(key)
            self._entries[key] = (data, self.clock())
            self.used += len(data)
            while self.used > self.max_bytes:
                oldest = next(iter(self._entries))
                self._drop(oldest)
        return True

    def _drop(self, key):
        data, _ = self._entries.pop(key)
        self.used -= len(data)

    def hit_rate(self):
        """Share of hits; 0.0 before the first question."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else 0.0
