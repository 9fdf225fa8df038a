"""Drafts a job for each list, runs it without an edit, and counts the rows."""

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from servers import ALL
from shipped import SHIPPED


def trawl(program, words, folder, env=None):
    return subprocess.run(
        [program, *words], cwd=folder, capture_output=True, text=True, timeout=120,
        env={**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": "", "XDG_DATA_HOME": "",
             "NO_COLOR": "1", **(env or {})})


def read(program, server, url, headers, folder):
    """The rows of the draft's table, and what was said of the list."""
    draft = trawl(program, ["new", server.base + url, "--yes", "-o", "draft.json5", *headers], folder)
    # 3: it is written, and says what may be missing.
    if draft.returncode not in (0, 3):
        return None, "no draft: " + draft.stderr.strip().splitlines()[-2:][0]
    text = (folder / "draft.json5").read_text()
    if "fixed-token" in text + draft.stdout + draft.stderr:
        return None, "the secret was written"
    words, env = ["run", "./draft.json5", "--data", "data"], {}
    if "auth:" in text:
        # A key is read for this machine only where a person says so.
        text = re.sub(r'secret: "([^"]+)"', r'secret: "\1 $DRAFT_KEY"', text)
        (folder / "draft.json5").write_text(text)
        words += ["--send-key-to", server.base]
        env = {"DRAFT_KEY": "fixed-token-of-the-list"}
    for check in (["check", "./draft.json5", "--offline"], words):
        ended = trawl(program, check, folder, env)
        if ended.returncode not in (0, 3):
            return None, f"{check[0]} ended with {ended.returncode}: {(ended.stdout + ended.stderr)[-300:]}"
    db = sqlite3.connect(folder / "data/trawl.db")
    into = re.search(r'into: "(\w+)"', text) or re.search(r"streams: \{\n    (\w+): \{", text)
    rows = db.execute(f"SELECT count(*) FROM draft_{into.group(1)}").fetchone()[0]
    verdict = " ".join(str(part) for part in db.execute("SELECT verdict, why FROM trawl_trust").fetchone())
    by = re.search(r"\n      (pages: \{.*?\}),\n", text, re.S)
    return rows, f"{verdict}\n      {' '.join(by.group(0).split()) if by else ''}"


def main():
    program, bin, only = sys.argv[1], Path(sys.argv[2]).absolute(), sys.argv[3].split()
    whole, failed = [], 0
    for name, start in ALL.items():
        if only and name not in only:
            continue
        folder = Path(tempfile.mkdtemp(prefix="trawl-drafts-"))
        server = None
        try:
            server, lists = start(folder, bin)
            counts = []
            for number, (title, url, wanted, headers) in enumerate(lists):
                place = folder / str(number)
                place.mkdir()
                rows, said = read(program, server, url, headers, place)
                counts.append(rows == wanted)
                print(f"{name}: {title}: {rows} of {wanted} rows, {said}", flush=True)
                # A claim that is false is worse than a list that was not read.
                failed += rows is not None and rows != wanted and said.startswith("complete")
            if all(counts):
                whole.append(name)
            for line, is_right in SHIPPED.get(name, lambda *_: [])(trawl, program, server, folder):
                print(f"{name}: {line}", flush=True)
                failed += not is_right
        except Exception as error:  # a server that cannot be had is told, and is none of ours
            print(f"{name}: not started: {error}", flush=True)
        finally:
            if server:
                server.end()
            shutil.rmtree(folder, ignore_errors=True)
    print(f"read whole without an edit: {', '.join(whole) or 'none'}")
    if not only and len(whole) < 4:
        failed += 1
    print(f"{len(whole)} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
