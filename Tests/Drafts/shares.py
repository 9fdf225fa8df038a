"""Translates each manifest of a folder, counts how many are whole, and why others are not. Each whole one is
imitated by a second reading of its manifest, and read: no list may say complete with a record missing, and a stream
that has not every row, or asks anything else than the field's own engine, needs a reason in unread.txt."""

import collections
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from exchange import Engine, Exchange, plain
from manifest import API, serve

ENV = {"PATH": "/usr/bin:/bin", "NO_COLOR": "1", "XDG_CONFIG_HOME": "", "XDG_DATA_HOME": ""}


def trawl(words, folder, timeout=180):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=timeout, env={**ENV, "HOME": str(folder)})


def reasons(text):
    """Of the head of a draft, or of what was said where there is none."""
    lines = re.sub(r"\n//(?! -) +", " ", text.split("\n{\n")[0])
    found = re.findall(r"\(line \d+\): (.*)", lines)
    # A child is missing because its parent is: that is one reason.
    found = [one for one in found if not one.startswith("its parent")]
    return {re.split(r" \(|: every| to its path", one)[0][:70] for one in found} or {text.strip().split("\n")[0][:90]}


def run(program, draft, manifest, api, folder):
    """What came of a whole one: lists that are complete, those of them with a record missing, and how its requests
    differ from the engine's."""
    text = draft.read_text()
    # The translator claims nothing, and asks once a second; here its reading is judged.
    text = text.replace('      kind: "search",\n', "")
    text = re.sub(r"allow: 60, per: \"minute\", burst: 1", 'allow: 60000, per: "minute", burst: 100', text)
    draft.write_text(text)
    server = serve(api)
    try:
        path = re.search(r'\n  base: "https?://[^/"]*([^"]*)"', text)[1]
        endpoint = f"http://127.0.0.1:{server.server_port}{path}"
        words = [program, "run", str(draft), "--data", "data", "--endpoint", endpoint, "--quiet"]
        block = re.search(r"\n  params: \{\n(.*?)\n  \},", text, re.S)
        settings = re.findall(r"^    (\w+): \{ (.*)$", block[1] if block else "", re.M)
        engine = Engine(manifest, server, [name for name, rest in settings if not rest.startswith("default")])
        api.sent = []
        for name, rest in settings:
            value = engine.setting(name)
            if value or not rest.startswith("default"):
                words += ["--set", f"{name}={value or 7}"]
        ended = trawl(words, folder)
    finally:
        server.shutdown()
        server.server_close()
    differences = list(Exchange(api, engine).differences(engine, api.sent))
    if not (folder / "data/trawl.db").exists():
        return None, f"run ended with {ended.returncode}: {ended.stderr.strip()[-200:]}", None, []
    base = sqlite3.connect(folder / "data/trawl.db")
    job = re.search(r'\n  name: "(.*?)"', text)[1].replace("-", "_")
    verdicts = collections.defaultdict(collections.Counter)
    for stream, verdict in base.execute("SELECT stream, verdict FROM trawl_trust JOIN trawl_lists USING (list_number)"):
        verdicts[stream][verdict] += 1
    blocks = re.split(r"^    (\w+): \{$", text.split("\n  streams: {\n")[1], flags=re.M)
    tables = [(one, (re.search(r'^      into: "(\w+)"', block, re.M) or [0, one])[1]) for one, block in zip(blocks[1::2], blocks[2::2])]
    complete = missing = whole = 0
    notes = []
    for stream, table in tables:
        source = next((one for one in api.streams.values() if plain(one.name) == plain(stream)), None)
        if source is None:
            continue
        rows = base.execute(f'SELECT count(*) FROM "{job}_{table}"').fetchone()[0]
        wanted = source.expected(api.streams) * source.count
        complete += verdicts[stream]["complete"]
        whole += rows >= wanted
        if rows < wanted:
            if verdicts[stream]["complete"]:
                missing += 1
            notes.append((stream, f"{rows} of {wanted} rows, {dict(verdicts[stream])}"))
    if ended.returncode not in (0, 3):
        notes.append(("", f"run ended with {ended.returncode}: {ended.stderr.strip()[-200:]}"))
    # What is remarked in the draft is told.
    remarked = {plain(one) for one, block in zip(blocks[1::2], blocks[2::2]) if re.search("has two ways here|every pair of parents", block)}
    if engine.trouble or "the manifest computes it" in text:
        differences = []
    differences = [one for one in differences if plain(one[0]) not in remarked and (one[0] or not remarked)]
    return (complete, missing, whole, len(tables)), notes, engine.trouble, differences


