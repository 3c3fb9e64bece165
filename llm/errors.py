"""What can go wrong with a call to a model. Messages are for people and never hold text of prompts or answers.

They are raised `from None`: the SDK's errors quote the server, and a server may quote the request.
"""


class ModelError(Exception):
    """Base of all errors of this app."""


class ModelUnavailable(ModelError):
    """The model gave no answer: overloaded, unreachable, refused the request.

    retryable: the same call may succeed later (rate limit, overload, connection). status: HTTP status, 0 when none
    came.
    """

    def __init__(self, message: str, *, retryable: bool, status: int = 0) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.status = status


class ModelInterrupted(ModelError):
    """The answer broke off before its end. Worth another try; nothing of it may be used as if it were whole."""


class BudgetExceeded(ModelError):
    """The workspace has spent its month's budget; the call was not made."""


class CalledInsideScope(ModelError):
    """A model was called with a scope open: the transaction and its connection would wait for the model."""
