"""Machines, networks and stores that fail, each with what has to be true behind it."""

import hashlib
import time
from pathlib import Path

from lists import PICTURES, picture
from trial import LEASE
from worker import go_on, kill, spent, stop


def first_load(trial):
    """Two machines, one after the other; the second finds what the first has put."""
    one, two = trial.loaded()
    trial.is_right(two)
    sent = len(trial.lists.asked)
    trial.ends(trial.run(two), 0, "another machine goes on", "0 new, 0 changed")
    head, _ = trial.head()
    trial.expect(not head.get("until"), "the claim is given back", head.get("until"))
    trial.expect(spent(two.folder / "copy.db") == sent, "the ledger counts what was sent",
                 (spent(two.folder / "copy.db"), sent))
    for words in [["status"], ["report", trial.name], ["search", "thing"], ["sql", f"SELECT count(*) FROM {trial.table}"]]:
        ended = one.run(*words, "--data", trial.data)
        trial.expect(ended.status == 0, f"trawl {words[0]} reads it", ended.said)
    trial.has_good_history()


def environment(trial):
    """What a unit or a container has: TRAWL_DATA and CACHE_DIRECTORY."""
    worker = trial.worker("unit")
    worker.more = {"TRAWL_DATA": trial.data, "CACHE_DIRECTORY": str(worker.folder / "unit-cache")}
    job = worker.write(trial.name, trial.lists.job(trial.name))
    trial.ends(worker.run("run", job), 0, "TRAWL_DATA alone", "complete")
    trial.expect((worker.folder / "unit-cache").exists() and not worker.cache.exists(), "CACHE_DIRECTORY has the cache")
    trial.expect(trial.head()[0] is not None, "it is in the bucket")
    local = [p for p in worker.home.rglob("trawl.db") if "cache" not in str(p)]
    trial.expect(not local, "nothing is beside it", local)


def held(trial):
    """The second machine is told who has it and until when; with patience it gets its turn."""
    one, two, three = trial.worker("one"), trial.worker("two"), trial.worker("three")
    process = trial.under_way(one, 2)
    began = time.monotonic()
    trial.ends(trial.run(two, "--claim-wait", "0s"), 75, "held by another", r"has|held|hold")
    trial.expect(time.monotonic() - began < 2, "it does not wait")
    asked = {trial.machine.get(one.process) for one in trial.lists.asked}
    trial.expect(asked == {"one"}, "it has asked the API nothing", asked)
    patient = trial.start(three, "--claim-wait", "60s")
    trial.ends(one.end(process), 0, "the first is not disturbed", "complete")
    trial.ends(three.end(patient), 0, "whoever waits gets his turn", "complete")
    trial.is_whole(two)


def pictures(trial):
    """Pictures lie in the bucket under their digest, wherever they were fetched, whoever was killed meanwhile."""
    one, two = trial.worker("one"), trial.worker("two")

    def start(worker):
        job = worker.write(trial.name, trial.lists.job(trial.name, form=PICTURES))
        process = worker.start("run", job, "--data", trial.data, "--allow-loopback", "--claim-wait", "30s")
        trial.machine[process.pid] = worker.name
        return process

    def found():
        return {name: trial.store.bucket.get(name).body for name in trial.store.bucket.names(f"{trial.name}/media/")}

    process = start(one)
    while len(trial.lists.faces) < 20 and process.poll() is None:
        time.sleep(0.005)
    kill(process)
    one.end(process)
    trial.ends(two.end(start(two)), 0, "killed while pictures came; another machine", "complete")
    count = len(trial.lists.records[trial.name])
    digests = {hashlib.sha256(picture(number)).hexdigest() for number in trial.lists.records[trial.name]}
    there = {hashlib.sha256(body).hexdigest(): name for name, body in found().items()}
    trial.expect(digests <= there.keys(), f"{len(digests & there.keys())} of {count} pictures are in the bucket", len(there))
    trial.expect(all(digest in name for digest, name in there.items()), "each is named by its SHA-256",
                 [name for digest, name in there.items() if digest not in name][:3])
    twice = len(trial.lists.faces) - len(set(trial.lists.faces))
    print(f"          {len(trial.lists.faces)} downloads of {count} pictures, {twice} of them twice")
    path = one.run("media", "path", trial.table, "7", "--data", trial.data)
    file = Path(path.said.strip().splitlines()[-1].split()[-1]) if path.status == 0 else Path("none")
    trial.expect(file.exists() and file.read_bytes() == picture(7), "media path fetches one", path.said)
    trial.ends(one.run("media", "verify", "--data", trial.data, "--allow-loopback"), 0, "media verify")
    hurt = there[hashlib.sha256(picture(9)).hexdigest()]
    trial.store.bucket.put(hurt, picture(9)[:-30])
    lost = there[hashlib.sha256(picture(11)).hexdigest()]
    trial.store.bucket.delete(lost)
    trial.ends(one.run("media", "verify", "--data", trial.data, "--allow-loopback"), (0, 4), "one damaged, one gone: media verify")
    for _ in range(2):
        trial.ends(two.end(start(two)), (0, 3), "a run behind it")
    now = {hashlib.sha256(body).hexdigest(): name for name, body in found().items()}
    trial.expect(digests <= now.keys(), "all are there again", len(digests - now.keys()))
    trial.is_whole(one)


