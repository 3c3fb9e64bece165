from django.apps import AppConfig


class ChatConfig(AppConfig):
    name = "chat"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from chat.citations import find_citing
        from retrieval.owners import register_owner

        register_owner(find_citing)
