from django.apps import AppConfig


class EntitiesConfig(AppConfig):
    name = "entities"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from entities import checks  # noqa: F401  registers the system checks
