from ingestion.models.files import Blob, File, FileRevision, Stage, State
from ingestion.models.index import ContextRow, Kind, RowParagraph, VectorModel
from ingestion.models.paragraphs import Paragraph

__all__ = [
    "Blob",
    "ContextRow",
    "File",
    "FileRevision",
    "Kind",
    "Paragraph",
    "RowParagraph",
    "Stage",
    "State",
    "VectorModel",
]
