"""A provider of logins and a small API behind it, by django-oauth-toolkit: a site of one file."""

import json
import sys

import django
from django.conf import settings

port = int(sys.argv[1])
base = f"http://127.0.0.1:{port}"
page = ("<form method=post>{% csrf_token %}{{ form.as_p }}<input type=submit value='Log in'></form>")
settings.configure(
    SECRET_KEY="of-a-test", ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, USE_TZ=True, DEBUG=False,
    LOGGING_CONFIG=None, DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "provider.db"}},
    INSTALLED_APPS=[
        "django.contrib.contenttypes", "django.contrib.auth", "django.contrib.sessions", "oauth2_provider"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware"],
    TEMPLATES=[{
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request", "django.contrib.auth.context_processors.auth"],
            "loaders": [
                ("django.template.loaders.locmem.Loader", {"registration/login.html": page}),
                "django.template.loaders.app_directories.Loader"]}}],
    LOGIN_URL="/login/", DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    OAUTH2_PROVIDER={
        "SCOPES": {"read": "Reading books"}, "DEFAULT_SCOPES": ["read"], "PKCE_REQUIRED": True,
        "ALLOWED_REDIRECT_URI_SCHEMES": ["http", "https"], "DEVICE_FLOW_INTERVAL": 1,
        "OAUTH_DEVICE_VERIFICATION_URI": f"{base}/o/device/",
        "OAUTH_DEVICE_VERIFICATION_URI_COMPLETE": lambda code: f"{base}/o/device/?user_code={code}"})
django.setup()

from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse
from django.urls import include, path
from oauth2_provider.decorators import protected_resource
from oauth2_provider.models import Application
from waitress import serve


@protected_resource(scopes=["read"])
def books(request):
    number = int(request.GET.get("page", 1))
    items = [{"id": n, "title": f"Book {n}"} for n in range(number * 10 - 9, number * 10 + 1)]
    return JsonResponse({"items": items if 1 <= number <= 3 else []})


urlpatterns = [
    path("login/", LoginView.as_view()), path("o/", include("oauth2_provider.urls")),
    path("v1/books", books),
]

call_command("migrate", verbosity=0)
person = User.objects.create_user("reader", password="reader-pass")
for name, grant in [
    ("device", Application.GRANT_DEVICE_CODE), ("browser", Application.GRANT_AUTHORIZATION_CODE)
]:
    Application.objects.create(
        name=f"trawl by {name}", user=person, client_id=f"canary-{name}", client_secret="canary-secret",
        client_type=Application.CLIENT_CONFIDENTIAL, authorization_grant_type=grant,
        redirect_uris="http://127.0.0.1/" if name == "browser" else "")
print(json.dumps({"base": base}), flush=True)
serve(get_wsgi_application(), host="127.0.0.1", port=port, _quiet=True)
