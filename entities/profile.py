"""One's own profile: name, e-mail, and the language and time zone in which pages are shown."""

from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from entities.access import SIGNED_IN, requires
from entities.models import User
from entities.text import validate_one_line

AREAS = ("Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")


class ProfileForm(forms.Form):
    """What others see of a person, and how pages speak to them."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=150,
        required=False,
        validators=[validate_one_line],
        help_text=gettext_lazy("Shown to others. If it is empty, they see your user name."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    email = forms.EmailField(
        label=gettext_lazy("E-mail"),
        max_length=254,
        required=False,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    language = forms.ChoiceField(label=gettext_lazy("Language"), required=False)
    time_zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"),
        required=False,
        help_text=gettext_lazy("Used for all dates and times."),
    )

    mail_digest = forms.BooleanField(
        label=gettext_lazy("Tell me by e-mail when there are notifications"),
        required=False,
        help_text=gettext_lazy("At most once a day. The e-mail says how many there are, not what they are about."),
    )

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        if not settings.EMAIL_HOST:
            del self.fields["mail_digest"]
        installation = gettext("Same as the installation (%(zone)s)") % {"zone": settings.TIME_ZONE}
        self.fields["language"].choices = [("", gettext("Same as the browser")), *settings.LANGUAGES]  # type: ignore[attr-defined]
        self.fields["time_zone"].choices = [("", installation), *((zone, zone) for zone in list_time_zones())]  # type: ignore[attr-defined]


def list_time_zones() -> list[str]:
    """Names of places, without the historical aliases."""
    return ["UTC", *sorted(zone for zone in available_timezones() if zone.partition("/")[0] in AREAS)]


@requires(SIGNED_IN)
@never_cache
@require_http_methods(["GET", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    user = User.objects.get(username=request.user.get_username())
    now = {name: getattr(user, name) for name in ("email", "language", "time_zone", "mail_digest")}
    now["name"] = user.get_full_name()
    form = ProfileForm(request.POST if request.method == "POST" else None, initial=now)
    if form.is_valid():
        change_profile(user=user, **form.cleaned_data)
        with translation.override(user.language or translation.get_language()):
            messages.success(request, gettext("Your profile is saved."))
        return redirect("/account/profile/")
    return render(request, "registration/profile.html", {"form": form}, status=422 if form.is_bound else 200)


def change_profile(
    *, user: User, name: str, email: str, language: str, time_zone: str, mail_digest: bool | None = None
) -> None:
    """Needs no scope open. A name that is what it was stays in its two parts. mail_digest: None leaves it."""
    if name != user.get_full_name():
        user.first_name, user.last_name = name, ""
    user.email, user.language, user.time_zone = email, language, time_zone
    user.mail_digest = user.mail_digest if mail_digest is None else mail_digest
    user.save(update_fields=["first_name", "last_name", "email", "language", "time_zone", "mail_digest"])
