"""The harness before it is believed: its proxy, its list server and its rules, each with what it must find."""

import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

import history
from lists import Lists
from proxy import Exchange, Proxy
from s3 import Bucket, conditions
from stores import BUCKET, KEY, SECRET, LocalBucket, Moto, Nanio, SeaweedFS


def put(worker, epoch, seq, until, at, before=None, status=200):
    """A put of a head as a proxy would remember it."""
    condition = {"if-match": before.tag} if before else {"if-none-match": "*"}
    body = json.dumps({"epoch": epoch, "seq": seq, "owner": worker, "until": until, "nonce": secrets.token_hex(4)})
    one = Exchange(worker, "PUT", "/acme/head", condition, body.encode())
    one.began, one.ended, one.status, one.reached = at, at + 0.01, status, True
    return one


class RuleTests(unittest.TestCase):
    def judge(self, *puts):
        return history.heads(list(puts))[1]

    def setUp(self):
        self.first = put("a", 1, 0, 160, 100)
        self.second = put("a", 1, 1, 170, 110, self.first)

    def test_a_good_history(self):
        back = put("a", 1, 2, 0, 120, self.second)
        self.assertEqual(self.judge(self.first, self.second, back, put("b", 2, 2, 190, 130, back)), [])
        self.assertEqual(self.judge(self.first, self.second, put("b", 2, 1, 250, 190, self.second)), [])

    def test_a_lost_answer(self):
        lost = put("a", 1, 1, 170, 110, self.first, status=None)
        self.assertEqual(self.judge(self.first, lost, put("a", 1, 2, 180, 120, lost)), [])

    def test_what_is_found(self):
        for words, more in {
            "living lease": [put("b", 2, 1, 220, 150, self.second)],
            "went back": [put("a", 1, 0, 220, 150, self.second)],
            "two workers": [put("b", 1, 2, 220, 150, self.second)],
            "onto one state": [put("b", 2, 1, 220, 190, self.second), put("c", 2, 1, 220, 190, self.second)],
            "made it": [put("b", 1, 0, 220, 150)],
        }.items():
            found = self.judge(self.first, self.second, *more)
            self.assertTrue(any(words in one for one in found), (words, found))

    def test_requests_without_a_lease(self):
        class Asked:
            def __init__(self, process, at):
                self.process, self.at = process, at
        chains, _ = history.heads([self.first, self.second, put("b", 2, 1, 260, 200, self.second)])
        asked = [Asked("a", 101), Asked("a", 169), Asked("a", 180), Asked("b", 190), Asked("b", 201), Asked("a", 202)]
        found = history.unleased(asked, chains["/acme/head"], lambda one: one.process)
        self.assertEqual([(one.process, one.at) for one in found], [("a", 180), ("b", 190), ("a", 202)])


class ListTests(unittest.TestCase):
    def test_pages_and_processes(self):
        lists = Lists(1, delay=0)
        lists.fill("shelf", 45)
        child = subprocess.Popen(
            [sys.executable, "-c", "import sys,urllib.request; sys.stdin.readline();"
             f"[print(urllib.request.urlopen('{lists.base}/shelf/items?page=%d&size=20' % n).read().decode()) for n in (1,2,3)]"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        lists.processes.add(child.pid)
        said, _ = child.communicate("go\n")
        pages = [json.loads(line) for line in said.splitlines()]
        got = sorted((one["id"], one["title"], one["note"], one["worth"]) for page in pages for one in page["items"])
        self.assertEqual(got, lists.truth("shelf"))
        self.assertEqual([one.process for one in lists.asked], [child.pid] * 3)
        urllib.request.urlopen(f"{lists.base}/shelf/items").read()
        self.assertIsNone(lists.asked[-1].process)
        before = lists.truth("shelf")
        lists.night("shelf", changed=0.2, gone=0.1)
        self.assertNotEqual(before, lists.truth("shelf"))
        lists.stop()


class StoreTests(unittest.TestCase):
    def store(self, kind):
        folder = tempfile.TemporaryDirectory(prefix="trawl-bucket-self-")
        store = kind(folder.name).start()
        self.addCleanup(folder.cleanup)
        self.addCleanup(store.stop)
        return store

    def test_what_each_store_refuses(self):
        self.assertEqual(conditions(self.store(Moto).bucket), [])
        self.assertIn("If-Match with an old tag", conditions(self.store(LocalBucket).bucket))
        self.assertEqual(conditions(self.store(Nanio).bucket), ["If-None-Match", "If-Match with an old tag"])

    def test_the_proxy(self):
        store = self.store(SeaweedFS)
        self.assertEqual(conditions(store.bucket), [])
        log, fault = [], {}
        proxy = Proxy("a", store.port, log, lambda one: fault.get(one.method))
        through = Bucket(proxy.endpoint, BUCKET, KEY, SECRET)
        large = os.urandom(3_000_000)
        self.assertEqual(through.put("large", large).status, 200)
        self.assertEqual(through.get("large").body, large)
        self.assertEqual(log[0].tag, log[0].etag)
        self.assertEqual((log[0].up, log[1].down), (3_000_000, 3_000_000))
        fault["PUT"] = "lose"
        self.assertRaises(OSError, through.put, "lost", b"there")
        self.assertEqual(store.bucket.get("lost").body, b"there")
        fault["PUT"] = "refuse"
        self.assertRaises(OSError, through.put, "refused", b"not there")
        self.assertEqual(store.bucket.get("refused").status, 404)
        fault["PUT"] = 503
        self.assertEqual(through.put("refused", b"not there").status, 503)
        fault["PUT"] = "damage"
        self.assertNotEqual(through.put("damaged", b"the bytes have a checksum").status, 200)
        fault["GET"] = "damage-answer"
        self.assertNotEqual(through.get("large").body, large)
        fault.clear()
        proxy.cut()
        self.assertRaises(OSError, through.ask, "GET", "large", timeout=0.3)
        proxy.heal()
        self.assertEqual(through.get("large").body, large)
        fault["PUT"], proxy.at_half = "half", store.kill
        self.assertRaises(OSError, through.put, "half", large)
        fault.clear()
        began = time.monotonic()
        store.start()
        print(f"  killed in the middle of a put, there again after {time.monotonic() - began:.0f} s")
        self.assertEqual(through.get("half").status, 404)
        self.assertEqual(through.get("large").body, large)
        proxy.close()


if __name__ == "__main__":
    unittest.main(verbosity=1)
