"""The context processor that fills the frame of every page (`entities.shell.Shell`)."""

from typing import Any

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext

from entities.access import Scope, can_create, has_open_scope, list_workspaces, load_granted_atoms
from entities.access.objects import load_roles
from entities.api.lists import list_atom_chips
from entities.language import translate_stored
from entities.middleware import WORKSPACE_URLS
from entities.models import Entity
from entities.registry import get_content_type_id, list_kinds
from entities.shell import NavLink, Shell


def shell(request: HttpRequest) -> dict[str, Any]:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    mine = [NavLink(name, f"/w/{slug}/") for slug, name in list_workspaces(user)]  # type: ignore[arg-type]
    basics = {
        "user_id": user.pk,
        "user_name": str(user),
        "sign_in_url": "/sign-in/",
        "sign_out_url": "/sign-out/",
        "own_time_zone": bool(user.time_zone),
    }
    scope = getattr(request, "access_scope", None)
    if scope is None or not has_open_scope() or getattr(request, "urlconf", None) != WORKSPACE_URLS:
        # The API's own pages too, whoever asks for them: outside `/w/…/` there are no addresses of a workspace.
        return {"shell": Shell(**basics, workspaces=mine)}
    here = next((link for link in mine if link.url == f"/w/{scope.slug}/"), None)
    if here is None:  # the membership has ended since the scope was opened
        return {"shell": Shell(**basics, workspaces=mine)}
    nav = [
        NavLink(
            translate_stored(model.plural_title),
            reverse("entities:list", args=[name]),
            model.rag().icon,
            request.path_info.startswith(f"/records/{name}/"),
        )
        for name, model in list_kinds().items()
        if is_of_interest(scope, model)
    ]
    held = load_roles(scope.principal)
    return {
        "shell": Shell(
            **basics,
            workspace=here,
            workspaces=[NavLink(w.name, w.url, current=w is here) for w in mine],
            nav=nav,
            creates=[
                NavLink(
                    gettext("New %(kind)s") % {"kind": translate_stored(model.singular_title)},
                    reverse("entities:create", args=[name]),
                    "plus",
                )
                for name, model in list_kinds().items()
                if can_create(scope, model)
            ],
            roles=sorted(held.names),
            cleared_for=list_atom_chips({0, *load_granted_atoms()}),
            home_url=reverse("entities:home"),
            search_url=find_address("retrieval:search"),
            chat_url=find_address("chat:new"),
            conversations_url=find_address("chat:conversations"),
            suggest_url=find_address("retrieval:suggest"),
            jobs_url=find_address("ingestion:jobs"),
            ask_url=find_address("ingestion:access_ask"),
            notices_url=find_address("ingestion:notices"),
            notices_waiting_url=find_address("ingestion:notices_waiting"),
            requests_url=find_address("ingestion:access_requests"),
            requests_waiting_url=find_address("ingestion:access_requests_waiting"),
            bin_url=find_address("ingestion:bin"),
            tokens_url=find_address("entities:tokens"),
            workspace_url=find_address("entities:workspace") if held.is_admin else "",
            desk_url=find_address("ingestion:desk") if held.is_steward else "",
            desk_waiting_url=find_address("ingestion:desk_waiting") if held.is_steward else "",
            admin_url=find_address("admin:index") if held.is_admin else "",
            people_url=find_address("entities:people") if held.is_admin else "",
            model_url=find_address("llm:model") if held.is_admin else "",
            encoder_url=find_address("ingestion:encoder") if held.is_admin else "",
            resting_url=find_address("ingestion:resting") if held.is_admin or held.is_steward else "",
            exposure_url=find_address("ingestion:exposure") if held.is_admin or held.is_steward else "",
            evaluation_url=find_address("retrieval:evaluation") if held.is_admin else "",
            quarantine_url=find_address("ingestion:quarantine") if held.is_steward else "",
        )
    }


def is_of_interest(scope: Scope, model: type[Entity]) -> bool:
    """Whether the menu names a type: not where every record is somebody else's and the caller may add none."""
    if model.access().default == "workspace" or can_create(scope, model):
        return True
    return Entity.objects.visible_to(scope).filter(content_type=get_content_type_id(model)).exists()


def find_address(name: str) -> str:
    """The address of an upper app's page, or nothing where that app has none."""
    try:
        return reverse(name)
    except NoReverseMatch:
        return ""
