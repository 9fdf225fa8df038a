"""What people use beside Trawl: dlt and Sling, from PyPI, into SQLite as their guides show it.

rivals.py load sling|dlt ADDRESS FOLDER
    reads the bench's list once into a database in FOLDER.
rivals.py faults TRAWL
    a list of 10,000 records in 100 pages by number, with a counted total, and one fault: read by each program, and once
    more. Printed: how many of the list's records are in the table, how many are there that the list has no longer, the
    requests, what the program said and its exit code.
"""
import contextlib
import http.server
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

RECORDS, SIZE = 10_000, 100
FAULTS = {
    "page 7 answers 500 once": "500",
    "page 7 answers 429 once, Retry-After: 2": "429",
    "a record leaves the list while it is read": "shrinks",
    "a record joins the list while it is read": "grows",
    "kill -9 at page 50": "kill",
}
SAID_BY_SLING = ("execution succeeded", "execution failed", "error", "fatal")
COLOUR = re.compile("\x1b\\[[0-9;]*m")


class List(http.server.ThreadingHTTPServer):
    """The list, which meets its one fault once. Addresses: /items?page=1&per_page=100."""

    daemon_threads = True

    def __init__(self, fault):
        super().__init__(("127.0.0.1", 0), Page)
        self.fault, self.met, self.requests = fault, False, 0
        self.ids = list(range(1, RECORDS + 1))
        self.lock = threading.Lock()
        self.reached = threading.Event()
        self.address = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def answer(self, page, size):
        """A status, head fields and a body, or nothing where the program is to be killed."""
        with self.lock:
            self.requests += 1
            if page == (50 if self.fault in ("shrinks", "grows", "kill") else 7) and not self.met:
                self.met = True
                if self.fault == "500":
                    return 500, {}, {"error": "internal"}
                if self.fault == "429":
                    return 429, {"Retry-After": "2"}, {"error": "slow down"}
                if self.fault == "shrinks":
                    self.ids.remove(10)
                if self.fault == "grows":
                    self.ids.insert(0, RECORDS + 1)
                if self.fault == "kill":
                    self.reached.set()
                    return None
            at = (page - 1) * size
            return 200, {}, {"total": len(self.ids), "items": [record(i) for i in self.ids[at : at + size]]}


def record(number):
    return {"id": number, "title": f"Record {number}", "score": number * 7 % 1000, "text": "words " * 20}