def died(trial):
    """kill -9 in the middle; the next machine takes over once the lease is over, and asks again what was not put."""
    one, two = trial.worker("one"), trial.worker("two")
    trial.killed(one, 15)
    killed, sent = time.time(), len(trial.lists.asked)
    trial.ends(trial.run(two, "--claim-wait", "30s"), 0, "taken over", "complete")
    taken = next(state for state in trial.chain()[0] if state.worker == "two")
    trial.expect(0 <= taken.ended - killed <= LEASE + 3, f"{taken.ended - killed:.1f} s behind the kill (lease {LEASE} s)")
    print(f"          {sent} requests before it and {len(trial.lists.asked) - sent} behind it, for 31")
    trial.is_right(one)
    trial.expect(len(trial.lists.asked) <= spent(one.folder / "copy.db") <= len(trial.lists.asked) + 64,
                 "the ledger counts at most a block too many", (len(trial.lists.asked), spent(one.folder / "copy.db")))
    trial.has_good_history()


def slept(trial):
    """SIGSTOP past the lease; the late one keeps nothing and asks nothing."""
    one, two = trial.worker("one"), trial.worker("two")
    process = trial.under_way(one, 10)
    stop(process)
    time.sleep(LEASE + 1)
    trial.ends(trial.run(two, "--claim-wait", "30s"), 0, "taken over from the sleeper", "complete")
    asked = len(trial.lists.asked)
    go_on(process)
    trial.ends(one.end(process), 75, "the late one", r"two|another|claim|lease|taken")
    trial.expect(len(trial.lists.asked) <= asked, "the late one asks no more", trial.lists.asked[asked:])
    trial.is_whole(one)


def slept_alone(trial):
    """The same, and nobody took it over: it may go on, but only with a new lease."""
    one = trial.worker("one")
    process = trial.under_way(one, 10)
    stop(process)
    time.sleep(LEASE + 2)
    go_on(process)
    ended = one.end(process)
    trial.ends(ended, (0, 75), "slept past its lease, alone")
    if ended.status == 75:
        trial.ends(trial.run(one), 0, "once more", "complete")
    trial.is_whole(one)


def told_to_stop(trial):
    """SIGTERM: what was read is put, and the claim is given back."""
    one, two = trial.worker("one"), trial.worker("two")
    process = trial.under_way(one, 12)
    began = time.monotonic()
    process.terminate()
    ended = one.end(process)
    trial.expect(ended.status in (75, -15), f"SIGTERM: exit {ended.status}: {ended.last}", ended.said)
    trial.expect(time.monotonic() - began < 10, "it ends soon")
    head, _ = trial.head()
    trial.expect(not head.get("until"), "the claim is given back", head)
    sent = len(trial.lists.asked)
    trial.ends(trial.run(two, "--claim-wait", "0s"), 0, "another machine goes on at once", "complete")
    again = len(trial.lists.asked) - sent
    trial.expect(again <= 31 - 12 + 5, f"it asks only what was missing: {again} requests", again)
    trial.is_whole(one)


def cut(trial):
    """The network to the store is gone: the run ends by itself, without a request beyond its lease."""
    one, two = trial.worker("one"), trial.worker("two")
    trial.lists.delay = 0.25
    process = trial.under_way(one, 3)
    one.proxy.cut()
    moment = time.time()
    ended = one.end(process, seconds=300)
    trial.ends(ended, (69, 74, 75), f"cut off, it ends after {time.time() - moment:.0f} s", r"store|bucket|lease|s3|reach")
    trial.expect(ended.seconds < 60, "it ends within a minute", ended.seconds)
    late = [one for one in trial.lists.asked if one.at > moment + LEASE + 1]
    trial.expect(not late, "no request beyond the lease", late[:3])
    trial.lists.delay = 0.02
    trial.ends(trial.run(two, "--claim-wait", "30s"), 0, "taken over", "complete")
    one.proxy.heal()
    trial.ends(trial.run(one), 0, "with its network again", "complete")
    trial.is_whole(one)


def cut_before(trial):
    """No store from the first moment: nothing is asked."""
    one = trial.worker("one")
    one.proxy.close()
    trial.ends(trial.run(one), (69, 74, 75), "a store that nobody reaches", r"store|bucket|s3|reach|endpoint")
    trial.expect(not trial.lists.asked, "nothing was asked")
    ended = one.run("status", "--data", trial.data)
    trial.expect(ended.status not in (0, 70) and ended.status is not None, f"status: exit {ended.status}: {ended.last}", ended.said)


