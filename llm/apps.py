from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class LlmConfig(AppConfig):
    name = "llm"
    verbose_name = gettext_lazy("Models")

    def ready(self) -> None:
        from llm import checks  # noqa: F401  registers the system checks
