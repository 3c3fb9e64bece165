import psycopg
import pytest


@pytest.mark.django_db
def test_django_is_the_application_role():
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == ("clearance_app",)


def test_application_role_changes_no_schema(app_connection):
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        app_connection.execute("CREATE TABLE mine (id int)")
