"""Holds what a translated job asks of an imitation against what the field's own engine asks of it."""

import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qsl

TIME = re.compile(r"\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?|\b1[5-9]\d{8}(?:\d{3})?\b")


def plain(text):
    return re.sub(r"[^a-z0-9]", "", text.lower())


def timeless(value):
    if isinstance(value, dict):
        return {key: timeless(one) for key, one in value.items()}
    if isinstance(value, list):
        return [timeless(one) for one in value]
    return TIME.sub("TIME", str(value)) if isinstance(value, (str, int)) and not isinstance(value, bool) else value


class Engine:
    """What the engine asked, stream by stream, and the settings that it was given."""

    def __init__(self, manifest, server, names):
        script = Path(__file__).parent / "engine.py"
        words = [sys.executable, str(script), str(manifest), str(server.server_port), json.dumps(names)]
        ended = subprocess.run(words, capture_output=True, text=True, timeout=300)
        lines = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
        self.settings, self.streams = lines if len(lines) == 2 else ({}, {})
        self.trouble = None if self.streams else (ended.stderr.strip().split("\n") or [""])[-1][:120]

    def setting(self, name):
        """As a person types it; nil: the engine has none of this name."""
        pending = [self.settings]
        while pending:
            for key, value in pending.pop(0).items():
                if isinstance(value, dict):
                    pending.append(value)
                elif plain(key) == plain(name):
                    if isinstance(value, bool):
                        return str(value).lower()
                    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
        return None


class Exchange:
    """Requests in a form in which those of both can be the same: without secrets, and each time as one word."""

    def __init__(self, api, engine):
        self.pagers, self.windows, self.first, self.secrets = {"__page"}, set(), {}, set()
        for stream in api.streams.values():
            option = (stream.option.get("field_path") or [None])[0] or stream.option.get("field_name")
            self.pagers |= {one for one in (option, stream.size.get("field_name")) if one}
            self.windows |= stream.own() - {option, stream.size.get("field_name")}
            # The engine leaves the first position out; a job may say it.
            if stream.strategy.get("type") in ("PageIncrement", "OffsetIncrement"):
                self.first.setdefault(option, set()).add(str(stream.strategy.get("start_from_page") or 0))
        self.windows -= self.pagers
        for one in engine.streams.values():
            for request in one["requests"]:
                self.secrets |= {key for key, value in self.members(request) if "SECRET" in str(value)}

    def members(self, request):
        method, _, query, body = request
        try:
            body = json.loads(body) if body and method != "GET" else {}
        except ValueError:
            body = dict(parse_qsl(body, keep_blank_values=True))
        return parse_qsl(query, keep_blank_values=True) + (list(body.items()) if isinstance(body, dict) else [("", body)])

    def form(self, request, also=()):
        kept = sorted(
            (key, json.dumps(timeless(value), sort_keys=True)) for key, value in self.members(request)
            if key not in self.secrets | self.windows and key not in also and str(value) not in self.first.get(key, ()))
        return (request[0], re.sub("/+", "/", TIME.sub("TIME", request[1])), *kept)

    def differences(self, engine, sent):
        """What the engine asked and the job did not, stream by stream; and what the job alone asked."""
        ours = {self.form(one) for one in sent}
        for name, one in engine.streams.items():
            if not one.get("error"):
                missing = sorted({self.form(request) for request in one["requests"]} - ours)
                if missing:
                    yield name, f"{len(missing)} requests of the engine were not sent: {missing[0]}"
        if any(one.get("error") or one["isCut"] for one in engine.streams.values()):
            return
        theirs = {self.form(request, self.pagers) for one in engine.streams.values() for request in one["requests"]}
        extra = sorted({self.form(one, self.pagers) for one in sent} - theirs)
        if extra:
            yield "", f"{len(extra)} requests are not the engine's: {extra[0]}"
