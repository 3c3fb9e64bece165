"""What judging typed text needs of the web server's life."""

from django.conf import settings

from ingestion.judges.pool import end_judges, start_judges


async def on_startup() -> None:
    start_judges(settings.JUDGES)


async def on_shutdown() -> None:
    end_judges()
