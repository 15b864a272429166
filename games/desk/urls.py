"""The addresses of the desk, below /clubs/<slug>/desk/."""

from django.urls import path

from games.desk import audit, coins, joining, members, overview, reports, rooms, settings, tables

urlpatterns = [
    path("", overview.overview, name="desk"),
    path("members/", members.members, name="desk_members"),
    path("members.csv", members.members_csv, name="desk_members_csv"),
    path("members/<int:member_id>/", members.member, name="desk_member"),
    path("members/<int:member_id>/change/", members.member_change, name="desk_member_change"),
    path("requests/", joining.requests, name="desk_requests"),
    path("requests/answer/", joining.requests_answer, name="desk_requests_answer"),
    path("invitations/", joining.invitations, name="desk_invitations"),
    path("invitations/<int:invitation_id>/", joining.invitation, name="desk_invitation"),
    path("coins/", coins.coins, name="desk_coins"),
    path("ledger/", coins.ledger, name="desk_ledger"),
    path("ledger.csv", coins.ledger_csv, name="desk_ledger_csv"),
    path("ledger/check/", coins.ledger_prove, name="desk_ledger_check"),
    path("ledger/<int:transfer_id>/", coins.transfer, name="desk_transfer"),
    path("rooms/", rooms.rooms, name="desk_rooms"),
    path("rooms/new/", rooms.room_new, name="desk_room_new"),
    path("rooms/<int:room_id>/", rooms.room, name="desk_room"),
    path("rooms/<int:room_id>/switch/", rooms.room_switch, name="desk_room_switch"),
    path("tables/", tables.tables, name="desk_tables"),
    path("tables/live/", tables.tables_live, name="desk_tables_live"),
    path("tables/<int:table_id>/", tables.table, name="desk_table"),
    path("reports/", reports.reports, name="desk_reports"),
    path("reports/<int:report_id>/", reports.report, name="desk_report"),
    path("audit/", audit.audit, name="desk_audit"),
    path("audit.csv", audit.audit_csv, name="desk_audit_csv"),
    path("settings/", settings.settings, name="desk_settings"),
    path("titles/", settings.titles, name="desk_titles"),
]
