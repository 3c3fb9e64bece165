"""The page on which an installation is begun: who founds it, what the workspace is called, and what it is for.

It is open until the installation has a user or a workspace of its own; the demo's do not count. Where people on other
machines may reach the installation, the page asks for the code that `make up` printed.
"""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.text import slugify
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from entities.access import PUBLIC_ROUTE, requires
from entities.actions import SEEDED
from entities.devices import remember_device
from entities.founding import ALL_LEVELS, Languages, found_workspace
from entities.language import translate_level, translate_stored
from entities.models import User, Workspace
from entities.models.classification import INTERNAL, PUBLIC, STEWARDS
from entities.network import is_public
from entities.password_form import NewPasswordForm
from entities.registry import list_entity_types
from entities.sign_in import DEMO, DEMO_SLUG, can_add_sample, is_unclaimed
from entities.signals import sample_chosen

MAX_SLUG_CHARACTERS = 50
MODEL_STEP = "model/?first"
"""Where a founder connects a model, unless the installation has one."""


class FirstRunForm(NewPasswordForm):
    """Who founds the workspace, and what it is for."""

    field_order = ["username", "password"]

    username = forms.CharField(
        label=gettext_lazy("Your user name"),
        max_length=150,
        validators=[UnicodeUsernameValidator()],
        widget=forms.TextInput(
            attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false", "autofocus": True}
        ),
    )
    name = forms.CharField(
        label=gettext_lazy("Name of the workspace"),
        max_length=200,
        help_text=gettext_lazy("Your company, department or project. It stands at the top of every page."),
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )
    kinds = forms.MultipleChoiceField(
        label=gettext_lazy("What do you keep?"),
        help_text=gettext_lazy("Only these are in the menus. An administrator can change this at any time."),
        widget=forms.CheckboxSelectMultiple(attrs={"class": "form-check-input m-0"}),
    )
    languages = forms.ChoiceField(
        label=gettext_lazy("In which languages are your documents?"),
        help_text=gettext_lazy(
            "The search by meaning is chosen by it. An administrator can change this later, which takes time."
        ),
        choices=Languages.choices,
        initial=Languages.SEVERAL,
        widget=forms.RadioSelect(attrs={"class": "form-check-input m-0"}),
    )
    resting = forms.TypedChoiceField(
        label=gettext_lazy("Who may read new text before anybody has judged it?"),
        help_text=gettext_lazy(
            "Rules find numbers, amounts and passwords, not what a letter tells of somebody. The roles Admin, Editor"
            " and Steward are cleared for it where you are. An administrator can change this at any time."
        ),
        coerce=int,
        initial=INTERNAL,
        widget=forms.RadioSelect(attrs={"class": "form-check-input m-0"}),
    )
    reads_all = forms.BooleanField(
        label=gettext_lazy("I may read everything"),
        required=False,
        initial=True,
        help_text=gettext_lazy(
            "You are cleared for every level: personal data, salaries, secrets. Without it you read Public text."
        ),
    )
    steward = forms.BooleanField(
        label=gettext_lazy("I decide about labels"),
        required=False,
        initial=True,
        help_text=gettext_lazy("You see text that has no label yet, and may label it differently."),
    )

    sample = forms.BooleanField(
        label=gettext_lazy("Add the sample company"),
        required=False,
        help_text=gettext_lazy(
            "Harbour & Vale Engineering, with records and files: a workspace beside yours. Yours begins empty."
        ),
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        if not can_add_sample():
            del self.fields["sample"]
        resting = self.fields["resting"]
        assert isinstance(resting, forms.TypedChoiceField)
        resting.choices = list_resting_choices()
        choices = [(name, translate_stored(model.plural_title)) for name, model in list_entity_types().items()]
        kinds = self.fields["kinds"]
        assert isinstance(kinds, forms.MultipleChoiceField)
        kinds.choices = choices
        kinds.initial = [name for name, _ in choices]

    def clean_username(self) -> str:
        username: str = User.normalize_username(self.cleaned_data["username"])
        if User.objects.filter(username__iexact=username).exists():
            raise ValidationError(gettext("This name is taken. Choose another one."))
        return username

    def clean(self) -> dict[str, Any]:
        """One of the sample company's people would otherwise be the founder; text would rest where nobody is."""
        chosen = super().clean()
        if chosen.get("sample") and chosen.get("username", "").lower() in DEMO:
            self.add_error("username", gettext("Somebody of the sample company has this name. Choose another one."))
        if chosen.get("resting") == STEWARDS and not chosen.get("steward"):
            self.add_error("resting", gettext("Then nobody could judge new text: there is no steward yet."))
        return chosen


@requires(PUBLIC_ROUTE)
@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "POST"])
def begin(request: HttpRequest) -> HttpResponse:
    """Found the first workspace, and go in. Raises: Http404 once the installation has somebody of its own."""
    if not is_unclaimed():
        raise Http404("Not found.")
    code = request.POST.get("code") or request.GET.get("code") or ""
    if not knows_code(code):
        return render(request, "registration/begin.html", {"locked": True}, status=403)
    form = FirstRunForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        founder = User(username=form.cleaned_data["username"])
        founder.set_password(form.cleaned_data["password"])  # takes a moment, which no transaction should wait for
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('first run', 0))")
            if not is_unclaimed():  # two people at the same moment: the first one founds it
                raise Http404("Not found.")
            founder.save()
            workspace = claim_installation(founder, form.cleaned_data)
            if form.cleaned_data.get("sample"):
                sample_chosen.send(None, founder=founder)
        login(request, founder, backend=settings.AUTHENTICATION_BACKENDS[0])
        own = settings.ANTHROPIC_API_KEY or settings.ANTHROPIC_BASE_URL or settings.OPENAI_BASE_URL
        has_model = own or not settings.WORKSPACE_MODELS
        response = redirect(f"/w/{workspace.slug}/{'' if has_model else MODEL_STEP}")
        remember_device(request, response, founder)
        return response
    return render(
        request, "registration/begin.html", {"form": form, "code": code}, status=422 if form.is_bound else 200
    )


