"""E-mails that say that there are notifications, at most one a day to a member, where a mail server is set.

They hold how many there are and of which kind: no name and no text, because an e-mail stays when a clearance has ended.
"""

import logging
from collections import Counter
from datetime import timedelta

from django.conf import settings
from django.core.mail import send_mail
from django.db.models import Q
from django.utils import timezone, translation
from django.utils.translation import gettext, ngettext

from entities.access import NoWorkspace, Scope
from entities.models import Membership, User, Workspace
from ingestion.notices import list_new

logger = logging.getLogger(__name__)

APART = timedelta(hours=23)


def send_digests(workspace: Workspace) -> int:
    """How many were sent. Needs no scope open. Who was told of something is told again when there is more."""
    due = Q(notices_mailed_at=None) | Q(notices_mailed_at__lt=timezone.now() - APART)
    with Scope.for_service(workspace.pk).open():
        members = Membership.objects.filter(due, user__is_active=True, user__mail_digest=True).exclude(user__email="")
        users = [membership.user for membership in members.select_related("user")]
    return sum(_try_digest(workspace, user) for user in users)


def _try_digest(workspace: Workspace, user: User) -> bool:
    """Whether one was sent. What goes wrong for one member ends nothing for the others."""
    try:
        return _send_digest(workspace, user)
    except NoWorkspace:
        return False
    except Exception:
        logger.exception("the digest of member %s was not sent", user.pk)
        return False


def _send_digest(workspace: Workspace, user: User) -> bool:
    """Marked before it is sent, so that another worker does not send it too. Raises: what sending raises; then the
    mark is taken back, and the next sweep tries again.
    """
    scope, at = Scope.for_user(user, workspace.slug), timezone.now()
    mine = Membership.objects.filter(user=user)
    with scope.open():
        mailed = mine.values_list("notices_mailed_at", flat=True).get()
        kinds = Counter(notice.kind for notice in list_new(scope) if mailed is None or notice.at > mailed)
        if not kinds or not mine.filter(notices_mailed_at=mailed).update(notices_mailed_at=at):
            return False
    try:
        with translation.override(user.language or settings.LANGUAGE_CODE):
            subject = gettext("News in %(workspace)s") % {"workspace": workspace.name}
            lines = [*say_counts(kinds), "", gettext("Sign in and open Notifications to read more.")]
            lines += [_build_address(workspace), "", gettext("You can turn these e-mails off in your profile.")]
            send_mail(subject, "\n".join(lines), None, [user.email])
    except Exception:
        with scope.open():
            mine.filter(notices_mailed_at=at).update(notices_mailed_at=mailed)
        raise
    return True


def say_counts(kinds: Counter[str]) -> list[str]:
    sentences = {
        "waiting": ngettext("%(n)s request waits for you.", "%(n)s requests wait for you.", kinds["waiting"]),
        "decided": ngettext(
            "%(n)s of your requests was decided.", "%(n)s of your requests were decided.", kinds["decided"]
        ),
        "shared": ngettext("%(n)s record was shared with you.", "%(n)s records were shared with you.", kinds["shared"]),
        "joined": ngettext(
            "You were added to %(n)s role or group.", "You were added to %(n)s roles or groups.", kinds["joined"]
        ),
        "ready": ngettext("%(n)s of your files is ready.", "%(n)s of your files are ready.", kinds["ready"]),
        "failed": ngettext(
            "%(n)s of your files could not be read.", "%(n)s of your files could not be read.", kinds["failed"]
        ),
    }
    return [sentence % {"n": kinds[kind]} for kind, sentence in sentences.items() if kinds[kind]]


def _build_address(workspace: Workspace) -> str:
    """Of the page, under the first name that the installation answers to."""
    scheme = "https" if settings.CLEARANCE_HTTPS else "http"
    host = next(iter(settings.ALLOWED_HOSTS), "localhost").lstrip(".*")
    port = "" if settings.CLEARANCE_HTTPS else f":{settings.CLEARANCE_PORT}"
    return f"{scheme}://{host or 'localhost'}{port}/w/{workspace.slug}/notifications/"
