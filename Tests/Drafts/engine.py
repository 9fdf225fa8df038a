"""Reads a manifest's streams with the field's own engine (airbyte-cdk), each request sent to an imitation on this
machine. `engine.py MANIFEST PORT NAMES` prints the settings that it was given, those of NAMES among them, and for
each stream its requests, or why it could not be read."""

import json
import logging
import re
import sys
import time
from datetime import datetime, timedelta, timezone
from itertools import islice
from urllib.parse import urlsplit

import yaml
from airbyte_cdk.sources.declarative.auth.jwt import JwtAuthenticator
from airbyte_cdk.sources.declarative.auth.oauth import DeclarativeOauth2Authenticator
from airbyte_cdk.sources.declarative.auth.token_provider import SessionTokenProvider
from airbyte_cdk.sources.declarative.concurrent_declarative_source import ConcurrentDeclarativeSource
from requests.adapters import HTTPAdapter

PARTITIONS = 60  # of one stream: its windows may be a day long and begin years ago
sent = []


def redirect(port):
    plain = HTTPAdapter.send

    def send(self, request, **words):
        parts = urlsplit(request.url)
        body = request.body.decode() if isinstance(request.body, bytes) else request.body
        sent.append([request.method, parts.path, parts.query, body or ""])
        request.url = f"http://127.0.0.1:{port}{parts.path}" + (f"?{parts.query}" if parts.query else "")
        words["proxies"] = {}
        return plain(self, request, **words)

    HTTPAdapter.send = send
    SessionTokenProvider.get_token = DeclarativeOauth2Authenticator.get_access_token = lambda self: "SECRET"
    JwtAuthenticator.get_auth_header = lambda self: {}
    time.sleep = lambda _: None


FORMS = ["%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d", "%Y-%m-%dT%H:%M:%S.000Z", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%s"]


def day(name, shape, form):
    """Three days ago, or one for an end, as the setting's pattern or example wants it."""
    days = 1 if re.search("end|until|_to$", name) else 3
    at = datetime.now(timezone.utc).replace(hour=0, minute=0, second=0) - timedelta(days=days)
    pattern = shape.get("pattern") if "4}" in str(shape.get("pattern")) else None
    examples = [re.sub(r"\d", "0", str(one)) for one in shape.get("examples") or []]
    for one in FORMS if pattern or examples else []:
        text = at.strftime(one)
        if re.fullmatch(pattern, text) if pattern else re.sub(r"\d", "0", text) in examples:
            return text
    return at.strftime(form)


def setting(name, shape, form):
    """What a person might have typed. A secret is known again in the requests."""
    kind = shape.get("type")
    kind = next((one for one in kind if one != "null"), None) if isinstance(kind, list) else kind
    if "const" in shape:
        return shape["const"]
    if shape.get("oneOf"):
        return setting(name, {"type": "object", **shape["oneOf"][0]}, form)
    if kind == "object":
        return settings(shape, form)
    if shape.get("airbyte_secret"):
        return "SECRET"
    if kind == "array":
        items = shape.get("items") or {}
        return shape.get("default") or ([setting(name, items, form)] if items.get("type") != "object" else [])
    if shape.get("default") not in (None, ""):
        return shape["default"]
    if kind == "boolean":
        return False
    if kind in ("integer", "number"):
        return 7
    if shape.get("enum"):
        return shape["enum"][0]
    dated = re.search("date|since|start_time|end_time", name) or shape.get("format") in ("date", "date-time")
    return day(name, shape, form) if dated else "7"


def settings(shape, form):
    return {name: setting(name, one, form) for name, one in (shape.get("properties") or {}).items() if isinstance(one, dict)}


def read(stream):
    known = len(sent)
    try:
        partitions = list(islice(stream.generate_partitions(), PARTITIONS + 1))
        for partition in partitions[:PARTITIONS]:
            for _ in partition.read():
                pass
        return {"requests": sent[known:], "isCut": len(partitions) > PARTITIONS}
    except Exception as error:
        return {"requests": sent[known:], "error": f"{type(error).__name__}: {error}"[:300]}


def without_schemas(value):
    """Schemas in files of the connector's package, or made by code of its own, ask nothing."""
    if isinstance(value, list):
        return [without_schemas(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: {"type": "InlineSchemaLoader", "schema": {}} if key == "schema_loader" else without_schemas(one) for key, one in value.items()}


def configuration(manifest, text, form, names):
    """Of what the manifest says about its settings, and of those that it only uses."""
    config = settings((manifest.get("spec") or {}).get("connection_specification") or {}, form)
    for first, second in re.findall(r"config(?:\.(?!get\b)|\.get\(['\"]|\[['\"])(\w+)(?:['\"]\]\[['\"](\w+))?", text):
        if not second:
            config.setdefault(first, "SECRET" if re.search("key|token|secret|password", first) else setting(first, {}, form))
    for name in re.findall(r"url(?:_base)?: *['\"]?\{\{ *config(?:\.|\[['\"])(\w+)", text):
        config[name] = "https://api.example"
    known = {re.sub(r"[^a-z0-9]", "", key.lower()) for key in keys(config)}
    for name in names:
        if re.sub(r"[^a-z0-9]", "", name.lower()) not in known:
            config[name] = "7"
    return config


def keys(value):
    for key, one in value.items():
        yield key
        if isinstance(one, dict):
            yield from keys(one)


def main():
    logging.disable(logging.CRITICAL)
    text = open(sys.argv[1]).read()
    manifest = without_schemas(yaml.load(text, Loader=yaml.CSafeLoader))
    redirect(int(sys.argv[2]))
    for form in FORMS:
        config = configuration(manifest, text, form, json.loads(sys.argv[3]))
        try:
            streams = ConcurrentDeclarativeSource(config=config, source_config=manifest).streams(config)
            break
        except ValueError as error:
            if form == FORMS[-1] or not re.search("time data|unconverted|invalid literal for int", str(error)):
                raise
    print(json.dumps(config))
    print(json.dumps({stream.name: read(stream) for stream in streams}))


main()
