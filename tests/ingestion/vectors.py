"""The embedding models of a workspace: the command, and what has which vectors."""

from io import StringIO

from django.core.management import call_command
from django.db import connection

from entities.access import Scope
from ingestion.models import ContextRow
from retrieval.search import search
from tests.conftest import Person


def command(*words: str) -> str:
    out = StringIO()
    call_command("vector_model", *words, stdout=out, stderr=out)
    return out.getvalue()


def vectors(service: Scope) -> dict[str, tuple[int, set[int]]]:
    """Model -> how many rows have its vector, and the dimensions of those."""
    with service.open(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT m.model_id, count(*), array_agg(DISTINCT vector_dims(v.embedding)) FROM ingestion_vector v"
            " JOIN ingestion_vectormodel m ON m.id = v.model GROUP BY 1"
        )
        return {model: (count, set(dims)) for model, count, dims in cursor.fetchall()}


def rows(service: Scope) -> int:
    with service.open():
        return ContextRow.objects.count()


def found(person: Person, question: str) -> list[str]:
    with person.scope.open():
        return [str(result.id) for result in search(person.scope, question)]
