"""What the frame around every page shows (templates/base.html): a context processor puts one `Shell` in as `shell`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class NavLink:
    name: str
    url: str
    icon: str = ""
    current: bool = False


@dataclass(frozen=True)
class LabelChip:
    """An atom of a classification as chips show it; `Classification` rows have the same attributes and serve too."""

    value: int
    label: str
    icon: str = "tag"
    color: str = "slate"


@dataclass(frozen=True)
class Shell:
    """Every part with an empty URL or an empty list is left out of the page."""

    user_id: int
    user_name: str
    workspace: NavLink | None = None
    workspaces: Sequence[NavLink] = ()
    nav: Sequence[NavLink] = ()
    roles: Sequence[str] = ()
    cleared_for: Sequence[Any] = ()  # LabelChip or Classification
    home_url: str = "/"
    search_url: str = ""
    suggest_url: str = ""  # answers components/suggestions.html
    jobs_url: str = ""  # answers components/jobs_indicator.html
    desk_url: str = ""
    ask_url: str = ""  # asks a steward to be cleared
    requests_url: str = ""
    requests_waiting_url: str = ""  # answers ingestion/access_requests_waiting.html
    desk_waiting_url: str = ""  # answers ingestion/desk_waiting.html
    admin_url: str = ""
    people_url: str = ""
    model_url: str = ""
    evaluation_url: str = ""
    quarantine_url: str = ""
    sign_in_url: str = ""
    sign_out_url: str = ""
    view_as: str = ""
    view_as_end_url: str = ""
