#!/usr/bin/env python
"""Django's command line. Starts the embedded database when a command needs it and nothing else runs it."""

import os
import sys

# Commands that change the schema connect as the owner of the tables; everything else is the application's role.
OWNER_COMMANDS = frozenset({"migrate", "makemigrations", "showmigrations", "sqlmigrate", "squashmigrations", "flush"})
WITHOUT_DATABASE = frozenset(
    {"check", "collectstatic", "compilemessages", "diffsettings", "findstatic", "help", "makemessages", "version"}
)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    if command in OWNER_COMMANDS:
        os.environ["CLEARANCE_DB_ROLE"] = "owner"
    if command not in WITHOUT_DATABASE and not os.environ.get("DATABASE_URL"):
        from config.home import HOME
        from config.postgres import Cluster

        Cluster(HOME).hold()
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
