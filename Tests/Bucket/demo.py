"""Three machines and one bucket: what any of them begins, any other one ends. Told in plain lines."""

import hashlib
import json
import re
import sqlite3
import subprocess
import threading
import time
import urllib.parse
import urllib.request

import history
from worker import Worker, data, go_on, kill, stop

LEASE = 5
JOBS = ["youtube", "newsapi", "github", "giphy", "openmarket"]
# Keys of the truth's lists, and the rows that should have them.
COMPARED = [
    ("youtube", lambda one: True, "SELECT video_id FROM youtube_videos", "videos", None),
    ("newsapi", lambda one: one["name"] != "sources", "SELECT url FROM newsapi_articles", "articles", None),
    ("newsapi", lambda one: one["name"] == "sources", "SELECT id FROM newsapi_sources", "sources", None),
    ("github", lambda one: one.get("of") == "octocat", """SELECT user_id FROM github_follows WHERE user_id <> 583231
      UNION SELECT follower_id FROM github_follows WHERE follower_id <> 583231""", "people", None),
    ("github", lambda one: one.get("of") == "octocat",
     "SELECT iif(user_id = 583231, 'followers ' || follower_id, 'following ' || user_id) FROM github_follows",
     "follows", lambda one, key: f"{one['name']} {key}"),
    ("giphy", lambda one: one["name"] != "trending_words", "SELECT id FROM giphy_gifs", "GIFs", None),
    ("giphy", lambda one: one["name"] == "trending_words", "SELECT word FROM giphy_trending_words", "words", None),
    ("openmarket", lambda one: True, "SELECT id FROM openmarket_products", "products", None),
]
wrong = []


def step(name, words):
    print(f"\n{name:11} {words}", flush=True)


def say(words):
    print(f"            {words}", flush=True)


class Sandbox:
    """The server of one API: each has an address of its own, as in the world, since a key is spent by one folder at a time."""

    def __init__(self, program, work, api):
        self.api, file = api, work / f"port-{api}"
        self.process = subprocess.Popen(
            [program, "--seed", "1", "--port-file", file], stdout=open(work / f"{api}.log", "w"), stderr=subprocess.STDOUT)
        while not (file.exists() and file.read_text().strip()):
            if self.process.poll() is not None:
                raise SystemExit((work / f"{api}.log").read_text())
            time.sleep(0.05)
        self.origin = f"http://127.0.0.1:{int(file.read_text())}"

    def get(self, path):
        return urllib.request.urlopen(f"{self.origin}/_sandbox/{path}", timeout=30).read().decode()

    def arm(self, fault, target):
        self.get(f"arm?fault={fault}&target={urllib.parse.quote(target, safe='')}")

    def asked(self):
        return [one["target"] for one in json.loads(self.get(f"requests?api={self.api}"))["requests"]]

    def until(self, is_so, process, seconds=120):
        end = time.monotonic() + seconds
        while not is_so(self.asked()):
            if process.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"{self.api} ended before its time:\n{process.communicate()[0]}")
            time.sleep(0.05)


class Machine(Worker):
    """Its exit code and last line are told as it says them."""

    def sync(self, job, *words):
        return self.start("run", job, "--data", data(job), "--endpoint", f"{self.servers[job].origin}/{job}",
                          "--max-wait", "1m", *words)

    def told(self, job, ended):
        say(f"{self.name:5} {job:11} exit {ended.status:<3} {brief(ended)}")


def brief(ended):
    line = re.sub(r"; report .*", "", ended.last)
    return line if len(line) <= 110 else line[:109] + "…"


