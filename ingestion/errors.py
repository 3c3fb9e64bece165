"""Uploads and relabellings that are refused, each with a sentence that its maker can act on."""

from rest_framework import exceptions, status


class BadUpload(exceptions.APIException):
    """422: the file, its collection or its labels cannot be taken as they are."""

    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY
    default_code = "unprocessable"

    def __init__(self, detail: str, code: str = "unprocessable") -> None:
        super().__init__(detail, code)
        self.default_code = code
