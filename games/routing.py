"""The site's sockets."""

from django.urls import re_path

from games.consumers import table_socket

# No longer number than a database knows: it is asked for together with those of all other open tables.
websocket_urlpatterns = [re_path(r"^ws/tables/(?P<table_id>[0-9]{1,18})/$", table_socket)]  # type: ignore[arg-type]  # an ASGI application for a view
