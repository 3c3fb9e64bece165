"""Settings. Everything an operator may change is an environment variable listed in docs/deployment.md."""

import os
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import environ

from config import admin_theme, csp
from config.database import build_broker, build_connection, build_url_for_role
from config.home import BASE, HOME, load_secret_key
from config.postgres import Cluster
from config.roles import APP, MQ, OWNER

env = environ.Env()

# onnxruntime reports its use to its maker over the network, from the moment that it is imported, unless this is set.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

# ── Installation ───────────────────────────────────────────────────────────────────────────────────────────────────

CLEARANCE_HOME = HOME
CLEARANCE_BIND = env.str("CLEARANCE_BIND", "127.0.0.1")
CLEARANCE_PORT = env.int("CLEARANCE_PORT", 8000)
CLEARANCE_HTTPS = env.bool("CLEARANCE_HTTPS", False)
# Addresses or networks of the proxies in front, which alone say for whom they ask (X-Forwarded-For).
CLEARANCE_PROXIES = env.list("CLEARANCE_PROXIES", default=[])
# Load the demo workspace on the first run; never on a public address.
CLEARANCE_DEMO = env.bool("CLEARANCE_DEMO", True)
DEBUG = env.bool("CLEARANCE_DEBUG", False)
SECRET_KEY = env.str("CLEARANCE_SECRET_KEY", "") or load_secret_key(HOME)
ALLOWED_HOSTS = env.list("CLEARANCE_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
# Workers and commands speak this one: what they store must not depend on a reader's language.
LANGUAGE_CODE = "en-gb"
LANGUAGES = [("en-gb", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE / "locale"]
LANGUAGE_COOKIE_NAME = "clearance_language"
TIME_ZONE = env.str("CLEARANCE_TIME_ZONE", "UTC")
# Without a mail server invitations are links to be handed on.
MAIL_URL = env.str("CLEARANCE_MAIL_URL", "")
EMAIL_HOST = ""
if MAIL_URL:
    globals().update(env.email_url("CLEARANCE_MAIL_URL"))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("CLEARANCE_MAIL_FROM", "clearance@localhost")
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# An app imports only what stands below it (pyproject.toml, import-linter); startup runs from the bottom up.
LAYERS = ["chat", "pulse", "retrieval", "references", "ingestion", "llm", "entities"]

INSTALLED_APPS = [
    *LAYERS,
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.postgres",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "guardian",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "pgvector.django",
    "csp",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.csp.Middleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "entities.language.LanguageMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "entities.middleware.ScopeMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "entities.shell_context.shell",
                "llm.context.model_notice",
            ],
        },
    },
]

# ── Database: the application's role; the owner of the tables only for commands named in manage.py ──────────────────

EMBEDDED = not env.str("DATABASE_URL", "")
DATABASE_URL = env.str("DATABASE_URL", "") or Cluster(HOME).url(APP)
DATABASE_OWNER_URL = env.str("DATABASE_OWNER_URL", "") or (Cluster(HOME).url(OWNER) if EMBEDDED else DATABASE_URL)
# Where a pooler that pools transactions stands before DATABASE_URL, LISTEN needs an address of its own.
LISTEN_URL = env.str("CLEARANCE_LISTEN_URL", "") or DATABASE_URL
AS_OWNER = env.str("CLEARANCE_DB_ROLE", "app") == "owner"
# Only the web server pools: a worker forks, and a pool does not survive that.
DATABASE_POOL = env.int("CLEARANCE_DB_POOL", 0)
DATABASE_PREPARED = env.bool("CLEARANCE_DB_PREPARED", True)
DATABASES = {
    "default": build_connection(DATABASE_OWNER_URL)
    if AS_OWNER
    else build_connection(DATABASE_URL, pool=DATABASE_POOL, prepare=DATABASE_PREPARED)
}

# ── People ─────────────────────────────────────────────────────────────────────────────────────────────────────────

AUTH_USER_MODEL = "entities.User"
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend", "guardian.backends.ObjectPermissionBackend"]
PASSWORD_HASHERS = ["entities.passwords.PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "/sign-in/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/sign-in/"

GUARDIAN_USER_OBJ_PERMS_MODEL = "entities.EntityUserGrant"
GUARDIAN_GROUP_OBJ_PERMS_MODEL = "entities.EntityRoleGrant"
GUARDIAN_GET_CONTENT_TYPE = "entities.access.get_entity_content_type"
ANONYMOUS_USER_NAME = None

# ── The wire ───────────────────────────────────────────────────────────────────────────────────────────────────────

SESSION_COOKIE_NAME = "clearance_session"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = CLEARANCE_HTTPS
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_NAME = "clearance_csrf"
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in ALLOWED_HOSTS] if CLEARANCE_HTTPS else []
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "SAMEORIGIN"
if CLEARANCE_HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 31_536_000
CONTENT_SECURITY_POLICY = csp.PAGES

