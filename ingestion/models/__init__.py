from ingestion.models.files import Blob, File, FileRevision, Stage, State
from ingestion.models.index import ContextRow, Kind, RowParagraph, VectorModel
from ingestion.models.links import DocumentLink
from ingestion.models.paragraphs import Paragraph
from ingestion.models.vectors import WorkspaceModel
from ingestion.models.work import RecordIndex, StepResult

__all__ = [
    "Blob",
    "ContextRow",
    "DocumentLink",
    "File",
    "FileRevision",
    "Kind",
    "Paragraph",
    "RecordIndex",
    "RowParagraph",
    "Stage",
    "State",
    "StepResult",
    "VectorModel",
    "WorkspaceModel",
]
