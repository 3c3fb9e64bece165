"""Files and their text as the API takes and gives them (design §11)."""

from typing import Any, get_args

from django.utils.translation import gettext
from rest_framework import serializers

from entities.api.shapes import VERSION_HELP, Label, Placeholder, Redacted, TextBlock, build_union
from entities.rag import Strategy
from ingestion.names import LONGEST_PATH

STRATEGY_CHOICES = list(get_args(Strategy))


class FileError(serializers.Serializer):
    """Why a file ended badly, or waits. page: of the file, where that is the caller's to know."""

    code = serializers.CharField()
    detail = serializers.CharField()
    page = serializers.IntegerField(required=False)


class FileNote(serializers.Serializer):
    """How the file was read, such as under another type than its name says."""

    code = serializers.CharField()
    detail = serializers.CharField()


class FileMissed(serializers.Serializer):
    """Something in the file that could not be read."""

    code = serializers.CharField()
    detail = serializers.CharField()
    page = serializers.IntegerField(allow_null=True)


class FileSerializer(serializers.Serializer):
    """The file object. name, size and pages are null where they are not the caller's to know. redacted: what a name
    needs, where that may be told. path: where it stood among others, with its name; null where nobody said. origin: the
    file that it came in as an attachment. notes: told to who uploaded it and to stewards. unaccounted: what could not
    be read of it, told to stewards."""

    id = serializers.UUIDField()
    version = serializers.CharField(help_text=VERSION_HELP)
    name = serializers.CharField(allow_null=True)
    path = serializers.CharField(allow_null=True)
    media_type = serializers.CharField()
    size = serializers.IntegerField(allow_null=True)
    state = serializers.ChoiceField(["pending", "processing", "ready", "quarantined", "failed"])
    stage = serializers.CharField()
    progress = serializers.IntegerField()
    error = FileError(allow_null=True)
    pages = serializers.IntegerField(allow_null=True)
    entity = serializers.UUIDField()
    collection = serializers.CharField()
    labels = Label(many=True)
    revision = serializers.IntegerField()
    origin = serializers.UUIDField(allow_null=True)
    strategy = serializers.ChoiceField(STRATEGY_CHOICES)
    redacted = Redacted(many=True)
    notes = FileNote(many=True)
    unaccounted = FileMissed(many=True)


class FileChangeSerializer(serializers.Serializer):
    """strategy: how the file is to be read from now on. again: read it anew also where that is how it is read. folder:
    where it is to stand, "/minutes/2026", or "/" for the top. At least one of strategy and folder is needed.
    """

    strategy = serializers.CharField(required=False)
    again = serializers.BooleanField(default=False)
    folder = serializers.CharField(required=False, max_length=LONGEST_PATH)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs.keys() & {"strategy", "folder"}:
            raise serializers.ValidationError(gettext("Say what is to change: strategy, or folder."))
        return attrs


class UploadSerializer(serializers.Serializer):
    file = serializers.FileField()
    collection = serializers.CharField(required=False)
    labels = serializers.ListField(child=serializers.IntegerField(), required=False)
    path = serializers.CharField(
        required=False, help_text="Where it stood among other files, with its name: links between files follow it."
    )
    strategy = serializers.ChoiceField(STRATEGY_CHOICES, required=False)
    batch = serializers.UUIDField(required=False, help_text="The same for all that is sent together.")
    address = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="Where the root of `path` lives elsewhere, as https://…/tree/main/: links there lead to the files.",
    )
    address_folder = serializers.CharField(required=False, help_text="The folder of `path` that has those addresses.")


class BatchSerializer(serializers.Serializer):
    """What was sent together, as its sender named it."""

    batch = serializers.UUIDField()


class BatchRetriedSerializer(serializers.Serializer):
    """retried: how many files are worked on again; none of a batch that is not the caller's."""

    retried = serializers.IntegerField()


class FileText(TextBlock):
    """A paragraph of a file. page: from 1, null where the format has none. section: the headings above it. read_by: who
    read it, only of text that was read off a picture. granted_until: only of text that the caller was granted without
    its labels, when that ends; null for never. judged: false where nobody knows the label, and it rests."""

    page = serializers.IntegerField(allow_null=True)
    section = serializers.CharField()
    read_by = serializers.ChoiceField(["ocr", "vision"], required=False)
    granted_until = serializers.DateTimeField(required=False, allow_null=True)
    judged = serializers.BooleanField(required=False)


class FilePlaceholder(Placeholder):
    """A run of paragraphs that need more clearance. run: its number in the file, with which a steward can be asked."""

    page = serializers.IntegerField(allow_null=True)
    run = serializers.IntegerField()


class ReaderSerializer(serializers.Serializer):
    notice = serializers.CharField()
    blocks = serializers.ListField(child=build_union("FileBlock", FileText, FilePlaceholder))
