"""Reads a declarative manifest a second time, without a word of Trawl's translation, and imitates its API."""

import hashlib
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import jinja2
import yaml

RECORDS, PAGE = 5, 2
ENV = jinja2.Environment()
ENV.filters.update(regex_search=lambda text, rule: (re.findall(rule, text or "") or [""])[0])


def look(root, text):
    value = root
    for step in text[2:].split("/"):
        if isinstance(value, dict) and "$ref" in value:
            value = resolve(root, value)
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def resolve(root, value, depth=0):
    if depth > 80:
        raise ValueError("a circle")
    if isinstance(value, str) and value.startswith("#/"):
        return resolve(root, look(root, value), depth + 1)
    if isinstance(value, list):
        return [resolve(root, one, depth + 1) for one in value]
    if not isinstance(value, dict):
        return value
    base = resolve(root, look(root, value["$ref"]), depth + 1) if str(value.get("$ref", "")).startswith("#/") else {}
    own = {key: resolve(root, one, depth + 1) for key, one in value.items() if key != "$ref"}
    return {**base, **own} if isinstance(base, dict) else base


def hand_down(value, around=None, component=False):
    """The field's engine infers the type of some components that do not say it."""
    around = around or {}
    if isinstance(value, list):
        return [hand_down(one, around) for one in value]
    if not isinstance(value, dict):
        return value
    if "type" not in value and not component:
        return {key: hand_down(one, around) for key, one in value.items()}
    all_ = {**around, **(value.get("$parameters") or {})}
    inferred = ("retriever", "requester", "stream")
    found = {key: one if key == "schema" else hand_down(one, all_, key in inferred) for key, one in value.items() if key != "$parameters"}
    for key, one in all_.items():
        if not found.get(key):
            found[key] = one
    return {**found, "$parameters": all_}


def pattern(text, parameters):
    """A path with anything in the place of its templates."""
    parts = re.split(r"(\{\{.*?\}\}|\{%.*?%\})", text or "", flags=re.S)
    out = ""
    for part in parts:
        name = re.fullmatch(r"\{\{\s*parameters(?:\.|\[['\"])(\w+)(?:['\"]\])?\s*\}\}", part)
        if name:
            out += re.escape(str(parameters.get(name[1], "")))
        else:
            out += "[^?]*" if part.startswith("{") else re.escape(part)
    return out


def places(text, root):
    """`response.a['b'].get('c', {})` as lists of steps."""
    found = []
    for match in re.finditer(root + r"((?:\.get\(\s*['\"][^'\"]+['\"][^)]*\)|\.\w+(?!\w*\()|\[\s*['\"][^'\"]+['\"]\s*\])+)", text or ""):
        steps = re.findall(r"\.get\(\s*['\"]([^'\"]+)['\"]|\.(\w+)|\[\s*['\"]([^'\"]+)['\"]", match[1])
        names = [next(one for one in step if one) for step in steps]
        found.append([one for one in names if one not in ("split", "keys", "strip", "lower")])
    return [one for one in found if one]


def reach(value, path):
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def put(target, path, value):
    for step in path[:-1]:
        if not isinstance(target.get(step), dict):
            target[step] = {}
        target = target[step]
    target[path[-1]] = value


def unwrapped(node):
    """The whole reading of a stream that has two."""
    return node["full_refresh_stream"] if node.get("type") == "StateDelegatingStream" else node