# Largest uploaded file in bytes. Files stream to disk; other request bodies stay small (config/bodies.py).
CLEARANCE_MAX_UPLOAD = env.int("CLEARANCE_MAX_UPLOAD", 100_000_000)
FILE_UPLOAD_HANDLERS = ["ingestion.upload_handler.UploadHandler"]
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000
DATA_UPLOAD_MAX_NUMBER_FILES = 50
FILE_UPLOAD_TEMP_DIR = str(CLEARANCE_HOME / "incoming")  # where ingestion.tidy finds what a killed server left
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700

# ── Files ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def build_storage(url: str) -> dict[str, Any]:
    """A Django STORAGES entry of a directory, or of `s3://bucket/prefix?endpoint_url=…` (needs requirements-s3.txt)."""
    parts = urlsplit(url)
    if parts.scheme == "s3":
        options = {"bucket_name": parts.netloc, "location": parts.path.lstrip("/"), **dict(parse_qsl(parts.query))}
        return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
    location = parts.path if parts.scheme == "file" else url
    return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": location}}


# Hashed names need `manage.py collectstatic` (make up runs it); without, files are served from where they lie.
STATIC_HASHED = env.bool("CLEARANCE_STATIC_HASHED", not DEBUG)
STATIC_URL = "/static/"
UNFOLD = admin_theme.UNFOLD
STATIC_ROOT = HOME / "static"
STATICFILES_DIRS = [BASE / "static"]
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = not STATIC_HASHED
STORAGES = {
    "default": build_storage(env.str("CLEARANCE_STORAGE", "") or str(HOME / "files")),
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if STATIC_HASHED
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
MEDIA_ROOT = HOME / "files"

# ── API ────────────────────────────────────────────────────────────────────────────────────────────────────────────

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "entities.api.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    # Files are taken by the one view that says so (ingestion/api.py).
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "URL_FORMAT_OVERRIDE": None,
    "DEFAULT_PAGINATION_CLASS": "entities.api.Pagination",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "entities.api.exception_handler",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Clearance",
    "DESCRIPTION": "Records, their documents, search and chat, each reader seeing what they are cleared for.",
    "VERSION": "1.0.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
    # 3.1 is JSON Schema as it stands: answers are checked against it (tests/flows/test_openapi.py).
    "OAS_VERSION": "3.1.0",
    "POSTPROCESSING_HOOKS": ["entities.api.shapes.add_errors"],
}

# ── Models ─────────────────────────────────────────────────────────────────────────────────────────────────────────

ANTHROPIC_API_KEY = env.str("ANTHROPIC_API_KEY", "")
ANTHROPIC_BASE_URL = env.str("ANTHROPIC_BASE_URL", "")
# A server that speaks OpenAI's Chat Completions API, where neither of the two above is set. Other programs have these
# variables as well, so they are read only where an operator has chosen that API for Clearance.
MODEL_API = env.str("CLEARANCE_MODEL_API", "anthropic")
OPENAI_API_KEY = env.str("OPENAI_API_KEY", "") if MODEL_API == "openai" else ""
OPENAI_BASE_URL = env.str("OPENAI_BASE_URL", "") if MODEL_API == "openai" else ""
MODEL_TIERS = {
    "fast": env.str("CLEARANCE_MODEL_FAST", "claude-haiku-5-5"),
    "standard": env.str("CLEARANCE_MODEL_STANDARD", "claude-sonnet-5-5"),
    "deep": env.str("CLEARANCE_MODEL_DEEP", "claude-opus-5-5"),
}
# Whether administrators may connect a model of their workspace's own; if not, only the settings above count.
WORKSPACE_MODELS = env.bool("CLEARANCE_WORKSPACE_MODELS", True)
# Where servers of models listen on this computer (Ollama, LM Studio, llama.cpp): administrators may look there.
LOCAL_MODEL_PORTS = env.list("CLEARANCE_LOCAL_MODEL_PORTS", int, default=[11434, 1234, 8080])
# USD per million tokens (in, out) of models that llm/models_catalogue.py does not know: {"local-70b": ["0", "0"]}.
MODEL_PRICES = env.json("CLEARANCE_MODEL_PRICES", default={})
# auto: the real API when a key or an address is set, else the offline engine.
MODEL_TRANSPORT = env.str("CLEARANCE_MODEL_TRANSPORT", "auto")
# Seconds between two pieces of an answer that the offline engine streams, so that it can be read as it comes.
OFFLINE_PACE = env.float("CLEARANCE_OFFLINE_PACE", 0.01)
# USD a month and workspace, where the workspace has no budget of its own.
CLEARANCE_MONTHLY_BUDGET = env.str("CLEARANCE_MONTHLY_BUDGET", "100")
# Options of each kind: ingestion/embed.py. Of ranking: retrieval/tuning.py.
CLEARANCE_EMBEDDER = env.json("CLEARANCE_EMBEDDER", default=None)
# Further embedders, for workspaces that go over from one model to another: manage.py vector_model.
CLEARANCE_EMBEDDERS = env.json("CLEARANCE_EMBEDDERS", default=[])
# A directory with a cross-encoder, for workspaces that rerank with it: retrieval/cross_encoder.py.
CLEARANCE_RERANKER = env.json("CLEARANCE_RERANKER", default={})
RETRIEVAL = env.json("CLEARANCE_RETRIEVAL", default={})
# Text on pictures (docs/ocr.md): languages as Tesseract names them, "" for none; its library, where it is not found.
CLEARANCE_OCR_LANGUAGES = env.str("CLEARANCE_OCR_LANGUAGES", "eng")
CLEARANCE_TESSERACT = env.str("CLEARANCE_TESSERACT", "")
TESSDATA_PREFIX = env.str("TESSDATA_PREFIX", "")
# Limited processes are forked from a warm template (docs/sandbox.md); 0: each is a fresh interpreter.
LIMITED_PROCESS_TEMPLATE = env.bool("CLEARANCE_PROCESS_TEMPLATE", sys.platform == "linux")
# "weak": files are opened on Linux also where the kernel offers less than docs/sandbox.md asks for.
LIMITED_PROCESS_MAY_BE_WEAK = env.str("CLEARANCE_SANDBOX", "") == "weak"
# The user and group that a limited process becomes where Clearance runs as root: one that owns nothing.
LIMITED_PROCESS_USER = env.int("CLEARANCE_SANDBOX_UID", 65_520)
# Warm limited processes that find labels in what people type; 0: the web process does it itself.
JUDGES = env.int("CLEARANCE_JUDGES", 2 if sys.platform == "linux" else 0)
SEARCHES_A_MINUTE = env.int("CLEARANCE_SEARCHES_A_MINUTE", 120)

