"""How the bytes of an upload reach the disk before a view has them."""

from typing import Any

from django.core.files.uploadhandler import TemporaryFileUploadHandler


class UploadHandler(TemporaryFileUploadHandler):
    """Streams an upload into a temporary file. Django's own handler names that file by the extension of the upload,
    and a name whose last dot stands before 250 letters gives one that no file system takes.
    """

    def new_file(self, field_name: str, file_name: str, *arguments: Any, **options: Any) -> None:
        super().new_file(field_name, "upload", *arguments, **options)
        self.file_name = self.file.name = file_name
