"""What judging typed text needs of the web server's life."""

from django.conf import settings

from ingestion.judges.pool import start_judges, stop_judges


async def on_startup() -> None:
    start_judges(settings.JUDGES)


async def on_shutdown() -> None:
    stop_judges()
