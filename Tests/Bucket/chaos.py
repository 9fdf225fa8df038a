"""Machines that die, sleep, are cut off and are replaced, on folders in one bucket; each claim with a fate of its own."""

import collections
import random
import shutil
import signal
import threading
import time

import history
import reader as reading
from lists import Lists
from stores import Moto
from worker import Worker, data, go_on, kill, spent, stop, uses

# What a fate may end with, and its share. None: ended by the signal that was sent.
FATES = {
    "runs to its end": (40, {0, 75}),
    "killed": (16, {None, 0, 75}),
    "sleeps past its lease": (10, {0, 75}),
    "told to stop": (8, {0, 75, -15}),
    "cut off for a while": (8, {0, 69, 74, 75}),
    "an answer is lost": (6, {0, 75}),
    "a put arrives damaged": (4, {0, 69, 74, 75}),
    "a piece comes damaged": (4, {0, 65, 69, 74, 75}),
    "the store says 503": (4, {0, 69, 75}),
    "the store is killed in a put": (2, {0, 69, 74, 75}),
}
MIDST = {"killed", "sleeps past its lease", "told to stop", "cut off for a while"}
# What a ledger sets aside at once, and a takeover may count without its being sent.
BLOCK = 64


class Folder:
    """One folder of the bucket, its list, and who is on it."""

    def __init__(self, name, seed, records):
        self.name, self.data = name, data(name)
        self.lists = Lists(seed, delay=0.02)
        self.lists.fill(name, records)
        self.lock, self.users, self.complete = threading.Lock(), 0, False


