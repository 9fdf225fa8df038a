"""A server of paged lists that knows its truth, counts its requests, and knows which process sent each."""

import http.server
import json
import os
import random
import re
import struct
import threading
import time
import urllib.parse
import zlib

JOB = """{
  name: "%(name)s", base: "%(base)s",
  quotas: { calls: { allow: %(allow)d, per: "hour" } },
  streams: { items: {
    get: "/%(name)s/items", pages: { by: "number", to: "?page", size: "?size=%(size)d" },
    total: "total counted", records: "items", into: "items", key: ["id"],
    columns: { id: "id as integer", title: "title", note: "note", worth: "worth as integer" }, list: "found",
    vanish: "mark" } },
}
"""
COLUMNS = "id, title, note, worth"

# The same with a picture to each record.
PICTURES = JOB.replace("quotas:", 'media: { limit: "1GB" }, quotas:').replace(
    "worth as integer\" }", "worth as integer\", face: \"face as url\" }").replace("vanish:", 'media: { face: "face" }, vanish:')


def picture(number):
    """A PNG of its own bytes."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    rows = b"".join(b"\0" + random.Random(number * 64 + row).randbytes(96) for row in range(32))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 32, 32, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Asked:
    def __init__(self, name, target, process):
        self.name, self.target, self.process, self.at = name, target, process, time.time()

    def __repr__(self):
        return f"{self.target} by {self.process}"


class Lists:
    """`records[name]` is what a list holds: number to (title, note, worth)."""

    def __init__(self, seed, delay=0.01):
        self.chance = random.Random(seed)
        self.records, self.asked, self.processes = {}, [], set()
        self.delay, self.faces = delay, []
        lists = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1

            def setup(self):
                super().setup()
                self.process = owner(self.client_address[1], lists.processes)

            def do_GET(self):
                lists.answer(self)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 128

            def handle_error(self, *_):
                """A killed client is none."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()

    def answer(self, handler):
        parts = urllib.parse.urlsplit(handler.path)
        query = urllib.parse.parse_qs(parts.query)
        name = parts.path.split("/")[1]
        if name == "face":
            self.faces.append(handler.path)
            return self.send(handler, picture(int(re.search(r"\d+", parts.path).group())), "image/png")
        self.asked.append(Asked(name, handler.path, handler.process))
        time.sleep(self.delay)
        page, size = int(query.get("page", ["1"])[0]), int(query.get("size", ["20"])[0])
        records = self.records.get(name, {})
        ids = sorted(records, reverse=True)
        body = json.dumps({"total": len(ids), "items": [
            {"id": one, "title": records[one][0], "note": records[one][1], "worth": records[one][2],
             "face": f"{self.base}/face/{one}.png"} for one in ids[(page - 1) * size:page * size]]}).encode()
        self.send(handler, body, "application/json")

    def send(self, handler, body, kind):
        handler.send_response(200)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def fill(self, name, count):
        self.records[name] = {number: self.record() for number in range(1, count + 1)}

    def record(self):
        letters = "abcdefghijklmnopqrstuvwxyz      "
        return (f"thing {self.chance.randrange(10**9)}", "".join(self.chance.choices(letters, k=600)),
                self.chance.randrange(1000))

    def night(self, name, changed=0.02, new=0.01, gone=0.005):
        """What becomes of a list by the next night; a list is replaced at once, so that no page sees half of it."""
        old = self.records[name]
        records = {
            number: self.record() if self.chance.random() < changed else record
            for number, record in old.items() if self.chance.random() >= gone}
        for number in range(max(old) + 1, max(old) + 1 + max(1, int(len(old) * new))):
            records[number] = self.record()
        self.records[name] = records

    def job(self, name, size=20, allow=1_000_000, form=JOB):
        return form % {"name": name, "base": self.base, "size": size, "allow": allow}

    def truth(self, name):
        return sorted((number, *record) for number, record in self.records[name].items())


def owner(port, processes):
    """The process that has this local port, of those that were started here."""
    inode = None
    with open("/proc/net/tcp") as table:
        for line in table:
            _, local, _, state, *_, = fields = line.split()
            if local.endswith(f":{port:04X}") and state == "01":
                inode = fields[9]
    for process in list(processes):
        folder = f"/proc/{process}/fd"
        try:
            for number in os.listdir(folder):
                try:
                    if re.fullmatch(rf"socket:\[{inode}\]", os.readlink(f"{folder}/{number}")):
                        return process
                except OSError:
                    continue
        except OSError:
            continue
    return None
