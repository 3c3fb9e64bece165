from django.urls import path

from entities import form_views, level_views, people_views, role_views, share_views, token_views, views

app_name = "entities"

urlpatterns = [
    path("", views.home, name="home"),
    path("people/", people_views.people, name="people"),
    path("people/withdraw/", people_views.withdraw, name="withdraw_invitation"),
    path("people/roles/", people_views.roles, name="roles"),
    path("people/groups/new/", role_views.new_group, name="new_group"),
    path("people/roles/members/", role_views.role_members, name="role_members"),
    path("levels/", level_views.levels, name="levels"),
    path("workspace/", level_views.workspace, name="workspace"),
    path("tokens/", token_views.tokens, name="tokens"),
    path("tokens/revoke/", token_views.revoke, name="revoke_token"),
    path("records/<slug:type_name>/", views.record_list, name="list"),
    path("records/<slug:type_name>/new/", form_views.create, name="create"),
    path("entities/<uuid:pk>/", views.detail, name="detail"),
    path("entities/<uuid:pk>/text/", views.record_text, name="text"),
    path("entities/<uuid:pk>/edit/", form_views.edit, name="edit"),
    path("entities/<uuid:pk>/delete/", views.delete, name="delete"),
    path("entities/<uuid:pk>/share/", share_views.share, name="share"),
    path("entities/<uuid:pk>/archive/", views.archive, name="archive"),
]