def run(trawl, sandbox, store, work):
    began = time.monotonic()
    log = []
    print("Trawl and a bucket: three machines, five APIs, one store; all of it on this machine, in a folder that is removed.")
    store.start()
    servers = {job: Sandbox(sandbox, work, job) for job in JOBS}
    try:
        step("1/6 store", f"{store.name} on {store.endpoint}, with an empty bucket; a claim lasts {LEASE} s (usually 60)")
        ann, ben, cleo = (Machine(trawl, work, name, store, log, LEASE) for name in ("ann", "ben", "cleo"))
        for one in (ann, ben, cleo):
            one.servers = servers
        say("ann, ben and cleo are machines: each has a home and a cache of its own, and nothing else in common")
        checked = ann.run("check", "--data", data("github"))
        for line in [line.strip() for line in checked.said.splitlines() if "refuses" in line]:
            say(f"trawl check   {line}")
        expect(checked.status == 0, checked.said)

        step("2/6 sync", "each begins one job; cleo has three")
        # Page 6 is held back, so that ann surely dies while she waits for it.
        servers["github"].arm("stall-head", "followers?per_page=100&page=6")
        github, openmarket = ann.sync("github"), ben.sync("openmarket")
        ends = []

        def others():
            for job in ("youtube", "newsapi", "giphy"):
                ends.append((job, cleo.end(cleo.sync(job, "--claim-wait", "2m"))))

        rest = threading.Thread(target=others)
        rest.start()
        servers["github"].until(lambda all: any("page=6" in one for one in all), github)
        kill(github)
        ann.end(github)
        died = time.time()
        say("ann   github      killed (-9) while she waits for page 6 of 9")
        servers["openmarket"].until(lambda all: len(all) > 60, openmarket)
        stop(openmarket)
        slept, asked = time.time(), len(servers["openmarket"].asked())
        say(f"ben   openmarket  put to sleep behind request {asked} of 247")
        rest.join()
        for job, ended in ends:
            cleo.told(job, ended)
            expect(ended.status in (0, 75), f"{job}: {ended.said}")

        step("3/6 takeover", "the others do what is left, once the claims are over")
        servers["github"].get("disarm")
        ended = cleo.end(cleo.sync("github", "--claim-wait", "1m"))
        cleo.told("github", ended)
        expect(ended.status == 0, ended.said)
        taken = next(one for one in chain_of(log, "github") if one.worker == "cleo")
        pages = [one for one in servers["github"].asked() if "followers" in one]
        say(f"      it was hers {taken.ended - died:.1f} s after ann's death; {len(pages) - len(set(pages))} of {len(pages)} "
            "pages were asked for twice")
        ann.forget()
        say("ann   is replaced by a new machine: an empty disk")
        ended = ann.end(ann.sync("openmarket", "--claim-wait", "1m"))
        ann.told("openmarket", ended)
        expect(ended.status == 0, ended.said)
        taken = next(one for one in chain_of(log, "openmarket") if one.worker == "ann")
        before = len(servers["openmarket"].asked())
        say(f"      it was hers {taken.ended - slept:.1f} s after ben fell asleep; {before} requests by both")
        go_on(openmarket)
        ended = ben.end(openmarket)
        say("ben   wakes up and wants to go on")
        ben.told("openmarket", ended)
        more = len(servers["openmarket"].asked()) - before
        say(f"      he has sent {more} more requests, and his late pages are in no database")
        expect(ended.status == 75 and more == 0, f"the late one ended with {ended.status}, {more} requests: {ended.said}")

        step("4/6 plug", "the store itself is killed (-9) in the middle of a put, and started again")
        kept = {}

        def at_half():
            kept["at"] = time.monotonic()
            store.kill()
            store.start()
            kept["for"] = time.monotonic() - kept["at"]

        ben.proxy.at_half = at_half
        halves = ben.proxy.once("half", lambda one: one.method == "PUT" and one.document is None)
        ended = ben.end(ben.sync("youtube", "--refill"))
        ben.proxy.fault = None
        ben.told("youtube", ended)
        expect(bool(halves), "nothing was put, so that nothing could be killed")
        say(f"      the store was away for {kept.get('for', 0):.0f} s; nothing that it had said it had is lost, as is shown below")
        expect(ended.status in (0, 69, 74, 75), ended.said)

        step("5/6 proof", "every key that the five servers give, against what a fourth machine finds in the bucket:")
        dora = Machine(trawl, work, "dora", store, log, LEASE)
        dora.servers = servers
        for job in JOBS:
            machine = {"youtube": ann, "newsapi": ben, "github": ben, "giphy": ann, "openmarket": cleo}[job]
            ended = machine.end(machine.sync(job, "--claim-wait", "1m"))
            expect(ended.status == 0, f"{job} once more: {ended.status} {ended.said}")
        compare(dora, servers)
        for job in JOBS:
            proved = dora.run("prove", "--data", data(job))
            expect(proved.status == 0, f"prove {job}: {proved.said}")
        say(f"trawl prove holds in all {len(JOBS)} folders")
        bucket, pictures, false = store.bucket, 0, 0
        for job in JOBS:
            for name in bucket.names(f"{job}/media/"):
                pictures += 1
                false += hashlib.sha256(bucket.get(name).body).hexdigest() != name.rsplit("/")[-1].split(".")[0]
        say(f"{pictures} pictures in the bucket: {pictures - false} are named by their own SHA-256, {false} are not")
        expect(pictures > 1000 and not false, f"{pictures} pictures, {false} of them false")
        chains, broken = history.heads(log)
        wrong.extend(broken)
        heads = sum(len(chain) for chain in chains.values())
        say(f"{heads} heads of {len(chains)} objects, each from the one before: {'nobody wrote behind a fence' if not broken else broken}")

        step("6/6 again", "all five by another machine each: nothing new, hardly anything moved")
        sent, put = sum(len(servers[job].asked()) for job in JOBS), len(log)
        for job, machine in zip(JOBS, [cleo, ann, ann, ben, ben]):
            ended = machine.end(machine.sync(job, "--claim-wait", "1m"))
            expect(ended.status == 0 and re.search(r"\b0 new, 0 changed", ended.said), f"{job} again: {ended.said}")
        say(f"{sum(len(servers[job].asked()) for job in JOBS) - sent} requests to the APIs, "
            f"{sum(one.up for one in log[put:]) / 1e6:.1f} MB put in {sum(one.method == 'PUT' for one in log[put:])} objects, "
            f"{sum(one.down for one in log[put:]) / 1e6:.1f} MB got")
    finally:
        for server in servers.values():
            server.process.terminate()
            server.process.wait()
        store.stop()
    if wrong:
        step("WRONG", f"{len(wrong)} things are not as they should be:")
        for one in wrong:
            say(one)
        return 1
    step("done", f"all equal, in {time.monotonic() - began:.0f} s")
    return 0


def compare(reader, servers):
    for job in JOBS:
        copy = reader.folder / f"{job}.db"
        ended = reader.run("backup", copy, "--data", data(job))
        expect(ended.status == 0, f"backup of {job}: {ended.status} {ended.said}")
        if ended.status != 0:
            continue
        truth = json.loads(servers[job].get(f"truth?api={job}"))
        with sqlite3.connect(f"file:{copy}?mode=ro", uri=True) as db:
            for name, is_meant, query, what, key in COMPARED:
                if name != job:
                    continue
                wanted = {
                    str(key(one, k) if key else k) for one in truth["lists"] if is_meant(one) for k in one["keys"]}
                found = {str(row[0]) for row in db.execute(query)}
                less, more = len(wanted - found), len(found - wanted)
                say(f"{job:12} {len(found):6} {what:10} {less} missing, {more} extra")
                expect(found and less == more == 0, f"{job}: {less} {what} missing, {more} extra")


def chain_of(log, job):
    chains, _ = history.heads(log)
    return next(chain for path, chain in chains.items() if path.endswith(f"/{job}/head"))


def expect(is_so, words):
    if not is_so:
        wrong.append(words)
