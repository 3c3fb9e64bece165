from tests.db_plugin import (  # noqa: F401  fixtures
    app_connection,
    cluster,
    django_db_setup,
    owner_connection,
    superuser_connection,
)
