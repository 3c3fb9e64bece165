"""Addresses before a workspace: sign in, sign out, and the way to one's first workspace."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from entities import account, first_run, people_views, profile, views
from entities.access import PUBLIC_ROUTE, requires
from entities.sign_in import SignIn, become

urlpatterns = [
    path("", views.landing, name="landing"),
    path("begin/", first_run.begin, name="begin"),
    path("become/", become, name="become"),
    path("invited/<slug:slug>/<str:secret>/", people_views.invited, name="invited"),
    path("join/", account.join, name="join"),
    path("account/password/", account.password, name="password"),
    path("account/profile/", profile.profile, name="profile"),
    path("sign-in/", requires(PUBLIC_ROUTE)(SignIn.as_view()), name="sign_in"),
    path("sign-out/", requires(PUBLIC_ROUTE)(LogoutView.as_view()), name="sign_out"),
]
