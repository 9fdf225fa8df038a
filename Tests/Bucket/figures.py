"""What a bucket costs beside a folder: processor, bytes of a night, a takeover, a reader's refresh. Ratios of one run."""

import json
import os
import random
import time
import urllib.parse

from lists import Lists
from worker import Worker, data

JOB = """{
  name: "%(name)s", base: "%(base)s",
  streams: { items: {
    get: "/%(name)s/items", pages: { by: "number", to: "?page", size: "?size=100" },
    total: "total counted", records: "items", into: "items", key: ["id"],
    columns: {
      id: "id as integer", title: "title", description: "description", url: "url",
      author_id: "author.id as integer", author_login: "author.login", language: "language", score: "score as real",
      comments: "comments as integer", archived: "archived as boolean", published_at: "published_at as time",
    }, list: "found", vanish: "mark" } },
}
"""
# 915 bytes of file a record.
SIZES = {"10 MB": 11_500, "100 MB": 115_000}
# At most so much a night at 100 MB, in MB; a twentieth more is let pass, since records differ.
WANTED = {"same": 1.1, "1 % scattered": 4, "1 % in front": 4}


class LargeList(Lists):
    """Records of 760 bytes, written once; a page is cut out of them."""

    def __init__(self, count, seed=1):
        super().__init__(seed, delay=0)
        consonants, vowels = "bcdfghklmnprstvz", "aeiou"
        self.words = ["".join(self.chance.choice(vowels if at % 2 else consonants) for at in range(2 + self.chance.randrange(8)))
                      for _ in range(4096)]
        self.first, self.rendered = 1, [self.render(number) for number in range(count, 0, -1)]
        self.next = count + 1

    def render(self, number):
        chance = self.chance
        # Small numbers more often, as words are.
        words = [self.words[int(chance.random() * chance.random() * 4096)] for _ in range(76)]
        return json.dumps({
            "id": 1_000_000 + number * 7, "title": " ".join(words[:7]), "description": " ".join(words[7:]),
            "url": f"https://news.example.com/2025/{number % 12 + 1:02}/{chance.getrandbits(128):032x}.html",
            "author": {"id": 1000 + number % 40_000, "login": f"user-{number % 40_000:05}"},
            "language": chance.choice(["Swift", "C", "Python", "Rust", "Go", "Kotlin"]), "score": chance.random() * 100,
            "comments": chance.randrange(400), "archived": chance.random() < 0.07,
            "published_at": f"20{chance.randrange(15, 26)}-0{chance.randrange(1, 10)}-{chance.randrange(10, 29)}T08:30:00Z",
        }).encode()

    def answer(self, handler):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(handler.path).query)
        self.asked.append(time.time())
        page = int(query.get("page", ["1"])[0])
        body = b'{"total":%d,"items":[%s]}' % (len(self.rendered), b",".join(self.rendered[(page - 1) * 100:page * 100]))
        self.send(handler, body, "application/json")

    def night(self, name):
        count = len(self.rendered)
        if name == "1 % scattered":
            for at in self.chance.sample(range(count), count // 100):
                self.rendered[at] = self.render(count - at)
        elif name == "1 % in front":
            fresh = [self.render(self.next + at) for at in range(count // 100)]
            self.next += len(fresh)
            self.rendered = fresh[::-1] + self.rendered


def run(trawl, store, work):
    failed = []
    only = os.environ.get("SIZE")
    for size, count in SIZES.items():
        if not only or only == size.split()[0]:
            failed += one_size(trawl, store, work / size.replace(" ", ""), size, count)
    return failed


def one_size(trawl, store, work, size, count):
    lists, failed, log = LargeList(count), [], []
    name = f"figures{size.split()[0]}"
    one = Worker(trawl, work, "one", store, log, 60)
    reader = Worker(trawl, work, "reader", store, [], 60)
    job = one.write(name, JOB % {"name": name, "base": lists.base})
    folder, bucket = str(work / "folder"), data(name)
    print(f"{size}: {count:,} records")
    print("  night             CPU in a folder   in a bucket   ratio   MB put   objects   wall in a folder, in a bucket")
    total = [0.0, 0.0]
    for night in ["first load", "same", "same again", "1 % scattered", "1 % in front"]:
        lists.night(night)
        ends = {}
        mark = len(log)
        # In turns, so that what else the machine does is in both.
        for place in random.sample([folder, bucket], 2):
            ends[place] = one.measured("run", "-q", job, "--data", place, seconds=900)
            if ends[place].status != 0:
                return [f"{size}, {night}, {place}: exit {ends[place].status}: {ends[place].said}"]
        puts = [one for one in log[mark:] if one.method == "PUT"]
        moved = sum(one.up for one in puts) / 1e6
        mine, other = ends[folder].processor, ends[bucket].processor
        total = [total[0] + mine, total[1] + other]
        print(f"  {night:17} {mine:13.2f} s {other:11.2f} s {other / mine:7.2f} {moved:8.2f} {len(puts):9}"
              f"   {ends[folder].seconds:.1f} s, {ends[bucket].seconds:.1f} s", flush=True)
        wanted = WANTED.get(night)
        if size == "100 MB" and wanted and moved > wanted * 1.05:
            failed.append(f"{size}, {night}: {moved:.2f} MB were put; wanted: at most {wanted}")
        if night == "first load":
            reader.run("status", "--data", bucket)
        if night == "same again":
            begun = len(reader.proxy.log)
            ended = reader.measured("status", "--data", bucket)
            got = reader.proxy.log[begun:]
            print(f"  a reader's refresh after two quiet nights: {ended.seconds:.2f} s, {ended.processor:.2f} s CPU, "
                  f"{sum(one.down for one in got) / 1e6:.2f} MB in {len(got)} requests")
            begun = len(reader.proxy.log)
            ended = reader.measured("status", "--data", bucket)
            print(f"  and where nothing is newer: {ended.seconds:.2f} s, {len(reader.proxy.log) - begun} requests")
    print(f"  all nights        {total[0]:13.2f} s {total[1]:11.2f} s {total[1] / total[0]:7.2f}   wanted: at most 1.1")
    fresh = Worker(trawl, work, "fresh", store, [], 60)
    warm = first_request(one, lists, job, bucket)
    cold = first_request(fresh, lists, job, bucket)
    got = sum(one.down for one in fresh.proxy.log if one.method == "GET") / 1e6
    print(f"  takeover by an empty machine: {cold:.2f} s to its first request, {got:.1f} MB got; with a warm cache {warm:.2f} s; "
          f"wanted at 100 MB: at most 3 s")
    lists.stop()
    return failed


def first_request(worker, lists, job, bucket):
    """From the start of the program to its first request to the API."""
    sent = len(lists.asked)
    began = time.time()
    ended = worker.run("run", "-q", job, "--data", bucket, seconds=900)
    return lists.asked[sent] - began if ended.status == 0 and len(lists.asked) > sent else float("nan")
