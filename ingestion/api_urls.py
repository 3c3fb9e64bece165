from django.urls import path

from entities.access import declare_attachment_views, declare_sender_views
from ingestion import (
    api,
    bin_api,
    desk_api,
    exposure_api,
    kind_api,
    link_api,
    paragraph_api,
    pdf_views,
    quarantine_api,
    request_api,
    settling_api,
    version_api,
    waiting_api,
)

app_name = "ingestion_api"

urlpatterns = [
    path("entities/<uuid:pk>/files/", api.entity_files, name="entity_files"),
    path("entities/<uuid:pk>/files/retry/", api.entity_files_retry, name="retry_batch"),
    path("files/<uuid:pk>/", api.file_detail, name="file"),
    path("files/<uuid:pk>/retry/", api.file_retry, name="retry"),
    path("files/<uuid:pk>/reader/", api.file_reader, name="reader"),
    path("files/<uuid:pk>/view.pdf", pdf_views.file_view_pdf, name="view_pdf"),
    path("files/<uuid:pk>/links/", link_api.file_links, name="links"),
    path("files/<uuid:pk>/backlinks/", link_api.file_backlinks, name="backlinks"),
    path("files/<uuid:pk>/download/", api.file_download, name="download"),
    path("files/<uuid:pk>/remainder/", settling_api.file_remainder, name="remainder"),
    path("files/<uuid:pk>/paragraphs/", paragraph_api.file_paragraphs, name="paragraphs"),
    path("quarantine/", quarantine_api.quarantined_files, name="quarantine"),
    path("files/<uuid:pk>/review/", quarantine_api.review, name="review"),
    path("files/<uuid:pk>/versions/", version_api.file_versions, name="versions"),
    path("files/<uuid:pk>/versions/<int:number>/restore/", version_api.restore, name="restore_version"),
    path("files/<uuid:pk>/versions/<int:number>/download/", version_api.download, name="download_version"),
    path("paragraphs/<uuid:pk>/", paragraph_api.paragraph_detail, name="paragraph"),
    path("desk/", desk_api.desk, name="desk"),
    path("desk/accept/", desk_api.desk_accept, name="desk_accept"),
    path("desk/files/", settling_api.desk_files, name="desk_files"),
    path("exposure/", exposure_api.exposure, name="exposure"),
    path("document-kinds/", kind_api.document_kinds, name="document_kinds"),
    path("unjudged/", waiting_api.unjudged, name="unjudged"),
    path("bin/", bin_api.bin_list, name="bin"),
    path("bin/<uuid:pk>/", bin_api.delete_for_good, name="delete_for_good"),
    path("bin/<uuid:pk>/restore/", bin_api.restore, name="restore"),
    path("access-requests/", request_api.access_requests, name="access_requests"),
    path("access-requests/<uuid:pk>/", request_api.access_request, name="access_request"),
]

declare_attachment_views(
    *(route.callback for route in urlpatterns if route.name in ("file", "reader", "view_pdf", "download"))
)
declare_sender_views(*(route.callback for route in urlpatterns if route.name in ("reader", "access_requests")))
