"""The site's sockets."""

from django.urls import path

from games.consumers import table_socket

websocket_urlpatterns = [path("ws/tables/<int:table_id>/", table_socket)]  # type: ignore[arg-type]  # an ASGI application for a view
