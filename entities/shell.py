"""What the frame around every page shows (templates/base.html): a context processor puts one `Shell` in as `shell`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext


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
    creates: Sequence[NavLink] = ()  # records that the caller may add
    roles: Sequence[str] = ()
    cleared_for: Sequence[Any] = ()  # LabelChip or Classification
    home_url: str = "/"
    search_url: str = ""
    chat_url: str = ""
    conversations_url: str = ""
    suggest_url: str = ""  # answers components/suggestions.html
    jobs_url: str = ""  # answers components/jobs_indicator.html
    desk_url: str = ""
    ask_url: str = ""  # asks a steward to be cleared
    requests_url: str = ""
    notices_url: str = ""
    notices_waiting_url: str = ""  # answers ingestion/notices_waiting.html
    requests_waiting_url: str = ""  # answers ingestion/access_requests_waiting.html
    desk_waiting_url: str = ""  # answers ingestion/desk_waiting.html
    admin_url: str = ""
    people_url: str = ""
    model_url: str = ""
    encoder_url: str = ""
    resting_url: str = ""
    exposure_url: str = ""
    evaluation_url: str = ""
    quarantine_url: str = ""
    bin_url: str = ""
    tokens_url: str = ""
    workspace_url: str = ""
    sign_in_url: str = ""
    sign_out_url: str = ""
    view_as: str = ""
    view_as_end_url: str = ""
    own_time_zone: bool = False

    @property
    def commands(self) -> list[NavLink]:
        """What the palette offers (templates/components/palette.html)."""
        places = [
            NavLink(gettext("Home"), self.home_url if self.workspace else "", "activity"),
            *self.nav,
            NavLink(gettext("Conversations"), self.conversations_url, "messages"),
            NavLink(gettext("Notifications"), self.notices_url, "bell"),
            NavLink(gettext("Requests for access"), self.requests_url, "key"),
            NavLink(gettext("Classification desk"), self.desk_url, "checklist"),
            NavLink(gettext("People and roles"), self.people_url, "users"),
            NavLink(gettext("Model"), self.model_url, "plug"),
            NavLink(gettext("New text"), self.resting_url, "lock"),
            NavLink(gettext("Exposure"), self.exposure_url, "eye"),
            NavLink(gettext("Search by meaning"), self.encoder_url, "search"),
            NavLink(gettext("Administration"), self.admin_url, "settings"),
            NavLink(gettext("Evaluation"), self.evaluation_url, "chart-line"),
            NavLink(gettext("Quarantine"), self.quarantine_url, "shield-off"),
            NavLink(gettext("Bin"), self.bin_url, "trash"),
            NavLink(gettext("API tokens"), self.tokens_url, "key"),
            NavLink(gettext("Workspace"), self.workspace_url, "settings"),
        ]
        others = [
            NavLink(gettext("Switch to %(name)s") % {"name": w.name}, w.url, "selector")
            for w in self.workspaces
            if not w.current
        ]
        return [*self.creates, *(place for place in places if place.url), *others]
