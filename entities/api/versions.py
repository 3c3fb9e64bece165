"""Which version a change over the API is about: `ETag` on what is read, `If-Match` on what is written."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.http import parse_etags
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from entities.api.errors import VersionIsOlder, VersionNeeded
from entities.models import WorkspaceSettings
from entities.versions import list_changed

IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="The `version` that this is about, in quotation marks, as in the ETag. 412 where it is older.",
)


def answer_with_version(data: Mapping[str, Any], status: int = 200) -> Response:
    """`data` with the version in it as its ETag."""
    return Response(data, status=status, headers={"ETag": f'"{data["version"]}"'})


def check_version(request: Request, load: Callable[[], Mapping[str, object]]) -> None:
    """load: holds what is about to be written and gives what its version stands for now.

    Raises: VersionIsOlder where the request names another version, VersionNeeded where it names none and must.
    """
    sent = request.headers.get("If-Match")
    if sent is None:
        return refuse_if_needed()
    if sent.strip() == "*":
        return
    values = load()
    # A weak one is a version too: what stands between may have weakened it.
    changed = [list_changed(tag.removeprefix("W/").strip('"'), values) for tag in parse_etags(sent)]
    if all(changed):  # also where there is none: then nothing was named that could be read
        raise VersionIsOlder(_drop_inner(changed[0]) if changed else ())


def refuse_if_needed() -> None:
    """Of a change that names no version. Raises: VersionNeeded where the workspace demands one."""
    if WorkspaceSettings.objects.filter(needs_versions=True).exists():
        raise VersionNeeded


def _drop_inner(names: list[str]) -> list[str]:
    return list(dict.fromkeys(name.partition(" ")[0] for name in names))
