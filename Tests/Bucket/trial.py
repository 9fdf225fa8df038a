"""What one fault is tried with."""

import json
import time

import history
import reader
from lists import Lists
from worker import Worker, data, kill, sentence

LEASE = 3


class Trial:
    """Everything that one fault is tried with: a folder of its own, a list server of its own, machines."""

    def __init__(self, trawl, store, work, name, records=600, allow=1_000_000, delay=0.02):
        self.trawl, self.store, self.work, self.name = trawl, store, work, name
        self.data, self.table, self.allow = data(name), f"{name}_items", allow
        self.lists = Lists(name, delay)
        self.lists.fill(name, records)
        self.log, self.machines, self.machine, self.failed = [], [], {}, []

    def worker(self, name, lease=LEASE):
        worker = Worker(self.trawl, self.work / self.name, name, self.store, self.log, lease, self.lists)
        self.machines.append(worker)
        return worker

    def start(self, worker, *words):
        job = worker.write(self.name, self.lists.job(self.name, allow=self.allow))
        process = worker.start("run", job, "--data", self.data, *words)
        self.machine[process.pid] = worker.name
        return process

    def run(self, worker, *words):
        return worker.end(self.start(worker, *words))

    def loaded(self):
        """Two machines, the first of which has run."""
        one, two = self.worker("one"), self.worker("two")
        self.ends(self.run(one), 0, "a first run", "complete")
        return one, two

    def under_way(self, worker, count, *words):
        """A run that has sent so many requests."""
        asked = len(self.lists.asked)
        process = self.start(worker, *words)
        self.until_asked(asked + count, process)
        return process

    def killed(self, worker, count, *words):
        """The same, and kill -9."""
        process = self.under_way(worker, count, *words)
        kill(process)
        worker.end(process)

    def expect(self, is_so, words, why=""):
        print(f"  {'ok    ' if is_so else 'FAILED'}  {self.name}: {words}", flush=True)
        if not is_so:
            for line in str(why).strip().splitlines()[:6]:
                print(f"              {line}", flush=True)
            self.failed.append(f"{self.name}: {words}")

    def ends(self, ended, wanted, words, says=None):
        """An exit code, and a line that says why."""
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        line = sentence(ended.said, says) if says else ended.last
        self.expect(ended.status in wanted and line is not None and "has shown the secret" not in ended.said,
                    f"{words}: exit {ended.status}: {line or ended.last}", ended.said.strip())

    def until_asked(self, count, process, seconds=60):
        """Until the list server has had so many requests."""
        end = time.monotonic() + seconds
        while len(self.lists.asked) < count and process.poll() is None and time.monotonic() < end:
            time.sleep(0.005)
        return process.poll() is None

    def is_right(self, worker, words="every row as the server has it"):
        rows, truth = worker.rows(self.data, self.table), self.lists.truth(self.name)
        self.expect(rows == truth, words, rows if isinstance(rows, str) else f"{len(rows)} rows of {len(truth)}")
        same = reader.rows(self.store.bucket, self.name, self.table)
        self.expect(same == rows, "a reader that shares no line reads the same", same if isinstance(same, str) else len(same))
        proved = worker.run("prove", "--data", self.data)
        self.expect(proved.status == 0, "prove holds", proved.said)

    def is_whole(self, worker):
        """Every row is right, and nothing was wrong on the way."""
        self.is_right(worker)
        return self.has_good_history()

    def chain(self):
        chains, wrong = history.heads(self.log)
        main = next((chain for path, chain in chains.items() if path.endswith(f"/{self.name}/head")), [])
        return main, wrong

    def has_good_history(self):
        chain, wrong = self.chain()
        late = history.unleased(self.lists.asked, chain, lambda one: self.machine.get(one.process))
        unknown = sum(one.process not in self.machine for one in self.lists.asked)
        self.expect(unknown * 10 <= len(self.lists.asked), "it is known who sent each request", unknown)
        self.expect(not wrong, f"{len(chain)} heads are one chain", wrong[:3])
        self.expect(not late, "no request without a living lease", late[:3])
        return chain

    def head(self):
        answer = self.store.bucket.get(f"{self.name}/head")
        is_head = answer.status == 200 and answer.body.startswith(b"{")
        return (json.loads(answer.body) if is_head else None), answer.etag

    def close(self):
        for worker in self.machines:
            worker.proxy.close()
        self.lists.stop()
