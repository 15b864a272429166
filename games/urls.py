"""The pages of games."""

from django.urls import include, path

from games import coin_pages, exports, hand_pages, pages, statistics_pages
from games.desk import reports, tables

urlpatterns = [
    path("", pages.home, name="home"),
    path("clubs/<slug:slug>/", pages.lobby, name="lobby"),
    path("clubs/<slug:slug>/desk/", include("games.desk.urls")),
    path("clubs/<slug:slug>/live/", pages.lobby_live, name="lobby_live"),
    path("clubs/<slug:slug>/quick/", pages.quick, name="quick"),
    path("clubs/<slug:slug>/line/leave/", pages.line_leave, name="line_leave"),
    path("clubs/<slug:slug>/leave/", pages.club_leave, name="club_leave"),
    path("account/close/", pages.account_close, name="account_close"),
    path("clubs/<slug:slug>/statement/", coin_pages.statement, name="statement"),
    path("clubs/<slug:slug>/statement.csv", exports.statement_csv, name="statement_csv"),
    path("clubs/<slug:slug>/reports.csv", exports.reports_csv, name="reports_csv"),
    path("history.csv", exports.history_csv, name="history_csv"),
    path("rules/", pages.rules, name="rules"),
    path("rules/tips/", pages.tips, name="tips"),
    path("rules/<slug:preset>/", pages.preset_rules, name="preset_rules"),
    path("rooms/<int:room_id>/rules/", pages.room_rules, name="room_rules"),
    path("rooms/<int:room_id>/tables/", pages.table_open, name="table_open"),
    path("rooms/<int:room_id>/line/", pages.line_join, name="line_join"),
    path("line/accept/", pages.line_accept, name="line_accept"),
    path("tables/code/", pages.table_code, name="table_code"),
    path("tables/<int:table_id>/", pages.table, name="table"),
    path("calculator/", pages.calculator, name="calculator"),
    path("history/", hand_pages.history, name="history"),
    path("hands/<int:hand_id>/", hand_pages.hand, name="hand"),
    path("hands/<int:hand_id>/end/", tables.hand_end, name="hand_end"),
    path("hands/<int:hand_id>/report/", hand_pages.report, name="report"),
    path("clubs/<slug:slug>/reports/", hand_pages.reports, name="reports"),
    path("reports/<int:report_id>/answer/", reports.report_answer, name="report_answer"),
    path("clubs/<slug:slug>/statistics/", statistics_pages.statistics, name="statistics"),
    path("clubs/<slug:slug>/leaderboard/", statistics_pages.leaderboard, name="leaderboard"),
]
