"""Settings: one file, read from the environment.

Two ways to run with the same code. Without `DATABASE_URL` and `REDIS_URL` the site runs embedded: SQLite and the in-memory
channel layer, in one process. With both it runs on PostgreSQL and Redis, in any number of processes.
"""

from pathlib import Path

import dj_database_url
import django_stubs_ext
from csp.constants import NONCE, NONE, SELF
from django.templatetags.static import static
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from environs import Env
from redis.backoff import NoBackoff
from redis.retry import Retry

django_stubs_ext.monkeypatch()  # lets ModelForm[User] and the like be written at run time

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = BASE_DIR / "data"

env = Env()
env.read_env(str(BASE_DIR / ".env"), recurse=False)

# --- What an operator sets -----------------------------------------------------------------------------------------
DEBUG = env.bool("DEBUG", False)
DATABASE_URL = env.str("DATABASE_URL", "")
REDIS_URL = env.str("REDIS_URL", "")
SECRET_KEY = env.str("SECRET_KEY", "")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]"])
# Full origins (scheme, host, port) that may open a table's socket besides the page's own host.
TRUSTED_ORIGINS: list[str] = env.list("TRUSTED_ORIGINS", [])
SECURE_COOKIES = env.bool("SECURE_COOKIES", False)
LOG_LEVEL = env.str("LOG_LEVEL", "WARNING")
NUM_PROXIES = env.int("NUM_PROXIES", 0)  # in front, for limits per address
SITE_URL = env.str("SITE_URL", "").rstrip("/")  # where people reach the site, for links in mails

DATA_DIR.mkdir(exist_ok=True)
if not SECRET_KEY:
    # A site that nobody configured gets a random key of its own, kept beside its database.
    from django.core.management.utils import get_random_secret_key

    _key_file = DATA_DIR / "secret-key"
    if not _key_file.exists():
        _key_file.touch(mode=0o600)
        _key_file.write_text(get_random_secret_key())
    SECRET_KEY = _key_file.read_text()

# --- Applications --------------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "unfold",
    "unfold.contrib.filters",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "allauth",
    "allauth.account",
    "allauth.usersessions",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "csp",
    "accounts",
    "clubs",
    "games",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "accounts.sessions.KeepSession",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.reads.ReadAgain",
    "accounts.sessions.session_use",
    "accounts.sessions.shown_to_one",
    "clubs.pages.ClubTime",
    "accounts.pages.form_only",
]
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "csp.context_processors.nonce",
                "clubs.pages.shell",
            ]
        },
    }
]

# --- Database, channel layer, cache --------------------------------------------------------------------------------
DATABASES = {"default": dj_database_url.parse(DATABASE_URL or f"sqlite:///{DATA_DIR / 'club.sqlite3'}")}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # IMMEDIATE takes the write lock at BEGIN, so two writers wait for each other instead of failing on upgrade.
    # synchronous=FULL: what was acknowledged is on disk.
    DATABASES["default"].setdefault("OPTIONS", {}).update(
        {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;",
        }
    )
    # A file, not memory: test servers run in other threads and processes.
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
else:
    DATABASES["default"]["ENGINE"] = "config.postgresql"
    # Under ASGI a kept connection belongs to a thread that may never come back; the pool is the cache.
    DATABASES["default"]["CONN_MAX_AGE"] = 0
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
    DATABASES["default"].setdefault("OPTIONS", {}).update(
        {
            "pool": {"min_size": 2, "max_size": env.int("DATABASE_POOL", 24), "timeout": 10},
            # What was acknowledged is on disk, whatever the server's default is. And a process that stands still in the
            # middle of a transaction holds up its table, whose next row waits for it, for this long at most.
            "options": "-c synchronous_commit=on -c idle_in_transaction_session_timeout=5s",
        }
    )
