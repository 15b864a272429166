"""The admin of accounts, by area; `desk` has what the admin pages of all applications share."""

from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.models import Group

from accounts.admin import audit, coins, people

__all__ = ["audit", "coins", "people"]

# Groups and allauth's e-mail addresses are not used here.
admin.site.unregister((Group, EmailAddress))