class Stream:
    def __init__(self, node):
        node = unwrapped(node)
        self.node, self.name = node, str(node.get("name") or (node.get("$parameters") or {}).get("name"))
        retriever = node["retriever"]
        self.requester = retriever["requester"]
        self.parameters = self.requester.get("$parameters") or {}
        self.method = (self.requester.get("http_method") or "GET").upper()
        base = str(self.requester.get("url") or self.requester.get("url_base") or "")
        path = str(self.requester.get("path") or "").strip()
        whole = base.rstrip("/") + ("/" + path.lstrip("/") if path else "")
        self.constant = [pair for pair in parse_qsl(whole.partition("?")[2]) if "{" not in "".join(pair)] if "?" in whole else []
        # A base that is chosen by a template has a path of its own.
        front = "[^?]*" if re.match(r"\{\{[^}]*://", base) else ""
        self.path = re.compile("/*" + front + pattern(re.sub(r"^(https?://)?(\{\{.*?\}\}|[^/{])*", "", whole.partition("?")[0]), self.parameters).lstrip("/") + "/*")
        given = self.requester.get("request_parameters")
        self.given = given if isinstance(given, dict) else {}
        for key, value in self.given.items():
            if value is not None and not isinstance(value, (list, dict)) and "{" not in str(value):
                self.constant.append((key, str(value)))
        body = self.requester.get("request_body") or {}
        self.body = self.requester.get("request_body_json") or (body.get("value") if isinstance(body, dict) else None) or {}
        if isinstance(self.body, dict):
            self.body = {key: re.sub(r"\{\{\s*parameters\.(\w+)\s*\}\}", lambda one: str(self.parameters.get(one[1], one[0])), value)
                         if isinstance(value, str) else value for key, value in self.body.items()}
        paginator = retriever.get("paginator") or {}
        self.strategy = (paginator.get("pagination_strategy") or {}) if paginator.get("type") != "NoPagination" else {}
        # The last entry of the answer's list is the last record.
        cursor = re.sub(r"response(?:\.\w+(?!\w*\()|\[['\"]\w+['\"]\]|\.get\(['\"]\w+['\"]\))+\[-1\]", "last_record", str(self.strategy.get("cursor_value") or ""))
        self.strategy = {**self.strategy, "cursor_value": cursor}
        self.option = paginator.get("page_token_option") or {}
        self.size = paginator.get("page_size_option") or {}
        selector = retriever["record_selector"]
        self.records = [str(one) for one in (selector.get("extractor") or {}).get("field_path") or []]
        self.records = [ENV.from_string(one).render(parameters=(selector.get("extractor") or {}).get("$parameters") or {}, config={}) for one in self.records]
        self.records = [one for one in self.records if one]
        # The end may be a page without records alone.
        stop = str(self.strategy.get("stop_condition") or "")
        self.ends_empty = self.records in places(stop, "response") or bool(re.search(r"last_page_size\s*==\s*0|not last_record\b", stop))
        keys = node.get("primary_key") or []
        self.keys = [[keys]] if isinstance(keys, str) else [one if isinstance(one, list) else [one] for one in keys]
        added = {
            tuple(field.get("path") or []) for change in node.get("transformations") or []
            for field in change.get("fields") or [] if re.search("stream_(partition|slice)", str(field.get("value")))}
        # A key of the parent's alone: one record for each parent.
        self.count = 1 if self.keys and all(tuple(key) in added for key in self.keys) else RECORDS
        self.filter = ((selector.get("record_filter") or {}).get("condition")) or ""
        loader = node.get("schema_loader")
        loader = (loader[0] if loader else {}) if isinstance(loader, list) else loader or {}
        self.schema = (loader.get("schema") or {}).get("properties") or {}
        routers = retriever.get("partition_router") or []
        self.routers = routers if isinstance(routers, list) else [routers]
        self.cursor = node.get("incremental_sync") or {}
        self.wanted = set()  # members of records that children are asked by

    # what pages of this list are asked by
    def own(self):
        names = {"__page", self.size.get("field_name"), self.option.get("field_name")}
        for side in ("start_time_option", "end_time_option"):
            names.add((self.cursor.get(side) or {}).get("field_name"))
        names |= {key for key, value in self.given.items() if re.search("stream_interval|next_page_token", str(value))}
        return {one for one in names if one}

    def record(self, identity, number):
        made = {"made_up": f"{identity}.{number}"}
        count = int(hashlib.sha256(made["made_up"].encode()).hexdigest()[:12], 16)
        for path in self.keys + [str(one).split("/") for one in self.wanted]:
            types = (self.schema.get(path[0]) or {}).get("type") if len(path) == 1 and isinstance(self.schema.get(path[0]), dict) else None
            numeric = any(one in ("integer", "number") for one in (types if isinstance(types, list) else [types]))
            put(made, path, count if numeric else f"r{count}")
        field = str(self.cursor.get("cursor_field") or "")
        if field and "{" not in field and [field] not in self.keys:
            put(made, field.split("."), 1700000000 + number if "%s" == self.cursor.get("datetime_format") else "2024-01-02T03:04:05Z")
        for path in places(self.strategy.get("cursor_value"), "last_records?(?:\\[-1\\])?"):
            if path not in self.keys and not (len(path) == 1 and path[0] == field):
                put(made, path, f"r{count}")
        return made

    def expected(self, streams):
        """Lists that must be read."""
        count = 1
        parents = []
        for router in self.routers:
            if router.get("type") == "ListPartitionRouter":
                values = router.get("values")
                count *= len(values) if isinstance(values, list) else 1
            elif router.get("type") == "SubstreamPartitionRouter":
                name = Stream(router["parent_stream_configs"][0]["stream"]).name
                parents.append(streams[name])
        if len(parents) == 2:  # a product of what is nested in truth
            parents = [max(parents, key=lambda one: one.expected(streams))]
        for parent in parents:
            count *= parent.expected(streams) * parent.count
        return count


