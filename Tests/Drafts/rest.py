"""A Django REST framework site of one file: one model, listed in each of its paginations."""

import sys

import django
from django.conf import settings

settings.configure(
    SECRET_KEY="of-a-test", ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, USE_TZ=True,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "rest.db"}},
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "rest_framework"],
    REST_FRAMEWORK={"DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"]})
django.setup()

from django.db import connection, models
from django.urls import path
from rest_framework import generics, pagination, serializers


class Ship(models.Model):
    name = models.CharField(max_length=50)
    built = models.DateTimeField()

    class Meta:
        app_label = "fleet"
        ordering = ["id"]


class ShipSerializer(serializers.ModelSerializer):
    class Meta:
        model = Ship
        fields = ["id", "name", "built"]


class Pages(pagination.PageNumberPagination):
    page_size = 10
    page_size_query_param = "page_size"


class Cursors(pagination.CursorPagination):
    page_size = 10
    ordering = "id"


def listed(by):
    return type(by.__name__ + "View", (generics.ListAPIView,), {
        "queryset": Ship.objects.all(), "serializer_class": ShipSerializer, "pagination_class": by,
    }).as_view()


urlpatterns = [
    path("pages/", listed(Pages)), path("offsets/", listed(pagination.LimitOffsetPagination)),
    path("cursors/", listed(Cursors)),
]

if __name__ == "__main__":
    from datetime import datetime, timezone
    from django.core.wsgi import get_wsgi_application
    from waitress import serve

    with connection.schema_editor() as editor:
        editor.create_model(Ship)
    Ship.objects.bulk_create(
        Ship(name=f"Ship {n}", built=datetime(2001, 2, 3, 4, 5, n % 60, tzinfo=timezone.utc))
        for n in range(57))
    serve(get_wsgi_application(), host="127.0.0.1", port=int(sys.argv[1]), _quiet=True)