class Chaos:
    def __init__(self, trawl, store, work, claims, seed, lease=3, workers=4, folders=3, records=500):
        self.store, self.claims, self.seed, self.lease = store, claims, seed, lease
        self.chance = random.Random(seed)
        self.log, self.ends, self.wrong, self.sayings = [], collections.Counter(), [], {}
        self.folders = [Folder(f"folder{at}", seed + at, records) for at in range(folders)]
        self.workers = [Worker(trawl, work, f"machine{at}", store, self.log, lease) for at in range(workers)]
        self.machine = {}
        self.lock, self.repair = threading.Lock(), threading.Lock()
        self.left, self.nights, self.readers, self.outages, self.fates = 0, 0, 0, [], {}

    def worker_of(self, one):
        """Numbers of processes come again: it is the last that began with this one before it asked."""
        return next((name for since, name in reversed(self.machine.get(one.process, [])) if since <= one.at), None)

    def start(self, worker, folder, *words):
        job = worker.write(folder.name, folder.lists.job(folder.name))
        since = time.time()
        process = worker.start("run", job, "--data", folder.data, *words)
        process.since = since
        self.machine.setdefault(process.pid, []).append((since, worker.name))
        folder.lists.processes.add(process.pid)
        return process

    # -- one claim ------------------------------------------------------------------------------------

    def claim(self, worker, chance):
        folder = chance.choice(self.folders)
        # moto keeps everything in memory, and checks no sum of what arrives.
        left_out = {"the store is killed in a put", "a put arrives damaged"} if isinstance(self.store, Moto) else set()
        fates = [name for name in FATES if name not in left_out]
        fate = chance.choices(fates, [FATES[name][0] for name in fates])[0]
        if chance.random() < 0.15:
            worker.forget()
        with folder.lock:
            if folder.users == 0 and folder.complete and chance.random() < 0.5:
                folder.lists.night(folder.name)
                folder.complete = False
                self.nights += 1
            folder.users += 1
        try:
            # What befalls a run has to find one.
            waits = ["0s", "1s", "8s"] if fate == "runs to its end" else ["8s"]
            process = self.start(worker, folder, "--claim-wait", chance.choice(waits))
            ended = self.live(worker, folder, process, fate, chance)
            status = None if ended.status == -signal.SIGKILL else ended.status
            self.fates[process.pid] = f"{fate}, {status}"
            with self.lock:
                self.ends[fate, status] += 1
                allowed = FATES[fate][1]
                if self.was_out(process.since):
                    allowed = allowed | {69, 74, 75}
                if status not in allowed or "has shown the secret" in ended.said:
                    self.wrong.append(f"{fate}: ended with {status}: {ended.said.strip()}")
                self.sayings.setdefault((fate, status), ended.last)
            with folder.lock:
                folder.complete = folder.complete or status == 0
            # What was called complete is there for anybody, whatever became of the runs behind it.
            if folder.complete and chance.random() < (0.6 if "damaged" in fate else 0.1):
                self.read(chance.choice(self.workers), folder)
        finally:
            with folder.lock:
                folder.users -= 1

    def live(self, worker, folder, process, fate, chance):
        moment = chance.random() * 0.8
        # Half of the moments are in the midst of its requests, the others anywhere.
        asked = chance.randrange(1, 27) if chance.random() < 0.5 and fate in MIDST else 0
        end = time.monotonic() + 12
        while (asked and process.poll() is None and time.monotonic() < end
               and sum(one.process == process.pid for one in folder.lists.asked[-500:]) < asked):
            time.sleep(0.005)
        if asked:
            moment = 0

        def is_piece(one):
            return one.document is None

        if fate == "killed":
            pause(process, moment)
            kill(process)
        elif fate == "sleeps past its lease":
            if pause(process, moment):
                stop(process)
                time.sleep(self.lease + 2)
                go_on(process)
        elif fate == "told to stop":
            if pause(process, moment):
                process.send_signal(signal.SIGTERM)
        elif fate == "cut off for a while":
            pause(process, moment)
            worker.proxy.cut()
            pause(process, self.lease * 1.5)
            worker.proxy.heal()
        elif fate == "an answer is lost":
            at = chance.randrange(3)
            seen = []
            worker.proxy.once("lose", lambda one: one.method == "PUT" and one.document is not None
                              and (seen.append(one) or len(seen) > at))
        elif fate == "a put arrives damaged":
            worker.proxy.once("damage", lambda one: one.method == "PUT" and is_piece(one))
        elif fate == "a piece comes damaged":
            worker.proxy.once("damage-answer", lambda one: one.method == "GET" and not one.query
                              and not one.path.endswith("/head"))
        elif fate == "the store says 503":
            worker.proxy.once(503, lambda one: chance.random() < 0.3)
        elif fate == "the store is killed in a put":
            def killed():
                with self.repair:
                    self.outages.append([time.time(), float("inf")])
                    self.store.kill()
                    self.store.start()
                    self.outages[-1][1] = time.time()
            worker.proxy.at_half = killed
            worker.proxy.once("half", lambda one: one.method == "PUT" and is_piece(one) and one.up > 1000)
        ended = worker.end(process)
        worker.proxy.fault = None
        return ended

    def was_out(self, began):
        return any(began < to and since < time.time() for since, to in self.outages)

    def read(self, worker, folder):
        """What another machine reads, beside whatever runs there."""
        reader = Worker(worker.trawl, worker.folder / "reader", f"reader{self.readers}", self.store, [], self.lease)
        self.readers += 1
        since = time.time()
        rows = reader.rows(folder.data, f"{folder.name}_items")
        if rows != folder.lists.truth(folder.name) and not (isinstance(rows, str) and self.was_out(since)):
            self.wrong.append(f"{folder.name}: told complete, and a reader finds {difference(rows, folder)}")
        reader.proxy.close()
        shutil.rmtree(reader.folder, ignore_errors=True)

    # -- what has to hold then ------------------------------------------------------------------------

    def check(self):
        """All to their end; then rows, proof, ledger, and what the heads were."""
        for folder in self.folders:
            worker = self.chance.choice(self.workers)
            for _ in range(4):
                ended = worker.end(self.start(worker, folder, "--claim-wait", "60s"))
                if ended.status == 0:
                    break
            else:
                self.wrong.append(f"{folder.name}: left alone it does not come to its end: {ended.status} {ended.said}")
                continue
            folder.complete = True
            reader = self.chance.choice(self.workers)
            if self.chance.random() < 0.5:
                reader.forget()
            rows = reader.rows(folder.data, f"{folder.name}_items")
            if rows != folder.lists.truth(folder.name):
                self.wrong.append(f"{folder.name}: not as the server has it: {difference(rows, folder)}")
                continue
            same = reading.rows(self.store.bucket, folder.name, f"{folder.name}_items")
            if same != rows:
                self.wrong.append(f"{folder.name}: a reader that shares no line finds {difference(same, folder)}")
            proved = reader.run("prove", "--data", folder.data)
            if proved.status != 0:
                self.wrong.append(f"{folder.name}: prove ended with {proved.status}: {proved.said}")
            counted, sent = spent(reader.folder / "copy.db"), len(folder.lists.asked)
            chain, wrong = self.chain(folder)
            epochs = len({state.epoch for state in chain})
            if not sent <= counted <= sent + BLOCK * epochs:
                self.wrong.append(f"{folder.name}: {sent} requests were sent, the ledger counts {counted}, {epochs} epochs"
                                  f"{self.account(folder, chain, reader.folder / 'copy.db')}")
            self.wrong += [one for one in wrong if one not in self.wrong]

    def account(self, folder, chain, copy):
        """Who sent what, beside what the ledger has of it."""
        lines, runs = [], {}
        for one in folder.lists.asked:
            runs.setdefault((one.process, self.worker_of(one)), []).append(one.at)
        for (process, worker), times in runs.items():
            lines.append((times[0], f"{worker} sent {len(times)} until {times[-1]:.2f}: {self.fates.get(process)}"))
        lines += [(state.began, repr(state)) for state in chain]
        lines += [(since / 1000, f"ledger: {cost} until {at / 1000:.2f}") for since, at, cost in uses(copy)]
        return "".join(f"\n    {at:.2f} {words}" for at, words in sorted(lines))

    def chain(self, folder):
        chains, wrong = history.heads([one for one in self.log if f"/{folder.name}/" in one.path])
        main = [chain for path, chain in chains.items() if f"/{folder.name}/" in path]
        chain = max(main, key=len, default=[])
        late = history.unleased(folder.lists.asked, chain, self.worker_of)
        unknown, sent = sum(self.worker_of(one) is None for one in folder.lists.asked), len(folder.lists.asked)
        if unknown * 10 > sent:
            wrong.append(f"{folder.name}: nobody knows who sent {unknown} of {sent} requests")
        wrong += [f"{folder.name}: a request without a lease: {one} at {one.at:.2f} of {self.worker_of(one)}; "
                  f"near it {near(chain, one.at)}" for one in late]
        return chain, wrong

    def reused(self):
        """Pieces whose name was put twice with other bytes: a name is never used again."""
        tags = collections.defaultdict(set)
        for one in self.log:
            if one.method == "PUT" and "/pieces/" in one.path and one.status == 200 and one.fault != "damage":
                tags[one.path].add(one.md5)
        return [path for path, known in tags.items() if len(known) > 1]

    # -- all of it ------------------------------------------------------------------------------------

    def run(self, every=30):
        done = 0
        while done < self.claims and len(self.wrong) < 8:
            self.left = min(every, self.claims - done)
            done += self.left
            threads = [
                threading.Thread(target=self.loop, args=(worker, self.chance.randrange(1 << 30)))
                for worker in self.workers]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            with self.repair:
                self.check()
            print(f"  {done} claims, {self.nights} nights, {len(self.wrong)} wrong", flush=True)
        self.wrong += [f"put twice under one name: {path}" for path in self.reused()]
        for folder in self.folders:
            folder.lists.stop()
        return self.wrong

    def loop(self, worker, seed):
        chance = random.Random(seed)
        while True:
            with self.lock:
                if self.left <= 0:
                    return
                self.left -= 1
            try:
                self.claim(worker, chance)
            except Exception as error:  # A thread that dies must not pass for success.
                self.wrong.append(f"the harness itself: {error!r}")
                raise

    def table(self):
        for fate in FATES:
            ends = {status: count for (name, status), count in self.ends.items() if name == fate}
            if ends:
                print(f"  {fate:30}", ", ".join(
                    f"{'killed' if status is None else f'exit {status}'} x {count}" for status, count in sorted(
                        ends.items(), key=lambda one: str(one[0]))))


def pause(process, seconds):
    """Waits, and tells whether the process is still there."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if process.poll() is not None:
            return False
        time.sleep(0.01)
    return process.poll() is None


def near(chain, at):
    return [f"{state.began - at:+.2f} {state}" for state in chain if abs(state.began - at) < 8][-4:]


def difference(rows, folder):
    if isinstance(rows, str):
        return rows
    truth = {row[0]: row for row in folder.lists.truth(folder.name)}
    here = {row[0]: row for row in rows}
    return (f"{len(truth.keys() - here.keys())} missing, {len(here.keys() - truth.keys())} extra, "
            f"{sum(here[one] != truth[one] for one in here.keys() & truth.keys())} other")
