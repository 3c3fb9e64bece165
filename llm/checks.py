"""System checks of the models' configuration (`manage.py check`)."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, register

from llm.models_catalogue import TIERS, CatalogueError, get_tier_model


@register()
def check_models(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """llm.E001: the settings name a model whose price is not known, or a price that is none."""
    problems: list[CheckMessage] = []
    for tier in TIERS:
        try:
            get_tier_model(tier)
        except CatalogueError as error:
            problems.append(
                Error(str(error), hint="See MODEL_TIERS and MODEL_PRICES in docs/models.md.", id="llm.E001")
            )
    return problems
