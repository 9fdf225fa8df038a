"""Servers that nobody here wrote, each started on a free port of loopback with a list in it."""

import json
import os
import re
import socket
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

HERE = Path(__file__).parent


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """One process, ended by its own id."""

    def __init__(self, words, folder, port, ready, env=None):
        self.log = open(folder / "server.log", "wb")
        self.port = port
        self.process = subprocess.Popen(
            [str(word) for word in words], cwd=folder, stdout=self.log, stderr=self.log,
            env={**os.environ, **(env or {})})
        until = time.monotonic() + 90
        while True:
            try:
                with urllib.request.urlopen(self.base + ready, timeout=5):
                    return
            except urllib.error.HTTPError:
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > until:
                    self.end()
                    raise RuntimeError((folder / "server.log").read_text()[-2000:])
                time.sleep(0.2)

    @property
    def base(self):
        return f"http://127.0.0.1:{self.port}"

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.log.close()


def datasette(folder, bin):
    db = sqlite3.connect(folder / "fix.db")
    db.execute("CREATE TABLE ports (id INTEGER PRIMARY KEY, name TEXT, country TEXT, lat REAL, updated TEXT)")
    db.executemany(
        "INSERT INTO ports VALUES (?, ?, ?, ?, ?)",
        [(n, f"Port {n}", "KR", n / 7, f"2023-11-{n % 28 + 1:02} 23:13:20") for n in range(1, 1235)])
    db.commit()
    db.close()
    port = free_port()
    server = Server([bin / "datasette", "fix.db", "-h", "127.0.0.1", "-p", port], folder, port, "/")
    return server, [
        ("objects", "/fix/ports.json?_shape=objects&_size=20", 1234, []),
        ("as it comes", "/fix/ports.json", 1234, []),
    ]


def django_rest(folder, bin):
    port = free_port()
    server = Server([bin / "python", HERE / "rest.py", port], folder, port, "/pages/")
    return server, [
        ("page number", "/pages/", 57, []),
        ("page number, with a size", "/pages/?page_size=10", 57, []),
        ("limit and offset", "/offsets/?limit=10", 57, []),
        ("cursor", "/cursors/", 57, []),
    ]


def jupyterhub(folder, bin):
    port = free_port()
    server = Server(
        [bin / "python", "-m", "jupyterhub", "-f", HERE / "hub.py"], folder, port, "/hub/api/",
        {"HUB_PORT": str(port), "HUB_USERS": "73"})
    key = ["-H", "Authorization: token fixed-token-of-the-list"]
    paged = ["-H", "Accept: application/jupyterhub-pagination+json"]
    return server, [
        ("plain list", "/hub/api/users?limit=20", 73, key),
        ("with an envelope", "/hub/api/users?limit=20", 73, key + paged),
    ]


def kinto(folder, bin):
    port = free_port()
    subprocess.run(
        [bin / "kinto", "init", "--ini", "k.ini", "--backend", "memory", "--cache-backend", "memory",
         "--host", "127.0.0.1"], cwd=folder, check=True, capture_output=True)
    settings = (folder / "k.ini").read_text()
    settings = re.sub(r"multiauth\.policies = .*", "multiauth.policies = basicauth", settings, count=1)
    (folder / "k.ini").write_text(settings)
    server = Server(
        [bin / "kinto", "start", "--ini", "k.ini", "--port", port], folder, port, "/v1/",
        {"KINTO_BUCKET_CREATE_PRINCIPALS": "system.Authenticated"})

    def put(path, body):
        request = urllib.request.Request(
            server.base + "/v1" + path, json.dumps(body).encode(), method="PUT",
            headers={"Authorization": "Basic dTpw", "Content-Type": "application/json"})
        urllib.request.urlopen(request).close()

    put("/buckets/b", {"permissions": {"read": ["system.Everyone"]}})
    put("/buckets/b/collections/c", {})
    for n in range(44):
        put(f"/buckets/b/collections/c/records/r{n:03}", {"data": {"title": f"Entry {n}"}})
    return server, [("records", "/v1/buckets/b/collections/c/records?_limit=10", 44, [])]


def mediawiki(folder, bin):
    port = free_port()
    home = Path("/usr/share/mediawiki")
    subprocess.run(
        ["php", home / "maintenance/install.php", "--dbtype", "sqlite", "--dbpath", folder,
         "--confpath", folder, "--server", f"http://127.0.0.1:{port}", "--scriptpath", "",
         "--pass", "a-long-Passphrase-9", "Fix", "Admin"], check=True, capture_output=True,
        env={**os.environ, "MW_CONFIG_FILE": str(folder / "none.php")})
    texts = folder / "texts"
    texts.mkdir()
    for n in range(23):
        boats = "[[Category:Boats]]" if n % 2 else ""
        (texts / f"Page {n:02}.txt").write_text(f"This is page {n}. {boats}")
    env = {"MW_CONFIG_FILE": str(folder / "LocalSettings.php")}
    subprocess.run(
        ["php", home / "maintenance/importTextFiles.php", "--rc", *sorted(map(str, texts.iterdir()))], check=True,
        capture_output=True, env={**os.environ, **env})
    server = Server(
        ["php", "-S", f"127.0.0.1:{port}", "-t", home], folder, port,
        "/api.php?action=query&format=json", env)
    ask = "/api.php?action=query&format=json"
    return server, [
        # The installation makes a main page.
        ("list=allpages", f"{ask}&list=allpages&aplimit=5", 24, []),
    ]


def registry(folder, bin):
    port = free_port()
    for n in range(31):
        (folder / f"data/docker/registry/v2/repositories/team/app{n:02}/_layers").mkdir(parents=True)
    (folder / "config.yml").write_text(
        "version: 0.1\nlog: { level: error }\nstorage:\n  filesystem: { rootdirectory: "
        f"{folder}/data }}\nhttp: {{ addr: '127.0.0.1:{port}' }}\n")
    server = Server(["docker-registry", "serve", "config.yml"], folder, port, "/v2/")
    return server, [("catalog", "/v2/_catalog?n=7", 31, [])]


ALL = {
    "datasette": datasette, "django-rest": django_rest, "jupyterhub": jupyterhub, "kinto": kinto,
    "mediawiki": mediawiki, "docker-registry": registry,
}
