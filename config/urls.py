"""Every address of the site. Pages belong to their application; here they only get their place."""

from allauth.account import views as account
from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path, re_path
from django.views.i18n import JavaScriptCatalog, set_language
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from accounts.problems import UnknownAddress

# The admin signs in through the site's own form, and so through its rate limits.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

# Of allauth's pages those that this site has; a password is set anew by an operator, devices stand in the account.
signing_in = [
    path("login/", account.login, name="account_login"),
    path("logout/", account.logout, name="account_logout"),
    path("signup/", account.signup, name="account_signup"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("email/", account.email, name="account_email"),
    re_path(r"^confirm-email/(?P<key>[-:\w]+)/$", account.confirm_email, name="account_confirm_email"),
    path("password/change/", account.password_change, name="account_change_password"),
]

urlpatterns = [
    path("", include("accounts.urls")),
    path("", include("clubs.urls")),
    path("", include("games.urls")),
    path("accounts/", include(signing_in)),
    path("admin/", admin.site.urls),
    path("api/schema/", SpectacularAPIView.as_view(), name="api_schema"),
    path(
        "api/docs/",
        SpectacularSwaggerSplitView.as_view(url_name="api_schema", template_name="api_docs.html"),
        name="api_docs",
    ),
    path("api/v1/", include("config.api_urls")),
    re_path(r"^api/.*/$", UnknownAddress.as_view()),
    path("language/", set_language, name="set_language"),
    path("jsi18n/", JavaScriptCatalog.as_view(), name="javascript_catalog"),
]
