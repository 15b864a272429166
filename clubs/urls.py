from django.urls import path

from clubs import pages

urlpatterns = [
    path("join/", pages.join, name="join"),
    path("join/<str:code>/", pages.join_code, name="join_code"),
    path("join/<str:code>/decline/", pages.join_decline, name="join_decline"),
    path("join/requests/<int:request_id>/withdraw/", pages.join_withdraw, name="join_withdraw"),
    path("clubs/<slug:slug>/titles/", pages.titles, name="titles"),
]
