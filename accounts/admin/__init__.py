"""The admin of accounts, by area; `desk` has what the admin pages of all applications share."""

from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.contrib.auth.models import Group

from accounts.admin import audit, coins, people

__all__ = ["audit", "coins", "people"]

# Groups are not used here; addresses and sessions are their owners' business.
admin.site.unregister((Group, EmailAddress, UserSession))
