from django.urls import path

from accounts import pages

urlpatterns = [
    path("account/", pages.account, name="account"),
    path("account/profile/", pages.profile_change, name="profile_change"),
    path("account/tokens/", pages.token_new, name="token_new"),
    path("account/tokens/<int:token_id>/revoke/", pages.token_end, name="token_revoke"),
]
