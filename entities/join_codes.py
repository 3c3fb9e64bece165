"""How somebody who has an account joins a workspace: by a code that they alone can show (docs/access.md).

Its administrator enters the code. So nobody becomes a member of anything without having wanted to, and an administrator
cannot find out by typing names which accounts the installation has. A code is for one workspace and good for a day and
once: it carries the account's `join_epoch`, which its use raises.
"""

from django.core.signing import BadSignature, TimestampSigner
from django.db.models import F

from entities.models import User

LIFE = 86_400
"""Seconds for which a code is good."""
SIGNER = TimestampSigner(salt="clearance.joining")


def build_code(user: User, slug: str) -> str:
    return SIGNER.sign(f"{user.pk}:{slug}:{user.join_epoch}")


def find_user_by_code(code: str, slug: str) -> User | None:
    """The active user who was shown `code` for the workspace `slug` within the last day, if it still holds."""
    try:
        key, named, epoch = SIGNER.unsign(code.strip(), max_age=LIFE).split(":")
        if named != slug:
            return None
        return User.objects.filter(pk=int(key), join_epoch=int(epoch), is_active=True).first()
    except (BadSignature, ValueError):
        return None


def end_codes(user: User) -> bool:
    """End every code that `user` was shown. False when another request did it since `user` was read."""
    mine = User.objects.filter(pk=user.pk, join_epoch=user.join_epoch)
    return mine.update(join_epoch=F("join_epoch") + 1) == 1


def build_account_name(name: str, slug: str) -> str:
    """The user name of an account that a workspace makes: under its slug, where no other workspace's accounts are."""
    name = name.strip()
    return name if name.endswith(f"@{slug}") else f"{name}@{slug}"
