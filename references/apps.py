from django.apps import AppConfig


class ReferencesConfig(AppConfig):
    name = "references"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from references import receivers  # noqa: F401  connects to the signals of lower apps
