"""The addresses of the API, version 1."""

from django.urls import path

from accounts import notices_api as notices
from clubs import api as clubs
from clubs import joining_api as joining
from games import api as games
from games import records_api as records

urlpatterns = [
    path("me/", clubs.MeView.as_view(), name="api_me"),
    path("notices/", notices.NoticesView.as_view(), name="api_notices"),
    path("notices/read", notices.NoticesReadView.as_view(), name="api_notices_read"),
    path("join", joining.JoinView.as_view(), name="api_join"),
    path("requests/", joining.RequestsView.as_view(), name="api_requests"),
    path("requests/<str:id>/withdraw", joining.RequestWithdrawView.as_view(), name="api_request_withdraw"),
    path("clubs/", clubs.ClubsView.as_view(), name="api_clubs"),
    path("clubs/<slug:slug>/members/", clubs.MembersView.as_view(), name="api_members"),
    path("clubs/<slug:slug>/members/<str:id>/coins/", clubs.MemberCoinsView.as_view(), name="api_member_coins"),
    path("clubs/<slug:slug>/requests/", joining.ClubRequestsView.as_view(), name="api_club_requests"),
    path(
        "clubs/<slug:slug>/requests/<str:id>/approve", joining.RequestApproveView.as_view(), name="api_request_approve"
    ),
    path("clubs/<slug:slug>/requests/<str:id>/refuse", joining.RequestRefuseView.as_view(), name="api_request_refuse"),
    path("clubs/<slug:slug>/leave", games.ClubLeaveView.as_view(), name="api_club_leave"),
    path("clubs/<slug:slug>/titles/", clubs.TitlesView.as_view(), name="api_titles"),
    path("clubs/<slug:slug>/rooms/", clubs.ClubRoomsView.as_view(), name="api_club_rooms"),
    path("clubs/<slug:slug>/tables/", games.ClubTablesView.as_view(), name="api_club_tables"),
    path("clubs/<slug:slug>/ledger/", clubs.ClubLedgerView.as_view(), name="api_club_ledger"),
    path("clubs/<slug:slug>/statistics/", records.StatisticsView.as_view(), name="api_statistics"),
    path("clubs/<slug:slug>/leaderboard/", records.LeaderboardView.as_view(), name="api_leaderboard"),
    path("clubs/<slug:slug>/reports/", records.ClubReportsView.as_view(), name="api_reports"),
    path("rooms/", clubs.RoomsView.as_view(), name="api_rooms"),
    path("rooms/<str:id>/", clubs.RoomView.as_view(), name="api_room"),
    path("ledger/", clubs.StatementView.as_view(), name="api_ledger"),
    path("score/", games.ScoreView.as_view(), name="api_score"),
    path("judge/", games.JudgeView.as_view(), name="api_judge"),
    path("hands/", games.HandsView.as_view(), name="api_hands"),
    path("hands/<str:id>/", games.HandView.as_view(), name="api_hand"),
    path("hands/<str:id>/record", games.HandRecordView.as_view(), name="api_hand_record"),
    path("hands/<str:id>/end", games.HandEndView.as_view(), name="api_hand_end"),
    path("hands/<str:id>/steps", games.HandStepsView.as_view(), name="api_hand_steps"),
    path("hands/<str:id>/report", records.HandReportView.as_view(), name="api_hand_report"),
    path("reports/<str:id>/answer", records.ReportAnswerView.as_view(), name="api_report_answer"),
]
