"""How somebody who has an account joins a workspace: by a code that they alone can show (docs/access.md).

Its administrator enters the code. So nobody becomes a member of anything without having wanted to, and an administrator
cannot find out by typing names which accounts the installation has.
"""

from django.core.signing import BadSignature, TimestampSigner

from entities.models import User

LIFE = 86_400
"""Seconds for which a code is good."""
SIGNER = TimestampSigner(salt="clearance.joining")


def code_of(user: User) -> str:
    return SIGNER.sign(str(user.pk))


def user_of_code(code: str) -> User | None:
    """The active user who was shown `code` within the last day."""
    try:
        return User.objects.filter(pk=int(SIGNER.unsign(code.strip(), max_age=LIFE)), is_active=True).first()
    except (BadSignature, ValueError):
        return None


def account_name(name: str, slug: str) -> str:
    """The user name of an account that a workspace makes: under its slug, where no other workspace's accounts are."""
    name = name.strip()
    return name if name.endswith(f"@{slug}") else f"{name}@{slug}"
