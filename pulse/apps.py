from django.apps import AppConfig


class PulseConfig(AppConfig):
    name = "pulse"
    default_auto_field = "django.db.models.BigAutoField"