# ── Work in the background: PostgreSQL is the truth, the broker only wakes workers ──────────────────────────────────

CELERY_BROKER_URL, CELERY_BROKER_TRANSPORT_OPTIONS = build_broker(
    env.str("CLEARANCE_BROKER_URL", "") or (Cluster(HOME).url(MQ) if EMBEDDED else build_url_for_role(DATABASE_URL, MQ))
)
CELERY_TASK_DEFAULT_QUEUE = "clearance"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
# Below the visibility timeout of 1,800 s, after which the broker would deliver a running task a second time.
CELERY_TASK_SOFT_TIME_LIMIT = 1500
CELERY_TASK_TIME_LIMIT = 1600
# A worker takes no message that another one could begin with now.
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CONCURRENCY = env.int("CLEARANCE_WORKERS", 3)
# Files of one workspace that are worked on at once; None: as many as there are processes of workers; 0: no limit.
CLEARANCE_FILES_AT_ONCE = env.int("CLEARANCE_FILES_AT_ONCE", None)
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False
# kB; a process that has grown beyond it is replaced after its task.
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 1_500_000
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_POOL_LIMIT = 2
# Publishing happens after the commit, while somebody waits for a page; beat finds what could not be published.
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0, "interval_step": 0.2}
CELERY_BEAT_SCHEDULE_FILENAME = str(HOME / "beat-schedule")


def load_schedules() -> dict[str, dict[str, Any]]:
    """What the apps want done periodically: `SCHEDULE` in an app's `schedule.py`, as Celery's beat_schedule takes it.

    The module is read while settings load, so it imports no models. An entry that is due every so many seconds expires
    after as many, so that they do not pile up while no worker runs.
    """
    found: dict[str, dict[str, Any]] = {}
    for app in LAYERS:
        if find_spec(f"{app}.schedule"):
            found.update(import_module(f"{app}.schedule").SCHEDULE)
    return {
        name: {**entry, "options": {"expires": entry["schedule"], **entry.get("options", {})}}
        if isinstance(entry["schedule"], int | float)
        else entry
        for name, entry in found.items()
    }


CELERY_BEAT_SCHEDULE = load_schedules()

# ── Logs: for operators. No text of users, no query strings ────────────────────────────────────────────────────────

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "no_query": {"()": "config.logs.WithoutQuery"},
        "no_secret": {"()": "config.logs.WithoutInvitation"},
        "no_traceback": {"()": "config.logs.WithoutTraceback"},
    },
    "formatters": {
        "line": {
            "()": "config.logs.WithoutDetail",
            "fmt": "{asctime} {levelname:<7} {name}: {message}",
            "style": "{",
        }
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["no_secret", "no_traceback"]},
        "access": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["no_query", "no_secret"]},
    },
    "root": {"handlers": ["console"], "level": env.str("CLEARANCE_LOG_LEVEL", "INFO").upper()},
    "loggers": {
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        "django.server": {"handlers": ["access"], "level": "INFO", "propagate": False},
        "uvicorn.access": {"handlers": ["access"], "level": "INFO", "propagate": False},
        "uvicorn.error": {"level": "INFO"},
        "celery.app.trace": {"level": "WARNING"},
        "kombu": {"level": "WARNING"},
        # "No hostname was supplied": the transport takes it from its options.
        "kombu.connection": {"level": "ERROR"},
        "pgmq": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},
        "anthropic": {"level": "WARNING"},
        "pdfminer": {"level": "ERROR"},
        "presidio-analyzer": {"level": "ERROR"},
    },
}