def claim_installation(founder: User, chosen: dict[str, Any]) -> Workspace:
    every = len(chosen["kinds"]) == len(list_entity_types())
    return found_workspace(
        slug=make_slug(chosen["name"]),
        name=chosen["name"],
        founder=founder,
        levels=ALL_LEVELS if chosen["reads_all"] else (),
        steward=chosen["steward"],
        kinds=None if every else chosen["kinds"],
        languages=chosen["languages"],
        resting=chosen["resting"],
    )


def list_resting_choices() -> list[tuple[int, str]]:
    """(level, words): of the levels that every workspace begins with, that of its own people first."""
    cleared = gettext("People cleared for %(level)s")
    levels = {value: translate_level(label) for value, label, *_ in SEEDED if value}
    named = [(value, cleared % {"level": label}) for value, label in levels.items()]
    alone = (STEWARDS, gettext("Stewards and its sender alone"))
    return [named[0], (PUBLIC, gettext("Everybody in the workspace")), *named[1:], alone]


def make_slug(name: str) -> str:
    """Part of the workspace's address, from its name: letters and digits that no other workspace has."""
    slug = slugify(name)[: MAX_SLUG_CHARACTERS - 3].strip("-") or "workspace"
    return f"{slug}-1" if slug == DEMO_SLUG or Workspace.objects.filter(slug=slug).exists() else slug


def make_code() -> str:
    """The code of this installation, which only who can read its secret key can make."""
    return salted_hmac("clearance.first_run", "begin", algorithm="sha256").hexdigest()[:32]


def knows_code(code: str) -> bool:
    return not is_public() or constant_time_compare(code, make_code())
