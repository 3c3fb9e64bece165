from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class EntitiesConfig(AppConfig):
    name = "entities"
    verbose_name = gettext_lazy("People and access")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from entities import checks  # noqa: F401  registers the system checks
