"""How the admin site looks: the product's name, mark and colours in django-unfold's terms (docs/ui.md)."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext_lazy


def build_shades(hue: int, values: Sequence[tuple[float, float]]) -> dict[str, str]:
    """Lightness (per cent) and chroma of the eleven steps from 50 to 950, as oklch colours of one hue."""
    steps = ("50", "100", "200", "300", "400", "500", "600", "700", "800", "900", "950")
    return {step: f"oklch({light}% {chroma} {hue})" for step, (light, chroma) in zip(steps, values, strict=True)}


def workspace_home(request: HttpRequest) -> str:
    return reverse("entities:home")


def get_mark_url(request: HttpRequest) -> str:
    return static("img/mark.svg")


PAPER = [
    (98.5, 0.003), (96.5, 0.006), (91, 0.01), (85, 0.012), (70, 0.012), (54, 0.012), (43, 0.012),
    (35, 0.01), (27, 0.008), (21.5, 0.008), (17, 0.007),
]  # fmt: skip
LAMP = [
    (97, 0.015), (94, 0.03), (88, 0.05), (81, 0.075), (76, 0.09), (56, 0.085), (44, 0.075),
    (38, 0.065), (32, 0.055), (27, 0.045), (21, 0.035),
]  # fmt: skip
UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Administration · Clearance",
    "SITE_HEADER": "Clearance",
    "SITE_SUBHEADER": "Administration",
    "SITE_URL": workspace_home,
    "SITE_DROPDOWN": [{"icon": "arrow_back", "title": gettext_lazy("Back to the workspace"), "link": workspace_home}],
    "SITE_ICON": get_mark_url,
    "SHOW_HISTORY": False,
    "SHOW_VIEW_ON_SITE": False,
    "BORDER_RADIUS": "6px",
    "COLORS": {"base": build_shades(95, PAPER), "primary": build_shades(172, LAMP)},
}
