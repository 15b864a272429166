"""The addresses of the API, version 1."""

from django.urls import path

from accounts import devices_api as devices
from accounts import notices_api as notices
from clubs import api as clubs
from clubs import audit_api as audit
from clubs import coins_api as coins
from clubs import invitations_api as invitations
from clubs import joining_api as joining
from clubs import ledger_api as ledger
from clubs import members_api as members
from clubs import rooms_api as rooms
from clubs import titles_api as titles
from games import hands_api as hands
from games import lines_api as lines
from games import reports_api as reports
from games import statistics_api as statistics
from games import tables_api as tables
from games import waiting_api as waiting

urlpatterns = [
    path("me/", members.MeView.as_view(), name="api_me"),
    path("notices/", notices.NoticesView.as_view(), name="api_notices"),
    path("notices/read", notices.NoticesReadView.as_view(), name="api_notices_read"),
    path("notices/switches/", notices.SwitchesView.as_view(), name="api_switches"),
    path("notices/switch", notices.SwitchView.as_view(), name="api_switch"),
    path("devices/", devices.DevicesView.as_view(), name="api_devices"),
    path("devices/others/end", devices.DevicesEndView.as_view(), name="api_devices_end"),
    path("devices/<str:id>/end", devices.DeviceEndView.as_view(), name="api_device_end"),
    path("join", joining.JoinView.as_view(), name="api_join"),
    path("requests/", joining.RequestsView.as_view(), name="api_requests"),
    path("requests/<str:id>/withdraw", joining.RequestWithdrawView.as_view(), name="api_request_withdraw"),
    path("clubs/", clubs.ClubsView.as_view(), name="api_clubs"),
    path("clubs/<slug:slug>/", clubs.ClubDetailView.as_view(), name="api_club"),
    path("clubs/<slug:slug>/change", clubs.ClubChangeView.as_view(), name="api_club_change"),
    path("clubs/<slug:slug>/invite", invitations.InviteView.as_view(), name="api_invite"),
    path("clubs/<slug:slug>/invitations/", invitations.InvitationsView.as_view(), name="api_invitations"),
    path(
        "clubs/<slug:slug>/invitations/<str:id>/revoke",
        invitations.InvitationRevokeView.as_view(),
        name="api_invitation_revoke",
    ),
    path("clubs/<slug:slug>/members/", members.MembersView.as_view(), name="api_members"),
    path("clubs/<slug:slug>/coins", coins.MembersCoinsView.as_view(), name="api_members_coins"),
    path("clubs/<slug:slug>/members/<str:id>/", members.MemberView.as_view(), name="api_member"),
    path("clubs/<slug:slug>/members/<str:id>/ban", members.MemberBanView.as_view(), name="api_member_ban"),
    path("clubs/<slug:slug>/members/<str:id>/unban", members.MemberUnbanView.as_view(), name="api_member_unban"),
    path("clubs/<slug:slug>/members/<str:id>/role", members.MemberRoleView.as_view(), name="api_member_role"),
    path("clubs/<slug:slug>/members/<str:id>/coins/", coins.MemberCoinsView.as_view(), name="api_member_coins"),
    path("clubs/<slug:slug>/requests/", joining.ClubRequestsView.as_view(), name="api_club_requests"),
    path(
        "clubs/<slug:slug>/requests/<str:id>/approve", joining.RequestApproveView.as_view(), name="api_request_approve"
    ),
    path("clubs/<slug:slug>/requests/<str:id>/refuse", joining.RequestRefuseView.as_view(), name="api_request_refuse"),
    path("clubs/<slug:slug>/leave", tables.ClubLeaveView.as_view(), name="api_club_leave"),
    path("clubs/<slug:slug>/titles/", titles.TitlesView.as_view(), name="api_titles"),
    path("clubs/<slug:slug>/titles/change", titles.TitlesChangeView.as_view(), name="api_titles_change"),
    path("clubs/<slug:slug>/rooms/new", rooms.RoomCreateView.as_view(), name="api_room_create"),
    path("clubs/<slug:slug>/rooms/", rooms.ClubRoomsView.as_view(), name="api_club_rooms"),
    path("clubs/<slug:slug>/tables/", tables.ClubTablesView.as_view(), name="api_club_tables"),
    path("clubs/<slug:slug>/ledger/", ledger.ClubLedgerView.as_view(), name="api_club_ledger"),
    path("clubs/<slug:slug>/ledger/balances", ledger.BalancesView.as_view(), name="api_balances"),
    path(
        "clubs/<slug:slug>/ledger/<str:id>/reverse",
        ledger.TransferReverseView.as_view(),
        name="api_transfer_reverse",
    ),
    path("clubs/<slug:slug>/audit/", audit.AuditView.as_view(), name="api_audit"),
    path("clubs/<slug:slug>/overview/", statistics.OverviewView.as_view(), name="api_overview"),
    path("clubs/<slug:slug>/statistics/", statistics.StatisticsView.as_view(), name="api_statistics"),
    path("clubs/<slug:slug>/leaderboard/", statistics.LeaderboardView.as_view(), name="api_leaderboard"),
    path("clubs/<slug:slug>/reports/", reports.ClubReportsView.as_view(), name="api_reports"),
    path("rooms/", rooms.RoomsView.as_view(), name="api_rooms"),
    path("rooms/<str:id>/", rooms.RoomView.as_view(), name="api_room"),
    path("rooms/<str:id>/line", waiting.LineJoinView.as_view(), name="api_line_join"),
    path("line/", waiting.LineView.as_view(), name="api_line"),
    path("line/accept", waiting.LineAcceptView.as_view(), name="api_line_accept"),
    path("line/leave", waiting.LineLeaveView.as_view(), name="api_line_leave"),
    path("rooms/<str:id>/change", rooms.RoomChangeView.as_view(), name="api_room_change"),
    path("tables/<str:id>/close", tables.TableCloseView.as_view(), name="api_table_close"),
    path("ledger/", ledger.StatementView.as_view(), name="api_ledger"),
    path("score/", lines.ScoreView.as_view(), name="api_score"),
    path("judge/", lines.JudgeView.as_view(), name="api_judge"),
    path("hands/", hands.HandsView.as_view(), name="api_hands"),
    path("hands/<str:id>/", hands.HandView.as_view(), name="api_hand"),
    path("hands/<str:id>/record", hands.HandRecordView.as_view(), name="api_hand_record"),
    path("hands/<str:id>/end", hands.HandEndView.as_view(), name="api_hand_end"),
    path("hands/<str:id>/steps", hands.HandStepsView.as_view(), name="api_hand_steps"),
    path("hands/<str:id>/report", reports.HandReportView.as_view(), name="api_hand_report"),
    path("reports/<str:id>/answer", reports.ReportAnswerView.as_view(), name="api_report_answer"),
]
