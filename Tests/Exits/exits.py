"""Copies of a table in other engines, kept through nights in which records come, change, go and come back: the
lines of jobs/USING.md, as they are there, run by the real tools."""
import csv, http.server, json, os, random, re, sqlite3, subprocess, sys, threading
from urllib.parse import parse_qs, urlsplit

TRAWL, WORK = (os.path.abspath(path) for path in sys.argv[1:3])
PAGE = open("jobs/USING.md").read()
NIGHTS = 8


def lines(heading):
    """The blocks below a heading, with what they are written in."""
    section = re.search(rf"^### {re.escape(heading)}\n(.*?)(?=^##|\Z)", PAGE, re.M | re.S).group(1)
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", section, re.M | re.S)
    assert blocks, heading
    return blocks


class Shelf(http.server.BaseHTTPRequestHandler):
    books = {}

    def do_GET(self):
        page = int(parse_qs(urlsplit(self.path).query).get("page", ["1"])[0])
        ids = sorted(self.books)[(page - 1) * 100 : page * 100]
        body = json.dumps({"total": len(self.books), "items": [self.books[one] for one in ids]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def move(chance):
    share = 0.03 if Shelf.books else 0.97
    for number in range(1, 1201):
        there = number in Shelf.books
        if chance.random() < share:
            if there and chance.random() < 0.4:
                del Shelf.books[number]
            else:
                title = chance.choice(['a "b", c', "", None, "two\nlines", "日本", f"book {chance.random()}"])
                Shelf.books[number] = {"id": number, "title": title, "price": chance.randrange(900) / 4}


def truth():
    """What the API has, as whoever copies it should have it."""
    return {one["id"]: (one["title"], one["price"]) for one in Shelf.books.values()}


def shell(text, **more):
    done = subprocess.run(["bash", "-euc", text], capture_output=True, text=True, **more)
    assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"
    return done.stdout


def duck(text):
    """In a process of its own, as a hook behind a run would be."""
    program = (
        "import duckdb, glob, sys\n"
        "db = duckdb.connect()\n"
        "for name in ('sqlite_scanner', 'postgres_scanner', 'ducklake'):\n"
        "    for folder in sys.path:\n"
        "        for file in glob.glob(f'{folder}/duckdb_extension_{name}/extensions/*/*.duckdb_extension'):\n"
        "            db.execute(f\"LOAD '{file}'\")\n"
        "for row in db.execute(sys.stdin.read()).fetchall(): print(*row, sep='|')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], input=text, capture_output=True, text=True)
    assert done.returncode == 0, f"{text}\n{done.stderr}"
    return done.stdout


def run(blocks):
    for kind, text in blocks:
        if kind == "duckdb":
            duck(text)
        elif kind == "psql":
            shell("psql -qX -v ON_ERROR_STOP=1", input=text)
        elif kind == "python":
            exec(compile(text, "USING.md", "exec"), found)
        else:
            shell(text)


def same(name, rows):
    rows = {int(number): (title, float(price)) for number, title, price in rows}
    assert rows == truth(), f"{name} differs: {set(rows.items()) ^ set(truth().items())}"


def lake(table="books"):
    duck(
        f"ATTACH 'ducklake:postgres:' AS lake (DATA_PATH 'lake/'); "
        f"COPY (SELECT id, title, price FROM lake.{table}) TO 'lake-{table}.json' (FORMAT json);"
    )
    return [(one["id"], one["title"], one["price"]) for one in map(json.loads, open(f"lake-{table}.json"))]


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shelf)
threading.Thread(target=server.serve_forever, daemon=True).start()
os.makedirs(WORK, exist_ok=True)
os.chdir(WORK)
os.makedirs("bin", exist_ok=True)
if not os.path.exists("bin/trawl"):
    os.symlink(TRAWL, "bin/trawl")
os.environ["PATH"] = f"{WORK}/bin:{os.environ['PATH']}"
os.environ["TRAWL_DATA"] = f"{WORK}/data"
with open("shelf.json5", "w") as job:
    job.write(
        f"""{{ about: "books", base: "http://127.0.0.1:{server.server_address[1]}", streams: {{ books: {{
  get: "/books", records: "items", total: "total counted", vanish: "mark", feed: true,
  columns: ["id integer", "title", "price real"],
  pages: {{ by: "number", to: "?page", size: 100 }} }} }} }}"""
    )
chance, found, again = random.Random(7), {}, 0
for night in range(NIGHTS):
    move(chance)
    for _ in range(2):
        shell("trawl run shelf.json5 -q")
    if night == 5:
        shell("trawl reset records shelf --yes && trawl run shelf.json5 -q")
    shell("ln -sf data/trawl.db trawl.db; rm -f r.db; trawl backup --readers r.db")
    run(lines("The file itself"))
    for name in ("title", "price"):
        assert list(found["books"][name].astype(object).where(found["books"][name].notna(), None)) == list(
            found["same"][name]
        ), name
    same("pandas and Polars", zip(found["same"]["id"], found["same"]["title"], found["same"]["price"]))
    rows = duck("COPY (SELECT id, title, price FROM 'books.parquet') TO 'parquet.json' (FORMAT json)")
    same("Parquet", [(o["id"], o["title"], o["price"]) for o in map(json.loads, open("parquet.json"))])
    run(lines("Litestream beside one machine"))
    moved = sqlite3.connect("another-machine/trawl.db")
    same("Litestream", moved.execute("SELECT id, title, price FROM shelf_books WHERE vanished_at IS NULL"))
    moved.close()
    shell("trawl prove --data another-machine")
    # One that comes seldom misses what happened in between.
    if night in (2, 4):
        continue
    blocks = lines("A copy that follows")
    run(blocks[:1])
    changes = list(csv.reader(open("changes.csv")))
    print(f"night {night}: {len(changes) - 2} of {len(truth())} records in changes.csv")
    assert night in (0, 5) or len(changes) < 500, "only what changed"
    again += night > 0 and changes[1][0] == "all"
    run(blocks[1:])
    same("DuckLake", lake())
    text = shell("psql -qXAt -c \"SELECT json_build_object('id', id, 'title', title, 'price', price) FROM books\"")
    same("PostgreSQL", [(o["id"], o["title"], o["price"]) for o in map(json.loads, text.splitlines())])
assert again == 1, "the reset is told once"

# Six writers at once into one lake, each with a table of its own.
text = "".join(text for kind, text in lines("A copy that follows") if kind == "duckdb")
os.remove("cursor")
run(lines("A copy that follows")[:1])
writers = [
    threading.Thread(target=lambda table=f"books_{number}": done.append(duck(text.replace("lake.books", f"lake.{table}"))))
    for number in range(6)
]
done = []
for writer in writers:
    writer.start()
for writer in writers:
    writer.join()
assert len(done) == 6, "a writer failed"
for number in range(6):
    same(f"writer {number}", lake(f"books_{number}"))
print(f"exits: {NIGHTS} nights; DuckDB, Parquet, DuckLake, PostgreSQL, pandas, Polars and Litestream hold what the API has")
