"""Who calls the API: a token for one membership, and what its holder is cleared for."""

from django.contrib.auth import authenticate
from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view, authentication_classes, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from entities.access import MEMBER, PUBLIC_ROUTE, NoWorkspace, Scope, load_granted_atoms, requires
from entities.api.lists import list_atom_labels
from entities.api.shapes import Label
from entities.attempts import MustWait, begin_attempt
from entities.audit import record_action
from entities.devices import remember_device
from entities.errors import PASSWORD_FIRST, build_payload
from entities.models import Membership, Role, User
from entities.passwords import TooManyHashes
from entities.tokens import issue_token


class Credentials(serializers.Serializer):
    username = serializers.CharField()
    password = serializers.CharField(style={"input_type": "password"}, trim_whitespace=False)
    workspace = serializers.CharField(help_text="The workspace's slug.")


@requires(PUBLIC_ROUTE)
@extend_schema(request=Credentials, responses=inline_serializer("TokenAnswer", {"token": serializers.CharField()}))
@api_view(["POST"])
@authentication_classes([])
@permission_classes([])
def token(request: Request) -> Response:
    """A token for one membership. 429 after wrong passwords: no further one is looked at for `Retry-After` seconds."""
    data = Credentials(data=request.data)
    data.is_valid(raise_exception=True)
    given = data.validated_data
    try:
        attempt = begin_attempt(request._request, given["username"])
    except MustWait as wait:
        payload = build_payload("too_many_requests", wait.message)
        return Response(payload, status=429, headers={"Retry-After": str(wait.seconds)})
    try:
        user = authenticate(request._request, username=given["username"], password=given["password"])
    except TooManyHashes:
        attempt.withdraw()
        raise
    wrong = Response(
        build_payload("not_signed_in", gettext("The user name, password or workspace is not right.")), status=401
    )
    if user is None:
        return wrong
    attempt.forgive()
    try:
        scope = Scope.for_user(user, given["workspace"])  # type: ignore[arg-type]
    except NoWorkspace:
        return wrong
    if user.password_by_other:  # type: ignore[attr-defined]
        return Response(build_payload("password_first", PASSWORD_FIRST), status=403)
    with scope.open():
        # A change of the password ends the tokens that it finds: it finds this one, or this one finds the change.
        if User.objects.select_for_update(no_key=True).get(pk=user.pk).password != user.password:
            return wrong
        secret = issue_token(Membership.objects.get(user=user), "api")
        record_action(scope, "token.issued", "user", user.pk)
    response = Response({"token": secret})
    remember_device(request._request, response, user)  # type: ignore[arg-type]
    return response


class UserSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    username = serializers.CharField()
    name = serializers.CharField()


class MeSerializer(serializers.Serializer):
    """labels: what the caller is cleared for. Public is among them, as everybody holds it."""

    user = UserSerializer()
    workspace = serializers.CharField()
    roles = serializers.ListField(child=serializers.CharField())
    labels = Label(many=True)


@requires(MEMBER)
@extend_schema(responses=MeSerializer)
@api_view(["GET"])
def me(request: Request) -> Response:
    """Who the caller is here, and what they are cleared for."""
    scope: Scope = request.access_scope  # type: ignore[attr-defined]
    return Response(
        {
            "user": {"id": request.user.pk, "username": request.user.get_username(), "name": str(request.user)},
            "workspace": scope.slug,
            "roles": list(Role.objects.filter(group__user=request.user.pk).values_list("name", flat=True)),
            "labels": list_atom_labels({0, *load_granted_atoms()}),
        }
    )
