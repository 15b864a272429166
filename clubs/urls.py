from django.urls import path

from clubs import pages

urlpatterns = [
    path("join/", pages.join, name="join"),
    path("join/<str:code>/", pages.join_code, name="join_code"),
    path("clubs/<slug:slug>/titles/", pages.titles, name="titles"),
]
