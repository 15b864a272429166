"""The pages of games."""

from django.urls import path

from games import pages

urlpatterns = [
    path("", pages.home, name="home"),
    path("clubs/<slug:slug>/", pages.lobby, name="lobby"),
    path("clubs/<slug:slug>/leave/", pages.club_leave, name="club_leave"),
    path("clubs/<slug:slug>/statement/", pages.statement, name="statement"),
    path("rules/", pages.rules, name="rules"),
    path("rules/<slug:preset>/", pages.preset_rules, name="preset_rules"),
    path("rooms/<int:room_id>/rules/", pages.room_rules, name="room_rules"),
    path("rooms/<int:room_id>/tables/", pages.table_open, name="table_open"),
    path("tables/<int:table_id>/", pages.table, name="table"),
    path("calculator/", pages.calculator, name="calculator"),
    path("history/", pages.history, name="history"),
    path("hands/<int:hand_id>/", pages.hand, name="hand"),
]
