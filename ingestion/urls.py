from django.urls import path

from ingestion import views

app_name = "ingestion"

urlpatterns = [
    path("entities/<uuid:pk>/files/", views.files_panel, name="files_panel"),
    path("entities/<uuid:pk>/files/upload/", views.upload, name="upload"),
    path("files/jobs/", views.jobs, name="jobs"),
    path("files/<uuid:pk>/", views.reader, name="reader"),
    path("files/<uuid:pk>/row/", views.file_row, name="file_row"),
    path("files/<uuid:pk>/retry/", views.retry, name="retry"),
    path("files/<uuid:pk>/delete/", views.delete, name="delete"),
    path("files/<uuid:pk>/download/", views.download, name="download"),
]
