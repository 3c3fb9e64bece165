from ingestion.models.files import Blob, File, FileRevision, Redo, Review, Stage, State
from ingestion.models.index import ContextRow, Kind, RowParagraph, VectorModel
from ingestion.models.links import DocumentLink
from ingestion.models.paragraphs import Paragraph, PastParagraph
from ingestion.models.requalify import Requalification, RequalifiedFile
from ingestion.models.requests import AccessMessage, AccessRequest, Extent, TextGrant
from ingestion.models.vectors import WorkspaceModel
from ingestion.models.work import RecordIndex, StepResult, Worker

__all__ = [
    "AccessMessage",
    "AccessRequest",
    "Blob",
    "ContextRow",
    "DocumentLink",
    "Extent",
    "File",
    "FileRevision",
    "Kind",
    "Paragraph",
    "PastParagraph",
    "RecordIndex",
    "Redo",
    "Requalification",
    "RequalifiedFile",
    "Review",
    "RowParagraph",
    "Stage",
    "State",
    "StepResult",
    "TextGrant",
    "VectorModel",
    "Worker",
    "WorkspaceModel",
]
