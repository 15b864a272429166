from django.urls import path

from accounts import installable, pages

urlpatterns = [
    path("account/", pages.account, name="account"),
    path("account/profile/", pages.profile_change, name="profile_change"),
    path("account/notices/", pages.switches_change, name="switches_change"),
    path("account/devices/end/", pages.devices_out, name="devices_end"),
    path("account/devices/<int:device_id>/end/", pages.device_out, name="device_end"),
    path("account/tokens/", pages.token_new, name="token_new"),
    path("account/tokens/<int:token_id>/revoke/", pages.token_end, name="token_revoke"),
    path("notices/", pages.notices, name="notices"),
    path("notices/<int:notice_id>/", pages.notice, name="notice"),
    path("manifest-<str:language>.webmanifest", installable.manifest, name="manifest"),
    path("worker.js", installable.worker, name="worker"),
]
