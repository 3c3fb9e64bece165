from django.apps import AppConfig


class ReferencesConfig(AppConfig):
    name = "references"
    default_auto_field = "django.db.models.BigAutoField"
