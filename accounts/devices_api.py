"""The API's routes about the devices on which one is signed in."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import ListView, OrderView, StrictSerializer
from accounts.paging import id_of
from accounts.sessions import Device, device_end, devices_end, devices_of


class DeviceShape(serializers.Serializer[Device]):
    id = serializers.CharField()
    name = serializers.CharField(help_text="System and browser, as far as they say so.")
    is_here = serializers.BooleanField(help_text="The one that asks; never with a token.")
    since = serializers.DateTimeField(help_text="Signed in at.")
    used_at = serializers.DateTimeField(help_text="Last used, to five minutes.")


class DevicesView(ListView):
    """This one first, then by last use."""

    summary = "Where I am signed in"
    serializer_class = DeviceShape
    pagination_class = None

    @extend_schema(responses=inline_serializer("Devices", {"results": DeviceShape(many=True)}))
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        devices = devices_of(user=self.person(), here=request.session.session_key)
        return Response({"results": self.get_serializer(devices, many=True).data})


class DeviceEndView(OrderView):
    summary = "Sign out on a device"
    serializer_class = StrictSerializer

    @extend_schema(request=None, responses={204: None})
    def post(self, request: Request, id: str) -> Response:
        """Its open tables are closed with it. Tokens stay."""
        device_id = id_of(id)
        if device_id is None or not device_end(user=self.person(), device_id=device_id):
            raise Http404
        return Response(status=204)


class DevicesEndView(OrderView):
    summary = "Sign out on all other devices"
    serializer_class = StrictSerializer

    @extend_schema(request=None, responses={204: None})
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """With a token: on all of them. Tokens stay."""
        devices_end(user=self.person(), but=request.session.session_key)
        return Response(status=204)
