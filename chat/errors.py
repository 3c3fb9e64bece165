"""Questions and conversations that are refused, each with a sentence for whoever asks."""


class Busy(Exception):
    """The session is still answering; one question at a time."""


class TooMany(Exception):
    """The asker has asked too much at once, or too fast; the sentence is for them."""


class BadMessage(ValueError):
    """What was sent cannot be asked; the sentence is for the asker."""


class BadReaders(BadMessage):
    """Readers were chosen whom the caller cannot choose."""