class Page(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        answer = self.server.answer(int(query.get("page", ["1"])[0]), int(query.get("per_page", [SIZE])[0]))
        if answer is None:
            with contextlib.suppress(OSError):
                self.rfile.read(1)  # until the program is gone
            return
        status, fields, body = answer
        body = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {**fields, "Content-Type": "application/json", "Content-Length": len(body)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Trawl:
    name = "Trawl"

    def __init__(self, folder, address):
        self.database, self.query = folder / "data/trawl.db", "SELECT id FROM rival_items WHERE vanished_at IS NULL"
        (folder / "rival.json5").write_text("""{ name: "rival", base: "%s", streams: { items: {
            get: "/items", pages: { by: "number", to: "?page", size: "?per_page=100" },
            total: "total counted", records: "items", key: ["id"],
            columns: { id: "id as integer", title: "title", score: "score as integer", text: "text" },
            vanish: "mark" } } }""" % address)
        self.command = [TRAWL, "run", folder / "rival.json5", "--data", folder / "data", "--allow-loopback"]
        self.environment = {}

    @staticmethod
    def said(lines):
        return next((line for line in lines if "complete" in line), lines[-1])


class Sling:
    name = "Sling"

    def __init__(self, folder, address):
        self.database, self.query = folder / "sling.db", "SELECT id FROM items"
        (folder / "spec.yaml").write_text(f"""name: Rival
endpoints:
  items:
    state: {{ page: 1 }}
    request:
      url: "{address}/items"
      parameters: {{ page: "${{state.page}}", per_page: 100 }}
    pagination:
      next_state: {{ page: "${{state.page + 1}}" }}
      stop_condition: "length(response.records) < 100"
    response:
      records: {{ jmespath: "items[]", primary_key: ["id"] }}
""")
        (folder / "replication.yaml").write_text("""source: RIVAL
target: COPY
defaults: { mode: full-refresh }
streams: { items: { object: main.items } }
""")
        self.command = [SLING, "run", "-r", folder / "replication.yaml"]
        self.environment = {
            "RIVAL": json.dumps({"type": "api", "spec": f"file://{folder}/spec.yaml"}),
            "COPY": json.dumps({"type": "sqlite", "instance": str(self.database)}),
            "SLING_DISABLE_TELEMETRY": "true", "SLING_HOME_DIR": str(folder / "home"), "HOME": str(folder),
        }

    @staticmethod
    def said(lines):
        return ([line for line in lines if any(word in line.lower() for word in SAID_BY_SLING)] or lines)[-1]


class DLT:
    name = "dlt"

    def __init__(self, folder, address):
        self.database, self.query = folder / "dlt.db", "SELECT id FROM items"
        (folder / "rival.py").write_text(f"""import dlt
from dlt.destinations import sqlalchemy
from dlt.sources.rest_api import rest_api_source
source = rest_api_source({{
    "client": {{"base_url": "{address}", "paginator": {{
        "type": "page_number", "base_page": 1, "total_path": None, "page_param": "page"}}}},
    "resources": [{{"name": "items", "primary_key": "id", "write_disposition": "merge",
        "endpoint": {{"path": "items", "params": {{"per_page": 100}}, "data_selector": "items"}}}}],
}})
to = sqlalchemy("sqlite:///{self.database}", create_primary_keys=True)
print(dlt.pipeline("rival", destination=to, dataset_name="main", pipelines_dir="{folder}/state").run(source))
""")
        self.command = [sys.executable, folder / "rival.py"]
        self.environment = {"RUNTIME__DLTHUB_TELEMETRY": "false", "HOME": str(folder)}

    @staticmethod
    def said(lines):
        return lines[-1]


def ids(program):
    """The keys in the table; no table is no key."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{program.database}?mode=ro", uri=True)) as database:
            return {int(float(key)) for (key,) in database.execute(program.query)}
    except sqlite3.OperationalError:
        return set()


def run(program, server, folder):
    """Rows of the list that are in the table, rows that are not of the list, requests, words, exit code."""
    before = server.requests
    with open(folder / "said", "w+") as said:
        process = subprocess.Popen([str(word) for word in program.command], stdout=said, stderr=subprocess.STDOUT,
                                   cwd=folder, env={**os.environ, **program.environment}, start_new_session=True)
        while process.poll() is None:
            if server.fault == "kill" and server.reached.wait(0.05):
                server.reached.clear()
                os.killpg(process.pid, signal.SIGKILL)
            else:
                time.sleep(0.05)
        said.seek(0)
        lines = [line.strip() for line in COLOUR.sub("", said.read()).splitlines() if line.strip()]
        words = program.said(lines).replace(str(folder), "") if lines else ""
    has, wanted = ids(program), set(server.ids)
    return {"in the table": len(has & wanted), "missing": len(wanted - has), "gone": len(has - wanted),
            "requests": server.requests - before, "said": words[:110], "exit": process.returncode}


def faults():
    wrong = []
    for what, fault in FAULTS.items():
        print(f"\n{what}")
        for make in (Trawl, Sling, DLT):
            with tempfile.TemporaryDirectory() as folder:
                server = List(fault)
                program = make(pathlib.Path(folder), server.address)
                for turn in ("first", "again"):
                    found = run(program, server, pathlib.Path(folder))
                    print(f"  {program.name:6}{turn:6}{found['in the table']:6} in the table, {found['missing']} missing, "
                          f"{found['gone']} gone but there; {found['requests']} requests; exit {found['exit']}: "
                          f"{found['said']}", flush=True)
                if make is Trawl and (found["missing"] or found["gone"]):
                    wrong.append(what)
                server.shutdown()
                server.server_close()
    if wrong:
        sys.exit(f"rivals: after Trawl's second run the table is not the list: {'; '.join(wrong)}")


def load(name, address, folder):
    """One load, as the bench times it; what it prints is the bench's log."""
    program = {"sling": Sling, "dlt": DLT}[name](pathlib.Path(folder), address)
    environment = {**os.environ, **program.environment}
    os.execvpe(str(program.command[0]), [str(word) for word in program.command], environment)


SLING = str(pathlib.Path(sys.prefix) / "bin/sling")
if sys.argv[1:2] == ["load"] and len(sys.argv) == 5:
    load(*sys.argv[2:])
elif sys.argv[1:2] == ["faults"] and len(sys.argv) == 3:
    TRAWL = str(pathlib.Path(sys.argv[2]).resolve())
    faults()
else:
    sys.exit(__doc__)
