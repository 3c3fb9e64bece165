"""A form in which somebody chooses the password of an account that does not exist yet."""

from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy

from entities.models import User


class NewPasswordForm(forms.Form):
    """Forms that extend it have a `username` too, which the password must not resemble."""

    password = forms.CharField(
        label=gettext_lazy("Your password"),
        strip=False,
        help_text=gettext_lazy("At least eight characters, and not a common password."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("password"):
            try:
                validate_password(cleaned["password"], User(username=cleaned.get("username", "")))
            except ValidationError as problem:
                self.add_error("password", problem)
        return cleaned
