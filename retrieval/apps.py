from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class RetrievalConfig(AppConfig):
    name = "retrieval"
    verbose_name = gettext_lazy("Search")
    default_auto_field = "django.db.models.BigAutoField"
