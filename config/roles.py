"""The three database roles and what each may do, for the embedded cluster and, printed, for an administrator.

    clearance_owner  owns the database, its schema and tables; runs migrations; no superuser
    clearance_app    reads and writes rows; owns nothing, so it cannot switch row-level security off
    clearance_mq     owns the schema `pgmq` (the message broker) and sees nothing else

`python -m config.roles` prints the SQL for an external PostgreSQL (docs/deployment.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
from pgmq.install import get_embedded_install_sql, get_embedded_sql_version
from psycopg import sql

if TYPE_CHECKING:
    from config.postgres import Cluster

OWNER = "clearance_owner"
APP = "clearance_app"
MQ = "clearance_mq"
ROLES = (OWNER, APP, MQ)
LAYOUT = "1"

ROLE = "CREATE ROLE {} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION"

PRIVILEGES = f"""\
REVOKE ALL ON DATABASE {{database}} FROM PUBLIC;
GRANT CONNECT ON DATABASE {{database}} TO {OWNER}, {APP}, {MQ};
ALTER SCHEMA public OWNER TO {OWNER};
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO {APP};
CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;
ALTER EXTENSION vector UPDATE;
ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER} REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER} IN SCHEMA public GRANT EXECUTE ON FUNCTIONS TO {APP};
ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER} IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {APP};
ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER} IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {APP};
"""


def build_layout_mark() -> str:
    """Written as the last step of a layout: a database that carries it is complete."""
    return f"clearance layout {LAYOUT}, pgmq {get_embedded_sql_version()}"


def build_broker_sql() -> str:
    """The SQL of the `pgmq` package, run as its owner, which may create a schema only meanwhile."""
    return (
        f"GRANT CREATE ON DATABASE {{database}} TO {MQ};\nSET LOCAL ROLE {MQ};\n"
        f"{get_embedded_install_sql()}\nRESET ROLE;\n"
        f"REVOKE CREATE ON DATABASE {{database}} FROM {MQ};\n"
    )


def lay_out(cluster: Cluster) -> None:
    """Make roles, database, extension, privileges and broker schema where they are missing. Repeatable."""
    from config.postgres import DATABASE, SUPERUSER

    with psycopg.connect(cluster.url(SUPERUSER, "postgres"), autocommit=True) as server:
        row = server.execute(
            "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s", [DATABASE]
        ).fetchone()
        if row is not None and row[0] == build_layout_mark():
            return
        for role in ROLES:
            if server.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone() is None:
                server.execute(sql.SQL(ROLE).format(sql.Identifier(role)))
        if row is None:
            server.execute(
                sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE template0").format(
                    sql.Identifier(DATABASE), sql.Identifier(OWNER)
                )
            )
    prepare_database(cluster.url(SUPERUSER, DATABASE), DATABASE)


def prepare_database(superuser_url: str, database: str) -> None:
    """Give an existing database its extension, privileges and broker schema, in one transaction."""
    name = sql.Identifier(database).as_string(None)
    with psycopg.connect(superuser_url) as connection:
        connection.execute(PRIVILEGES.format(database=name).encode())
        if connection.execute("SELECT to_regnamespace('pgmq')").fetchone() == (None,):
            connection.execute(build_broker_sql().replace("{database}", name).encode())
        connection.execute(
            sql.SQL("COMMENT ON DATABASE {} IS {}").format(sql.Identifier(database), sql.Literal(build_layout_mark()))
        )


def build_admin_sql() -> str:
    """A psql script for a superuser of an external server: `python -m config.roles | psql …`."""
    from config.postgres import DATABASE

    return "\n".join(
        [
            "-- Set passwords afterwards: \\password clearance_owner, clearance_app, clearance_mq",
            *(ROLE.format(role) + ";" for role in ROLES),
            # An administrator who is no superuser acts for these two while the script runs.
            f"GRANT {OWNER}, {MQ} TO CURRENT_USER;",
            f"CREATE DATABASE {DATABASE} OWNER {OWNER} TEMPLATE template0 ENCODING 'UTF8';",
            f"\\connect {DATABASE}",
            "BEGIN;",
            PRIVILEGES.format(database=DATABASE),
            build_broker_sql().replace("{database}", DATABASE),
            "COMMIT;",
            f"REVOKE {OWNER}, {MQ} FROM CURRENT_USER;",
        ]
    )


if __name__ == "__main__":
    print(build_admin_sql())