if REDIS_URL:
    CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {
                "hosts": [{"address": REDIS_URL, "socket_timeout": None}],
                "prefix": env.str("REDIS_PREFIX", "mahjong"),
            },
        }
    }
    CACHES = {
        "default": {
            "BACKEND": "config.cache.RedisOrLocalCache",
            "LOCATION": REDIS_URL,
            "KEY_PREFIX": env.str("REDIS_PREFIX", "mahjong"),
            # A request waits a second for it at most, and not for further tries.
            "OPTIONS": {"socket_timeout": 1, "socket_connect_timeout": 1, "retry": Retry(NoBackoff(), 1)},
        }
    }
else:
    CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

# --- Accounts ------------------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
ACCOUNT_LOGOUT_REDIRECT_URL = "home"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"  # of an address at sign-up, where nobody is asked for one
ACCOUNT_CHANGE_EMAIL = True  # one address a person, in use once it is confirmed
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ALLAUTH_TRUSTED_PROXY_COUNT = NUM_PROXIES  # else all who come by a proxy share its tries to sign in
ACCOUNT_ADAPTER = "clubs.signup.InvitedAccountAdapter"
ACCOUNT_FORMS = {"login": "accounts.forms.LoginForm", "signup": "accounts.forms.SignupForm"}

# --- Mail ----------------------------------------------------------------------------------------------------------
# Without a mail server mails are printed where the site runs.
EMAIL_HOST = env.str("EMAIL_HOST", "")
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend"
EMAIL_PORT = env.int("EMAIL_PORT", 587)
EMAIL_HOST_USER = env.str("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = env.str("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = env.bool("EMAIL_USE_TLS", True)
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = env.str("EMAIL_FROM", "club@localhost")

# --- Language and time ---------------------------------------------------------------------------------------------
LANGUAGE_CODE = "zh-hans"
LANGUAGES = [("zh-hans", "简体中文"), ("en", "English")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_TZ = True
TIME_ZONE = "Asia/Shanghai"

# --- Static files and security -------------------------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF, NONCE],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "object-src": [NONE],
        "base-uri": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    },
    # The admin theme brings inline scripts of its package.
    "EXCLUDE_URL_PREFIXES": ("/admin/",),
}
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_COOKIES
CSRF_TRUSTED_ORIGINS = TRUSTED_ORIGINS

