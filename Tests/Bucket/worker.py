"""One machine as far as the program can tell: a home, a cache, a way to the store, and its processes."""

import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

from lists import COLUMNS
from proxy import Proxy
from stores import BUCKET, KEY, SECRET


STARTED = []


class Ended:
    def __init__(self, status, said, seconds, processor):
        self.status, self.said, self.seconds, self.processor = status, said, seconds, processor

    @property
    def last(self):
        lines = [line for line in self.said.strip().splitlines() if line.strip()]
        return lines[-1].strip() if lines else "(nothing said)"


class Worker:
    """`log` gets all that passes between this worker and the store."""

    def __init__(self, trawl, folder, name, store, log, lease=4, lists=None):
        self.trawl, self.name, self.lease, self.lists = trawl, name, lease, lists
        self.folder = Path(folder) / name
        self.home = self.folder / "home"
        self.home.mkdir(parents=True, exist_ok=True)
        self.cache = self.folder / "cache"
        self.proxy = Proxy(name, store.port, log)
        self.more, self.secret, self.before, self.processes = {}, SECRET, [], set()

    def environment(self):
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        return {
            **kept, "HOME": str(self.home), "XDG_CACHE_HOME": str(self.cache), "NO_COLOR": "1",
            "SWIFT_BACKTRACE": "enable=no", "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": self.secret,
            "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL_S3": self.proxy.endpoint, "TRAWL_LEASE": str(self.lease),
            **self.more}

    def write(self, name, text):
        path = self.home / f"{name}.json5"
        path.write_text(text)
        return str(path)

    def start(self, *words):
        process = subprocess.Popen(
            [*self.before, self.trawl, *map(str, words)], cwd=self.home, env=self.environment(), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        process.began = time.monotonic()
        self.processes.add(process.pid)
        STARTED.append(process)
        if self.lists is not None:
            self.lists.processes.add(process.pid)
        return process

    def end(self, process, seconds=180):
        """Its end; what hangs is killed, and is no success."""
        try:
            said, _ = process.communicate(timeout=seconds)
            late = ""
        except subprocess.TimeoutExpired:
            kill(process)
            said, _ = process.communicate()
            late = f"\n(killed: it had not ended after {seconds} s)"
        said += late
        if SECRET in said or self.secret in said:
            said += "\n(it has shown the secret)"
        return Ended(None if late else process.returncode, said, time.monotonic() - process.began, None)

    def run(self, *words, seconds=180):
        return self.end(self.start(*words), seconds)

    def measured(self, *words, seconds=600):
        """With the processor's seconds of it and its children."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = self.run(*words, seconds=seconds)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        ended.processor = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        return ended

    def forget(self):
        """The machine is replaced: nothing of its cache is left."""
        shutil.rmtree(self.cache, ignore_errors=True)

    def rows(self, data, table):
        """What a reader finds, by a backup that SQLite opens; what is in the way of it, as a text."""
        copy = self.folder / "copy.db"
        copy.unlink(missing_ok=True)
        ended = self.run("backup", copy, "--data", data)
        if ended.status != 0:
            return f"backup ended with {ended.status}: {ended.last}"
        with sqlite3.connect(f"file:{copy}?mode=ro", uri=True) as db:
            try:
                return db.execute(f"SELECT {COLUMNS} FROM {table} WHERE vanished_at IS NULL ORDER BY 1").fetchall()
            except sqlite3.OperationalError as error:
                return str(error)


def uses(copy):
    """What the ledger inside a backup counts, from when to when."""
    with sqlite3.connect(f"file:{copy}?mode=ro", uri=True) as db:
        ledger, = db.execute("SELECT ledger FROM trawlbackup").fetchone()
    with sqlite3.connect(":memory:") as db:
        db.deserialize(ledger)
        return db.execute("SELECT since, at, cost FROM trawl_uses ORDER BY since").fetchall()


def spent(copy):
    """How much that is: requests, and blocks that a dead run may have used."""
    return sum(cost for _, _, cost in uses(copy))


def data(name):
    return f"s3://{BUCKET}/{name}"


def kill(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def kill_all():
    """Nothing that was started here outlives the harness."""
    for process in STARTED:
        if process.poll() is None:
            kill(process)


def stop(process):
    os.killpg(process.pid, signal.SIGSTOP)


def go_on(process):
    try:
        os.killpg(process.pid, signal.SIGCONT)
    except ProcessLookupError:
        pass


def sentence(said, pattern):
    """The first line in which the pattern is found, or None."""
    return next((line.strip() for line in said.splitlines() if re.search(pattern, line, re.I)), None)
