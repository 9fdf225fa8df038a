"""rival.py URL DATABASE THREADS [newest]: the bench's list by hand, as a careful programmer writes it in Python.

Threads fetch and parse, each on a connection of its own that stays open; one thread stores. The first page says how
many there are. With `newest` pages are read in order, until one ends with a record that is known.
"""
import http.client
import itertools
import queue
import sqlite3
import sys
import threading
import urllib.parse

try:
    from orjson import loads
except ImportError:
    from json import loads

PAGES_PER_TRANSACTION = 100
COLUMNS = ("id INTEGER PRIMARY KEY", "title TEXT", "summary TEXT", "link TEXT", "picture TEXT", "author INTEGER",
           "name TEXT", "language TEXT", "score REAL", "replies INTEGER", "hidden INTEGER", "published_at TEXT",
           "edited_at TEXT")
NAMES = [column.split()[0] for column in COLUMNS]
# Unchanged rows are not written again.
UPSERT = "INSERT INTO items VALUES ({}) ON CONFLICT (id) DO UPDATE SET {} WHERE ({}) IS NOT ({})".format(
    ", ".join("?" * len(NAMES)), ", ".join(f"{name} = excluded.{name}" for name in NAMES[1:]),
    ", ".join(NAMES[1:]), ", ".join(f"excluded.{name}" for name in NAMES[1:]))


def row(item):
    author = item["author"]
    return (item["id"], item["title"], item["summary"], item["link"], item["picture"], author["id"], author["name"],
            item["language"], item["score"], item["replies"], item["hidden"], item["published_at"], item["edited_at"])


class Server:
    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.path = parts.path
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)

    def page(self, number):
        """The total, and the page's rows."""
        self.connection.request("GET", f"{self.path}?page={number}")
        response = self.connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise SystemExit(f"page {number}: HTTP {response.status}")
        answer = loads(body)
        return answer["total"], [row(item) for item in answer["items"]]


def fetch_all(url, threads):
    """The rows of each page, in the order in which they arrive."""
    total, rows = Server(url).page(1)
    yield rows
    numbers = iter(range(2, -(-total // len(rows)) + 1))
    lock, arrived = threading.Lock(), queue.Queue(64)

    def work():
        server = Server(url)
        try:
            while True:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return arrived.put(None)
                arrived.put(server.page(number)[1])
        except BaseException as error:
            arrived.put(error)

    for _ in range(threads):
        threading.Thread(target=work, daemon=True).start()
    while threads:
        rows = arrived.get()
        if isinstance(rows, BaseException):
            raise rows
        if rows is None:
            threads -= 1
        else:
            yield rows


def fetch_new(url, database):
    server = Server(url)
    for number in itertools.count(1):
        total, rows = server.page(number)
        is_known = rows and database.execute("SELECT 1 FROM items WHERE id = ?", rows[-1][:1]).fetchone()
        yield rows
        if is_known or len(rows) * number >= total:
            return


def main(url, path, threads, *mode):
    database = sqlite3.connect(path, isolation_level=None)
    database.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    database.execute(f"CREATE TABLE IF NOT EXISTS items ({', '.join(COLUMNS)})")
    database.execute("BEGIN")
    pages = fetch_new(url, database) if mode == ("newest",) else fetch_all(url, int(threads))
    for count, rows in enumerate(pages, 1):
        database.executemany(UPSERT, rows)
        if count % PAGES_PER_TRANSACTION == 0:
            database.execute("COMMIT")
            database.execute("BEGIN")
    database.execute("COMMIT")
    database.close()


main(*sys.argv[1:])
