"""The sign-in page. On a loopback address with the demo workspace it says who may be tried."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from entities.access import SIGNED_IN, requires
from entities.actions import SEEDED
from entities.attempts import begin_attempt, get_wait
from entities.devices import remember_device
from entities.models import User, Workspace
from entities.network import LOOPBACK, is_public
from entities.passwords import TooManyHashes
from entities.shell import LabelChip

DEMO_SLUG = "demo"
DEMO_PASSWORD = "demo"  # noqa: S105  public by intention
DEMO = {
    "admin": range(7),
    "hr": (0, 3),
    "cfo": (0, 5),
    "staff": (0, 1),
    "viewer": (0,),
    "steward": range(7),
}


@dataclass(frozen=True)
class DemoUser:
    name: str
    labels: tuple[LabelChip, ...]

    @property
    def has_all(self) -> bool:
        return len(self.labels) == len(SEEDED)


class SlowForm(AuthenticationForm):
    """Django's form, which looks at no password while one has to wait."""

    def clean(self) -> dict[str, Any]:
        name, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if not name or not password:
            return self.cleaned_data
        assert self.request is not None
        attempt = begin_attempt(self.request, name)
        try:
            cleaned = super().clean()
        except TooManyHashes:
            attempt.withdraw()
            raise
        attempt.forgive()
        return cleaned


class SignIn(LoginView):
    redirect_authenticated_user = True
    authentication_form = SlowForm

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return redirect("/begin/") if not User.objects.exists() else super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        remember_device(self.request, response, form.get_user())  # type: ignore[arg-type]
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_invalid(form)
        if seconds := get_wait(form):
            response.status_code = 429
            response["Retry-After"] = str(seconds)
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        return {**context, "demo_users": list_demo_users(), "begin_url": "/begin/" if is_unclaimed() else ""}


@requires(SIGNED_IN)
@require_POST
def become(request: HttpRequest) -> HttpResponse:
    """Go on as another person of the demo, whose password everybody knows. Raises: Http404 for anybody else."""
    people = {person.name for person in list_demo_users()}
    name = request.POST.get("name", "")
    user = User.objects.filter(username=name, is_active=True).first()
    if user is None or not {name, request.user.get_username()} <= people or not user.check_password(DEMO_PASSWORD):
        raise Http404("Not found.")
    login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
    return redirect(f"/w/{DEMO_SLUG}/")


def is_unclaimed() -> bool:
    """Whether nobody uses the installation yet but to try the demo."""
    own_users = User.objects.exclude(username__in=DEMO)
    return not own_users.exists() and not Workspace.objects.exclude(slug=DEMO_SLUG).exists()


def can_add_sample() -> bool:
    """Whether a founder may have the demo workspace beside their own: where nobody else can reach the installation, and
    nobody has made the demo their own by another password."""
    admin = User.objects.filter(username="admin").first()
    return not is_public() and (admin is None or admin.check_password(DEMO_PASSWORD))


def list_demo_users() -> list[DemoUser]:
    """The demo's people with what they are cleared for; nobody on a public address or without the demo workspace."""
    if settings.CLEARANCE_BIND not in LOOPBACK or not Workspace.objects.filter(slug=DEMO_SLUG).exists():
        return []
    chips = {value: LabelChip(value, label, icon, color) for value, label, icon, color, _ in SEEDED}
    known = set(User.objects.filter(username__in=DEMO).values_list("username", flat=True))
    return [DemoUser(name, tuple(chips[v] for v in values)) for name, values in DEMO.items() if name in known]
