from django.urls import path

from entities.access import declare_attachment_views
from ingestion import (
    bin_views,
    desk_group_views,
    desk_views,
    file_relabelling_views,
    files_table_views,
    notice_views,
    pdf_views,
    quarantine_views,
    request_views,
    sample_views,
    settling_views,
    thumbnail_views,
    version_views,
    views,
)

app_name = "ingestion"

urlpatterns = [
    path("entities/<uuid:pk>/files/", views.files_panel, name="files_panel"),
    path("entities/<uuid:pk>/files/upload/", views.upload, name="upload"),
    path("entities/<uuid:pk>/files/table/", files_table_views.files_table, name="files_table"),
    path("entities/<uuid:pk>/files/change/", files_table_views.change_files, name="change_files"),
    path("entities/<uuid:pk>/files/label/", file_relabelling_views.preview_files_label, name="preview_files_label"),
    path("entities/<uuid:pk>/files/relabel/", file_relabelling_views.change_files_label, name="label_files"),
    path("entities/<uuid:pk>/files/batch/", views.batch_panel, name="batch"),
    path("entities/<uuid:pk>/files/retry/", views.retry_batch, name="retry_batch"),
    path("files/jobs/", views.jobs, name="jobs"),
    path("files/<uuid:pk>/", views.reader, name="reader"),
    path("files/<uuid:pk>/view.pdf", pdf_views.pdf_page, name="view_pdf"),
    path("files/<uuid:pk>/thumbnail.jpg", thumbnail_views.thumbnail, name="thumbnail"),
    path("files/<uuid:pk>/links/", views.links_panel, name="links"),
    path("files/<uuid:pk>/row/", views.file_row, name="file_row"),
    path("files/<uuid:pk>/retry/", views.retry, name="retry"),
    path("files/<uuid:pk>/delete/", views.delete, name="delete"),
    path("files/<uuid:pk>/download/", views.download, name="download"),
    path("sample/", sample_views.describe_sample, name="sample"),
    path("desk/", desk_views.desk, name="desk"),
    path("desk/waiting/", desk_views.desk_waiting, name="desk_waiting"),
    path("desk/accept/", desk_views.desk_accept, name="desk_accept"),
    path("desk/preview/", desk_group_views.desk_preview, name="desk_preview"),
    path("desk/decide/", desk_group_views.desk_decide_all, name="desk_decide_all"),
    path("desk/paragraphs/<uuid:pk>/", desk_views.desk_item, name="desk_item"),
    path("desk/paragraphs/<uuid:pk>/decide/", desk_views.desk_decide, name="desk_decide"),
    path("desk/paragraphs/<uuid:pk>/page/", desk_views.desk_page, name="desk_page"),
    path("desk/files/<uuid:pk>/", settling_views.desk_file, name="desk_file"),
    path("desk/files/<uuid:pk>/decide/", settling_views.desk_file_decide, name="desk_file_decide"),
    path("quarantine/", quarantine_views.page, name="quarantine"),
    path("files/<uuid:pk>/review/", quarantine_views.review, name="review"),
    path("files/<uuid:pk>/versions/", version_views.versions, name="versions"),
    path("files/<uuid:pk>/strategy/", version_views.choose_strategy, name="strategy"),
    path("files/<uuid:pk>/versions/<int:number>/restore/", version_views.restore, name="restore_version"),
    path("files/<uuid:pk>/versions/<int:number>/download/", version_views.download, name="download_version"),
    path("bin/", bin_views.bin_page, name="bin"),
    path("bin/<uuid:pk>/restore/", bin_views.restore, name="restore"),
    path("bin/<uuid:pk>/delete/", bin_views.delete_for_good, name="delete_for_good"),
    path("notifications/", notice_views.notices, name="notices"),
    path("notifications/waiting/", notice_views.notices_waiting, name="notices_waiting"),
    path("access-requests/", request_views.access_requests, name="access_requests"),
    path("access-requests/waiting/", request_views.access_requests_waiting, name="access_requests_waiting"),
    path("access-requests/new/", request_views.access_ask, name="access_ask"),
    path("access-requests/<uuid:pk>/", request_views.access_decide, name="access_decide"),
]

declare_attachment_views(
    *(route.callback for route in urlpatterns if route.name in ("reader", "view_pdf", "thumbnail", "download"))
)