def lost_answer(trial):
    """The head has moved and nobody said so: the nonce tells; at each of the first puts of the head once."""
    one = trial.worker("one")
    for at in range(5):
        seen = []
        one.proxy.once("lose", lambda exchange: exchange.method == "PUT" and exchange.document is not None
                       and (seen.append(exchange) or len(seen) > at))
        trial.lists.night(trial.name)
        trial.ends(trial.run(one), 0, f"the answer to put {at + 1} of a document is lost", "complete")
    one.proxy.fault = None
    trial.is_whole(one)


def busy_store(trial):
    """503 and 500 for a while: asked again."""
    one, counts = trial.worker("one"), {}

    def fault(exchange):
        counts[exchange.path] = counts.get(exchange.path, 0) + 1
        return 503 if counts[exchange.path] == 1 else 500 if counts[exchange.path] == 3 else None

    one.proxy.fault = fault
    trial.ends(trial.run(one), 0, "a store that says 503 at first", "complete")
    one.proxy.fault = None
    trial.is_whole(one)


def outage(trial):
    """The store is away for six seconds of a lease of twenty: the run waits, or says so and is resumed."""
    one, away = trial.worker("one", lease=20), []
    one.proxy.fault = lambda _: "refuse" if away else None
    trial.lists.delay = 0.1
    process = trial.under_way(one, 4)
    away.append(True)
    time.sleep(6)
    away.clear()
    ended = one.end(process)
    trial.ends(ended, (0, 69, 75), "away for 6 s")
    trial.lists.delay = 0.02
    trial.ends(trial.run(one), 0, "the next run", "complete")
    trial.is_right(one)
    # The same where a block of the ledger is put just then.
    two, refused = trial.worker("two", lease=20), []

    def fault(exchange):
        if "/ledger.db/" in exchange.path and exchange.method == "PUT" and len(refused) < 12:
            refused.append(exchange)
            return "refuse"
        return None

    two.proxy.fault = fault
    trial.lists.night(trial.name)
    trial.ends(trial.run(two), (0, 69, 75), "no block can be put", r"store|s3|complete")
    two.proxy.fault = None
    trial.ends(trial.run(two), 0, "the next run", "complete")
    trial.is_whole(one)


def store_killed(trial):
    """The store dies in the middle of a put, of the ledger and of the database, and comes back with what it had."""
    one = trial.worker("one", lease=20)

    def at_half():
        trial.store.kill()
        trial.store.start()

    one.proxy.at_half = at_half
    for file in ("ledger.db", "trawl.db"):
        met = one.proxy.once("half", lambda exchange: exchange.method == "PUT" and f"/{file}/" in exchange.path)
        trial.lists.night(trial.name)
        ended = trial.run(one)
        trial.expect(bool(met), f"a put of {file} was under way")
        trial.ends(ended, (0, 69, 75), "the store was killed in it")
        one.proxy.fault = None
        trial.ends(trial.run(one, "--claim-wait", "60s"), 0, "the store is there again", "complete")
        trial.is_right(trial.worker(f"reader of {file}"))
    trial.has_good_history()


def race(trial):
    """Twelve machines at once for an empty folder: one has it; with patience each gets its turn."""
    machines = [trial.worker(f"m{at}") for at in range(12)]
    started = [(worker, trial.start(worker, "--claim-wait", "0s")) for worker in machines]
    ends = [worker.end(process) for worker, process in started]
    codes = sorted(ended.status for ended in ends)
    trial.expect(set(codes) <= {0, 75} and 0 in codes, f"exit 0 x {codes.count(0)}, exit 75 x {codes.count(75)}",
                 [ended.said for ended in ends if ended.status not in (0, 75)])
    trial.has_good_history()
    started = [(worker, trial.start(worker, "--claim-wait", "120s")) for worker in machines[:6]]
    codes = [worker.end(process).status for worker, process in started]
    trial.expect(codes == [0] * 6, f"with patience: {codes}")
    chain = trial.is_whole(machines[7])
    epochs = {}
    for state in chain:
        epochs.setdefault(state.epoch, set()).add(state.worker)
    trial.expect(all(len(workers) == 1 for workers in epochs.values()), f"{len(epochs)} epochs, each of one machine")


def one_cache(trial):
    """Three processes of one machine, each with a job of its own: they share the claim."""
    worker, jobs = trial.worker("one"), ["shelf1", "shelf2", "shelf3"]
    for name in jobs:
        trial.lists.fill(name, 200)
    started = []
    for name in jobs:
        process = worker.start("run", worker.write(name, trial.lists.job(name)), "--data", trial.data)
        trial.machine[process.pid] = worker.name
        started.append(process)
    ends = [worker.end(process) for process in started]
    trial.expect([ended.status for ended in ends] == [0, 0, 0], f"{[ended.status for ended in ends]}",
                 [ended.said for ended in ends if ended.status])
    reader = trial.worker("two")
    for name in jobs:
        trial.expect(reader.rows(trial.data, f"{name}_items") == trial.lists.truth(name), f"{name}: every row")
    head, _ = trial.head()
    trial.expect(head is not None and not head.get("until"), "the last one has given it back", head)
    trial.has_good_history()