class API:
    """Answers what a manifest asks, by what the manifest says."""

    def __init__(self, text):
        root = yaml.load(text, Loader=yaml.CSafeLoader)
        self.streams, self.asked, self.unknown, self.sent = {}, {}, [], []
        pending = [hand_down(resolve(root, one), component=True) for one in root.get("streams") or []]
        while pending:
            node = unwrapped(pending.pop(0))
            if node.get("type") == "ConditionalStreams":
                pending += node.get("streams") or []
                continue
            stream = Stream(node)
            if stream.name in self.streams:
                continue
            self.streams[stream.name] = stream
            for router in stream.routers:
                for config in router.get("parent_stream_configs") or []:
                    pending.append(config["stream"])
        for stream in self.streams.values():
            for router in stream.routers:
                for config in router.get("parent_stream_configs") or []:
                    parent = self.streams[Stream(config["stream"]).name]
                    parent.wanted.add(config["parent_key"])
                    for extra in config.get("extra_fields") or []:
                        parent.wanted.add("/".join(extra))
        # Lists below lists below lists are still some thousand.
        if sum(one.expected(self.streams) for one in self.streams.values()) > 1000:
            for stream in self.streams.values():
                stream.count = min(stream.count, PAGE + 1)
        self.lock = threading.Lock()

    def find(self, method, path, query, body):
        best = None
        for stream in self.streams.values():
            if stream.method != method or not stream.path.fullmatch(unquote(path)):
                continue
            sent = set(query)
            if not all(pair in sent for pair in stream.constant if pair[0] not in stream.own()):
                continue
            constant = [(key, value) for key, value in stream.body.items() if isinstance(value, (str, int)) and "{{" not in str(value)] if isinstance(stream.body, dict) else []
            if method == "POST" and isinstance(body, dict) and not all(str(body.get(key)) == str(value) for key, value in constant if body.get(key) is not None):
                continue
            weight = (len(stream.constant) + len(constant), -stream.path.pattern.count("[^?]*"), len(stream.path.pattern))
            if best is None or weight > best[0]:
                best = (weight, stream)
        return best and best[1]

    def answer(self, method, target, raw, origin):
        parts = urlsplit(target)
        with self.lock:
            self.sent.append([method, parts.path, parts.query, raw.decode(errors="replace")])
        query = parse_qsl(parts.query, keep_blank_values=True)
        try:
            body = json.loads(raw) if raw else {}
        except ValueError:
            body = dict(parse_qsl(raw.decode()))
        stream = self.find(method, parts.path, query, body)
        if stream is None:
            with self.lock:
                self.unknown.append(f"{method} {target}")
            return 404, {}, {}
        own = stream.own()
        flat = dict(query)
        kept = sorted(pair for pair in query if pair[0] not in own)
        rest = json.dumps({key: value for key, value in body.items() if key not in own and key != "variables"}, sort_keys=True) if isinstance(body, dict) else ""
        identity = hashlib.sha256(f"{stream.name}{parts.path}{kept}{rest}".encode()).hexdigest()[:12]
        with self.lock:
            self.asked.setdefault(stream.name, set()).add(identity)
        records = [stream.record(identity, number) for number in range(stream.count)]
        return self.page(stream, records, flat, body, parts, query, origin)

    def page(self, stream, records, flat, body, parts, query, origin):
        kind = stream.strategy.get("type")
        name = stream.option.get("field_name")
        path = stream.option.get("field_path") or ([name] if name else [])
        sent = flat.get(name)
        if sent is None and isinstance(body, dict):
            sent = reach(body, path)
        for key, value in stream.given.items():
            if "next_page_token" in str(value):
                sent = flat.get(key, sent)
        size = PAGE
        begin, number = 0, 1
        if kind == "PageIncrement":
            first = int(stream.strategy.get("start_from_page") or 0)
            number = int(sent) if sent not in (None, "") else first
            begin = (number - first) * size
        elif kind == "OffsetIncrement":
            begin = int(sent or 0)
        elif kind == "CursorPagination":
            begin = self.position(stream, records, sent, flat, size)
            number = begin // size + 1
        else:
            size = len(records)
        page = records[begin:begin + size] if begin >= 0 else []
        more = begin + size < len(records)
        return (200, *self.envelope(stream, page, begin + size, more, number, parts, query, origin))

    def position(self, stream, records, sent, flat, size):
        token = flat.get("__page") or sent
        if isinstance(token, dict):
            token = next(iter(token.values()), None)
        if token in (None, ""):
            return 0
        found = re.fullmatch(r"tok(\d+)", str(token))
        if found:
            return int(found[1])
        for path in places(stream.strategy.get("cursor_value"), "last_records?(?:\\[-1\\])?"):
            for at, record in enumerate(records):
                if str(reach(record, path)) == str(token):
                    return at + 1
        if str(token).isdigit():
            return (int(token) - 1) * size
        return 0

    def envelope(self, stream, page, after, more, number, parts, query, origin):
        steps, held = list(stream.records), page
        if "*" in steps[:-1]:  # each record stands under names of its own within an entry
            at = len(steps) - 1 - steps[::-1].index("*")
            for step in reversed(steps[at + 1:]):
                held = [{step: one} for one in held]
            steps = steps[:at]
        for step in reversed(steps):
            held = {f"m{at}": one for at, one in enumerate(held)} if step == "*" and isinstance(held, list) else [held] if step == "*" else {step: held}
        answer = held
        fields = {}
        if stream.strategy.get("type") != "CursorPagination":
            return fields, answer
        value = str(stream.strategy.get("cursor_value") or "")
        stop = str(stream.strategy.get("stop_condition") or "")
        more = more or stream.ends_empty
        token = f"tok{after}"
        pairs = [pair for pair in query if pair[0] != "__page"]
        url = f"{origin}{parts.path}?" + "&".join(f"{a}={quote(b, safe='/:,;@!$()*[]{}')}" for a, b in pairs + [("__page", token)])
        cuts = "split" in value or "regex" in value
        if "headers" in value:
            names = places(value, "headers") or [["link"]]
            if names[0][0].lower() == "link":
                if more:
                    fields["Link"] = f'<{url}>; rel="next"'
            elif more:
                fields[names[0][0]] = url if stream.option.get("type") == "RequestPath" else token
        if isinstance(answer, dict):
            paths = places(value, "response")
            target = None
            if paths:
                target = max(paths, key=len)
                if re.search(r"\+\s*1", value):
                    put(answer, target, number)
                elif more:
                    put(answer, target, url if stream.option.get("type") == "RequestPath" or cuts else token)
                else:
                    put(answer, target, None)
            self.flags(stream, answer, stop, target, more, number)
        return fields, answer

    def flags(self, stream, answer, stop, target, more, number):
        """Members that the end is told by, so that the manifest's own condition holds."""
        others = [one for one in places(stop, "response") if one not in (target, stream.records) and not (target and target[:len(one)] == one)]
        others = [one for one in others if one[-1] not in ("length",)]
        if not others:
            return
        for value in (more, not more, number + 1 if more else number):
            for path in others:
                put(answer, path, value)
            try:
                said = ENV.from_string(stop).render(
                    response=answer, headers={}, last_page_size=PAGE, config={}, last_record={"id": 1}, last_records=[1])
            except Exception:
                continue
            if (said.strip() in ("True", "true")) == (not more):
                return


def serve(api):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def reply(self):
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            origin = f"http://127.0.0.1:{self.server.server_port}"
            try:
                status, fields, answer = api.answer(self.command, self.path, raw, origin)
            except Exception as error:  # what the imitation cannot say is no answer
                status, fields, answer = 500, {}, {"error": repr(error)}
            body = json.dumps(answer).encode()
            self.send_response(status)
            for name, value in fields.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = reply

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
