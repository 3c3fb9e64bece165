from pathlib import Path

from django.apps import AppConfig
from django.conf import settings
from django.utils.translation import gettext_lazy


class IngestionConfig(AppConfig):
    name = "ingestion"
    verbose_name = gettext_lazy("Records and files")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from entities import language
        from entities.admin.names import FINDERS
        from ingestion import (
            audit_names,
            embed,
            receivers,  # noqa: F401  connects to the signals of entities
            stored_sentences,
        )
        from llm.quoting.meaning import use_embedder, use_encoder

        FINDERS["file"] = audit_names.find_file_names
        use_embedder(embed.embed_here)
        use_encoder(embed.find_reading_encoder)
        language.TEMPLATES.extend(stored_sentences.TEMPLATES)

        Path(settings.FILE_UPLOAD_TEMP_DIR).mkdir(mode=0o700, parents=True, exist_ok=True)