def one(programs, file):
    program = str(programs / "trawl")
    folder = Path(tempfile.mkdtemp(prefix="trawl-shares-"))
    # Pages of two records, so that there are some.
    text = re.sub(r"(\bpage_size: )[\"']?\d+[\"']?", r"\g<1>2", file.read_text())
    try:
        name = re.sub(r"^source-", "", file.stem if file.stem != "manifest" else file.parent.name)
        manifest = folder / file.name
        manifest.write_text(text)
        draft = folder / f"{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}.json5"
        ended = trawl([str(programs / "trawl-translate"), str(manifest), "-o", str(draft)], folder)
        if ended.returncode == 0:
            check = trawl([program, "check", str(draft), "--offline"], folder)
            if check.returncode != 0:
                return name, "refused", {"check: " + check.stderr[:80]}, None
            try:
                return name, "whole", set(), run(program, draft, manifest, API(text), folder)
            except Exception as error:
                return name, "whole", set(), (None, f"not judged: {error!r}"[:200], None, [])
        kind = "partly" if ended.returncode == 3 else "refused"
        return name, kind, reasons(draft.read_text() if draft.exists() else ended.stderr), None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def named():
    """Why a stream has not every row: `connector stream: reason`, or `connector: reason` for all of its streams."""
    lines = (Path(__file__).parent / "unread.txt").read_text().split("\n")
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def main():
    programs, folder = Path(sys.argv[1]).absolute(), Path(sys.argv[2])
    only = sys.argv[3].split() if len(sys.argv) > 3 else []
    files = sorted(file for file in folder.rglob("*.y*ml"))
    files = [file for file in files if not only or any(word in str(file) for word in only)]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda file: one(programs, file), files))
    kinds, why, alone = collections.Counter(), collections.Counter(), collections.Counter()
    sums, read, judged, unjudged = [0, 0, 0, 0], 0, 0, []
    compared, equal, foreign = 0, 0, []
    known, unnamed = named(), 0
    for name, kind, told, outcome in found:
        kinds[kind] += 1
        why.update(told)
        if len(told) == 1:
            alone.update(told)
        if kind != "whole":
            continue
        counts, notes, trouble, differences = outcome
        if counts is None:
            if name not in known:
                unnamed += 1
                unjudged.append(f"{name}: {notes}")
            continue
        judged += 1
        read += counts[2] == counts[3]
        sums = [a + b for a, b in zip(sums, counts)]
        if trouble:
            foreign.append(f"{name}: {trouble}")
        else:
            compared += 1
            equal += not differences
        for stream, note in notes + differences:
            if name in known or f"{name} {stream}" in known:
                continue
            # A run that fails does so by its streams.
            if not stream and any(key.startswith(f"{name} ") for key in known):
                continue
            unnamed += 1
            print(f"  {name} {stream}: {note}")
    for line in unjudged:
        print(f"  {line}")
    print("\nwhat the engine cannot read by itself")
    for line in foreign:
        print(f"  {line}")
    print("\nreasons: manifests that have it, and those that have no other")
    for reason, count in why.most_common(60):
        print(f"{count:5} {alone[reason]:4}  {reason}")
    total = len(files) or 1
    for kind in ("whole", "partly", "refused"):
        print(f"{kind}: {kinds[kind]} of {len(files)} ({100 * kinds[kind] / total:.1f} %)")
    print(f"imitated and read: {judged} jobs, {sums[3]} streams, {sums[2]} of them with every row; {read} jobs with every row")
    print(f"lists that are complete: {sums[0]}; streams with complete lists and a record missing: {sums[1]}")
    print(f"held against the engine: {compared} jobs, {equal} of them equal in every request")
    print(f"streams with a row missing or a request of their own, and no reason in unread.txt: {unnamed}")
    sys.exit(1 if sums[1] or unnamed else 0)


main()
