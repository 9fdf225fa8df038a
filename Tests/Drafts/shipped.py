"""The jobs that ship, against the servers that they were written for."""

import json
import sqlite3
import urllib.request
from pathlib import Path

JOBS = Path(__file__).parent.parent.parent / "jobs"


def listed(server, place, **parameters):
    """All entries of a list, by the API's own continue."""
    found, more = [], {}
    while True:
        words = {"action": "query", "format": "json", "formatversion": 2, **parameters, **more}
        text = "&".join(f"{key}={urllib.request.quote(str(value))}" for key, value in words.items())
        with urllib.request.urlopen(f"{server.base}/api.php?{text}") as answer:
            page = json.load(answer)
        found += page["query"][place]
        more = page.get("continue")
        if not more:
            return found


def mediawiki(trawl, program, server, folder):
    wanted = {
        "pages": {row["pageid"] for row in listed(server, "allpages", list="allpages", aplimit=500)},
        "changes": {
            row["rcid"] for row in
            listed(server, "recentchanges", list="recentchanges", rcprop="ids", rclimit=500,
                   rctype="edit|new|log")},
        "members": {
            row["pageid"] for row in
            listed(server, "categorymembers", list="categorymembers", cmtitle="Category:Boats",
                   cmlimit=500)},
    }
    for size in (500, 5):
        place = folder / f"shipped-{size}"
        place.mkdir()
        text = (JOBS / "mediawiki.json5").read_text()
        (place / "mediawiki.json5").write_text(text.replace("limit=500", f"limit={size}"))
        words = ["run", "./mediawiki.json5", "--endpoint", server.base, "--data", "data",
                 "--set", "namespace=0", "--set", "category=Boats"]
        # What no one walk proves, a second one does.
        codes = [trawl(program, words, place).returncode for _ in range(2)]
        db = sqlite3.connect(place / "data/trawl.db")
        for table, ids in wanted.items():
            key = "page_id" if table == "members" else "id"
            came = {row[0] for row in db.execute(f"SELECT {key} FROM mediawiki_{table}")}
            stream = {"pages": "pages of%", "changes": "changes", "members": "category%"}[table]
            verdict = db.execute(
                "SELECT verdict, why FROM trawl_trust WHERE list LIKE ?", [stream]).fetchone()
            is_right = came == ids and verdict[0] == "complete" and codes == [0, 0]
            yield (f"the job that ships, {size} a page: {table}: {len(came & ids)} of {len(ids)} rows, "
                   f"{' '.join(map(str, verdict))}", is_right)


SHIPPED = {"mediawiki": mediawiki}
