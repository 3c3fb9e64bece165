from django.apps import AppConfig


class PulseConfig(AppConfig):
    name = "pulse"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from pulse import receivers  # noqa: F401  connects to the signals of lower apps
        from pulse.reader import get_citing
        from retrieval.owners import register_owner

        register_owner(get_citing)