# --- API -----------------------------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "accounts.problems.problem_handler",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_PAGINATION_CLASS": "accounts.paging.CursorPages",
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.tokens.TokenAuthentication",
        "accounts.tokens.SessionAuthentication",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_THROTTLE_CLASSES": [
        "accounts.throttles.UserThrottle",
        "accounts.throttles.AddressThrottle",
    ],
    "DEFAULT_THROTTLE_RATES": {"user": "600/min", "anon": "60/min"},
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
    "NUM_PROXIES": NUM_PROXIES,
}
SPECTACULAR_SETTINGS = {
    "ENUM_NAME_OVERRIDES": {"CoinsRequestKindEnum": ["issue", "withdraw"]},  # two orders have it
    "TITLE": "Sichuan mahjong club API",
    "DESCRIPTION": """Clubs, members, rooms, coins and finished hands, over HTTP and JSON.

**Signing in.** On the site open *Account* (账户), make an API token there (it is shown once), and send it with every
request: `Authorization: Bearer smc_…`. To try the routes on this page press *Authorize* and paste the token. Whoever is
signed in on the site may also try them without one: the browser's session counts, writes then need the CSRF token.

    curl -H "Authorization: Bearer smc_…" https://club.example/api/v1/me/

**Errors** are `application/problem+json` (RFC 9457) with a stable `code`. **Times** are RFC 3339 in UTC. **Coins** are
whole numbers. **Lists** are paged by `limit` and `cursor`. `docs/api.md` in the source tells the rest.""",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

# --- Admin ---------------------------------------------------------------------------------------------------------
UNFOLD = {
    "SITE_TITLE": _("麻将俱乐部管理"),
    "SITE_HEADER": _("麻将俱乐部"),
    "SITE_SYMBOL": "playing_cards",
    "STYLES": [lambda request: static("css/admin.css")],
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("site/mark.svg")}],
    "SHOW_LANGUAGES": True,
    "SHOW_HISTORY": False,
    "DASHBOARD_CALLBACK": "games.admin.dashboard.dashboard",
    "COLORS": {
        "primary": {
            "50": "oklch(97% .02 165)",
            "100": "oklch(94% .04 165)",
            "200": "oklch(88% .07 165)",
            "300": "oklch(79% .09 165)",
            "400": "oklch(68% .10 165)",
            "500": "oklch(61% .10 165)",
            "600": "oklch(48% .09 165)",
            "700": "oklch(41% .08 165)",
            "800": "oklch(34% .06 165)",
            "900": "oklch(28% .05 165)",
            "950": "oklch(21% .04 165)",
        }
    },
    "SIDEBAR": {
        "navigation": [
            {
                "items": [
                    {"title": _("概况"), "icon": "dashboard", "link": reverse_lazy("admin:index")},
                    {
                        "title": pgettext_lazy("复数", "俱乐部"),
                        "icon": "groups",
                        "link": reverse_lazy("admin:clubs_club_changelist"),
                    },
                    {
                        "title": pgettext_lazy("复数", "成员"),
                        "icon": "badge",
                        "link": reverse_lazy("admin:clubs_membership_changelist"),
                    },
                    {
                        "title": pgettext_lazy("复数", "邀请"),
                        "icon": "mail",
                        "link": reverse_lazy("admin:clubs_invitation_changelist"),
                    },
                    {
                        "title": pgettext_lazy("复数", "入社申请"),
                        "icon": "person_add",
                        "link": reverse_lazy("admin:clubs_joinrequest_changelist"),
                        "badge": "clubs.admin.joining.requests_pending",
                    },
                    {
                        "title": pgettext_lazy("复数", "房间"),
                        "icon": "meeting_room",
                        "link": reverse_lazy("admin:clubs_room_changelist"),
                    },
                    {
                        "title": pgettext_lazy("复数", "牌局"),
                        "icon": "playing_cards",
                        "link": reverse_lazy("admin:games_hand_changelist"),
                    },
                    {
                        "title": pgettext_lazy("复数", "申诉"),
                        "icon": "flag",
                        "link": reverse_lazy("admin:games_report_changelist"),
                    },
                    {
                        "title": pgettext_lazy("复数", "每日统计"),
                        "icon": "calendar_month",
                        "link": reverse_lazy("admin:games_dayfigures_changelist"),
                    },
                ]
            },
            {
                "title": _("账本"),
                "items": [
                    {
                        "title": pgettext_lazy("复数", "转账"),
                        "icon": "receipt_long",
                        "link": reverse_lazy("admin:accounts_transfer_changelist"),
                    },
                    {
                        "title": pgettext_lazy("复数", "账户"),
                        "icon": "account_balance_wallet",
                        "link": reverse_lazy("admin:accounts_account_changelist"),
                    },
                    {
                        "title": pgettext_lazy("复数", "头衔变动"),
                        "icon": "military_tech",
                        "link": reverse_lazy("admin:clubs_levelchange_changelist"),
                    },
                ],
            },
            {
                "title": _("网站"),
                "items": [
                    {
                        "title": pgettext_lazy("复数", "用户"),
                        "icon": "person",
                        "link": reverse_lazy("admin:accounts_user_changelist"),
                    },
                    {
                        "title": pgettext_lazy("复数", "API 令牌"),
                        "icon": "key",
                        "link": reverse_lazy("admin:accounts_apitoken_changelist"),
                    },
                    {
                        "title": _("操作日志"),
                        "icon": "history",
                        "link": reverse_lazy("admin:accounts_auditentry_changelist"),
                    },
                ],
            },
        ]
    },
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
}
