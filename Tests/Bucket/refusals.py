"""What a run has to refuse, and what must not deceive it: clocks, damage, full disks, keys, formats, stores."""

import json
import os
import shutil
import sqlite3
import subprocess
import zlib
from pathlib import Path

from stores import BUCKET, KEY, SECRET, LocalBucket, Nanio
from trial import Trial
from worker import spent


def shifted(worker, seconds):
    """Sets this machine's clock."""
    library = worker.folder.parent / "clock.so"
    source = Path(__file__).parent / "clock.c"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O", "-o", library, source, "-ldl"], check=True)
    worker.more = {"LD_PRELOAD": str(library), "CLOCK_OFF": str(seconds)}


def clock(trial):
    """A machine whose clock is an hour off takes nothing over early, and signs by the store's time."""
    for words, shift in [("an hour ahead", 3600), ("an hour behind", -3600)]:
        one, two = trial.worker(f"right {words}"), trial.worker(words)
        shifted(two, shift)
        trial.lists.night(trial.name)
        process = trial.under_way(one, 3)
        trial.ends(trial.run(two, "--claim-wait", "0s"), 75, f"{words}: held is held", r"has|held|hold")
        trial.ends(one.end(process), 0, "the first is not disturbed", "complete")
        trial.lists.night(trial.name)
        trial.killed(one, 5)
        trial.ends(trial.run(two, "--claim-wait", "30s"), 0, f"{words}: taken over", "complete")
        trial.lists.night(trial.name)
        trial.ends(trial.run(two), 0, f"{words}: a whole run", "complete")
        trial.is_right(one)
    trial.has_good_history()


def false_checksum(trial):
    """A bit of a put flips on its way: the store refuses it, and it is put again or said."""
    one, hit = trial.worker("one"), []

    def fault(exchange):
        # Once each: a piece, a ledger's, and a head.
        kind = "head" if exchange.document is not None else exchange.path.split("/")[-2]
        if exchange.method == "PUT" and trial.lists.asked and kind not in hit:
            hit.append(kind)
            return "damage"
        return None

    one.proxy.fault = fault
    ended = trial.run(one)
    one.proxy.fault = None
    refused = [one for one in trial.log if one.fault == "damage" and one.status == 200]
    trial.expect(not refused, f"the store refused each put that came damaged: {hit}", refused)
    trial.ends(ended, (0, 69, 74, 75), "puts that came damaged")
    if ended.status != 0:
        trial.ends(trial.run(one, "--claim-wait", "30s"), 0, "once more", "complete")
    trial.is_whole(trial.worker("two"))


def one_bit_off(piece):
    """A piece with one bit that is not what it was, and counts: a packed repetition can be told in several ways."""
    for at in range(5000, len(piece)):
        other = piece[:at] + bytes([piece[at] ^ 1]) + piece[at + 1:]
        try:
            if zlib.decompress(other[16:]) != zlib.decompress(piece[16:]):
                return other
        except zlib.error:
            return other


def damaged_piece(trial):
    """An object of the folder is no longer what was put: named, and nothing is built on it."""
    one = trial.worker("one")
    trial.ends(trial.run(one), 0, "a first run", "complete")
    pieces = [name for name in trial.store.bucket.names(f"{trial.name}/") if not name.endswith("/head")]
    was = {name: trial.store.bucket.get(name).body for name in pieces}
    large, files = max(was, key=lambda name: len(was[name])), trial.head()[0]["files"]
    for words, body in [
        ("one bit", one_bit_off(was[large])),
        ("cut short", was[large][:-100]), ("empty", b""), ("gone", None),
    ]:
        if body is None:
            trial.store.bucket.delete(large)
        else:
            trial.store.bucket.put(large, body)
        asked, two = len(trial.lists.asked), trial.worker(f"fresh {words}")
        trial.ends(trial.run(two), 65, f"a piece that is damaged ({words})")
        trial.ends(two.run("status", "--data", trial.data), 65, "status")
        trial.expect(len(trial.lists.asked) == asked, "nothing was asked of the API")
        trial.expect(trial.head()[0]["files"]["trawl.db"] == files["trawl.db"], "the head names the same pieces")
        trial.store.bucket.put(large, was[large])
    trial.ends(trial.run(trial.worker("two"), "--claim-wait", "30s"), 0, "with the piece as it was", "complete")
    trial.is_right(one)
    trial.has_good_history()


def damaged_cache(trial):
    """The cache is nothing to trust: a bit in it, half of it, or an older one of another machine."""
    one, two = trial.loaded()
    older = two.folder / "older"
    trial.is_right(two)
    shutil.copytree(two.cache, older)
    trial.lists.night(trial.name, changed=0.3)
    trial.ends(trial.run(one), 0, "a night", "complete")
    shutil.rmtree(two.cache)
    shutil.copytree(older, two.cache)
    trial.is_right(two, "an older cache is brought forward")
    database = next(two.cache.rglob("trawl.db"))
    database.write_bytes(database.read_bytes()[:8192])
    trial.lists.night(trial.name)
    ended = trial.run(two)
    trial.expect(ended.status in (0, 65), f"a cache that was cut: exit {ended.status}: {ended.last}", ended.said)
    two.forget()
    trial.ends(trial.run(two, "--claim-wait", "30s"), 0, "without it", "complete")
    trial.is_whole(one)


def foreign(folder):
    """The bytes of a database that is no one of Trawl."""
    path = folder / "foreign.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE IF NOT EXISTS other (id)")
    return path.read_bytes()


def damaged_work(trial):
    """The file that a machine writes in is damaged between two runs of it: that is not put over what was good."""
    one, two = trial.worker("one"), trial.worker("two")
    for words, damage in [
        ("cut short", lambda bytes: bytes[:8192]),
        ("its head overwritten", lambda bytes: b"\0" * 100 + bytes[100:]),
        ("pages in the midst overwritten", lambda bytes: bytes[:40960] + b"\0" * 81920 + bytes[122880:]),
        ("empty", lambda bytes: b""),
        ("a database of somebody else in its place", lambda bytes: foreign(trial.work)),
    ]:
        # Each from the beginning: what one has done to the bucket is not the next one's.
        for name in trial.store.bucket.names(f"{trial.name}/"):
            trial.store.bucket.delete(name)
        one.forget()
        two.forget()
        trial.ends(trial.run(one), 0, "a first run", "complete")
        for file in one.cache.rglob("trawl.db"):
            for end in ("-wal", "-shm"):
                file.with_name(file.name + end).unlink(missing_ok=True)
            file.write_bytes(damage(file.read_bytes()))
        ended = trial.run(one)
        trial.expect(ended.status in (0, 65), f"{words}: exit {ended.status}: {ended.last}", ended.said)
        trial.is_right(two, f"{words}: every row is in the bucket")
        one.forget()
        trial.ends(trial.run(one, "--claim-wait", "30s"), 0, "with an empty cache", "complete")
        trial.is_right(two)


def full_disk(trial):
    """A cache disk of 1.5 MB: said, given back, and nothing in the bucket is touched."""
    one, two = trial.worker("one"), trial.worker("two")
    if os.geteuid() != 0:
        print("          left out: only root can mount a small disk")
        return
    trial.ends(trial.run(two), 0, "a first run", "complete")
    sent, (before, _) = len(trial.lists.asked), trial.head()
    one.cache.mkdir(parents=True)

    def small(size):
        return ["unshare", "-m", "sh", "-c", f'mount -t tmpfs -o size={size} tmpfs "{one.cache}" && exec "$@"', "sh"]

    one.before = small("300k")
    trial.ends(trial.run(one), 74, "no room to take over", r"disk|space|room|full")
    trial.expect(len(trial.lists.asked) == sent, "nothing was asked of the API")
    trial.ends(one.run("status", "--data", trial.data), 74, "status, too", r"disk|space|room|full")
    trial.lists.night(trial.name, changed=0.9)
    one.before = small("2200k")
    ended = trial.run(one)
    trial.expect(ended.status in (74, 75), f"no room to write: exit {ended.status}: {ended.last}", ended.said)
    after, _ = trial.head()
    trial.expect(after["files"]["trawl.db"] == before["files"]["trawl.db"] or after["seq"] > before["seq"], "the head holds whole files")
    trial.expect(not after.get("until"), "the claim is given back", after.get("until"))
    trial.ends(trial.run(two, "--claim-wait", "30s"), 0, "where there is room", "complete")
    trial.is_whole(trial.worker("three"))


def newer_head(trial):
    """A head of a newer format: 65, and the object is as it was."""
    one, two = trial.loaded()
    head, _ = trial.head()
    for words, change in [("a newer format", {"format": head["format"] + 1}), ("a format of a far future", {"format": 99, "files": 7})]:
        trial.store.bucket.put(f"{trial.name}/head", json.dumps({**head, **change}).encode())
        _, tag = trial.head()
        sent = len(trial.lists.asked)
        for worker in (one, two):
            trial.ends(trial.run(worker), 65, words, r"newer")
            trial.ends(worker.run("status", "--data", trial.data), 65, f"status of {words}", r"newer")
        trial.expect(trial.head()[1] == tag, "the object is as it was")
        trial.expect(len(trial.lists.asked) == sent, "nothing was asked of the API")
    trial.store.bucket.put(f"{trial.name}/head", b"no head at all")
    _, tag = trial.head()
    trial.ends(trial.run(one), 65, "something else in its place")
    trial.expect(trial.head()[1] == tag, "it is as it was")


def wrong_secret(trial):
    """77 before anything is asked of the API; the secret is in no word."""
    one = trial.worker("one")
    one.secret = "not-the-secret-9731"
    for words in (["run"], ["status"], ["check"]):
        if words == ["run"]:
            ended = trial.run(one)
        else:
            ended = one.run(*words, "--data", trial.data)
        trial.ends(ended, 77, f"{words[0]} with a wrong secret", r"secret|key|AWS_SECRET_ACCESS_KEY|refused")
    for words, more in [("no secret", {"AWS_SECRET_ACCESS_KEY": "", "AWS_ACCESS_KEY_ID": ""}),
                        ("a key without its secret", {"AWS_SECRET_ACCESS_KEY": ""})]:
        one.more = more
        trial.ends(trial.run(one), (77, 78), words, r"AWS_")
    trial.expect(not trial.lists.asked, "nothing was asked of the API")
    trial.expect(trial.head()[0] is None, "the bucket is empty")
    one.more, one.secret = {}, SECRET
    credentials = one.home / ".aws/credentials"
    credentials.parent.mkdir()
    credentials.write_text(f"[default]\naws_access_key_id = {KEY}\naws_secret_access_key = {SECRET}\n"
                           "[other]\naws_access_key_id = other\naws_secret_access_key = wrong\n")
    one.more = {"AWS_SECRET_ACCESS_KEY": "", "AWS_ACCESS_KEY_ID": ""}
    trial.ends(trial.run(one), 0, "the shared credentials file", "complete")
    one.more = {**one.more, "AWS_PROFILE": "other"}
    trial.ends(trial.run(one), 77, "another profile of it")


def no_bucket(trial):
    """A bucket that is not there, and addresses that are none."""
    one = trial.worker("one")
    job = one.write(trial.name, trial.lists.job(trial.name))
    trial.ends(one.run("run", job, "--data", "s3://nobody-made-it/x"), (73, 78), "a bucket that is not there", r"nobody-made-it|bucket")
    for address in ["s3://", "s3:///x", "s3://Acme_/x", f"s3://{BUCKET}/../x", f"s3://{BUCKET}/a//b"]:
        ended = one.run("run", job, "--data", address)
        trial.expect(ended.status in (64, 78), f"{address}: exit {ended.status}: {ended.last}", ended.said)
    local = one.folder / "s3:"
    trial.expect(not (one.home / "s3:").exists() and not local.exists(), "no folder is called s3:")
    trial.expect(not trial.lists.asked, "nothing was asked of the API")


def no_conditions(trial):
    """A store that puts whatever comes: 78 before anything is asked of the API."""
    for kind in (Nanio, LocalBucket):
        store = kind(trial.work / f"store-{kind.name}").start()
        try:
            part = Trial(trial.trawl, store, trial.work / kind.name, trial.name)
            one = part.worker("one")
            part.ends(one.run("check", "--data", part.data), 78, f"check on {kind.name}", r"condition|If-|refuse")
            part.ends(part.run(one), 78, f"run on {kind.name}", r"condition|If-|refuse")
            part.expect(not part.lists.asked, "nothing was asked of the API")
            trial.failed += part.failed
            part.close()
        finally:
            store.stop()


def check(trial):
    """What `trawl check` says of a good store."""
    one = trial.worker("one")
    ended = one.run("check", "--data", trial.data)
    trial.ends(ended, 0, "check of a good store", r"condition|If-|refuse")
    print("".join(f"          {line}\n" for line in ended.said.strip().splitlines()), end="")
    trial.expect(trial.head()[0] is None, "it leaves no head")
    left = trial.store.bucket.names(f"{trial.name}/")
    trial.expect(not left, "it leaves nothing", left)


def quota(trial):
    """A quota of 140 an hour, three machines of which two die: never passed, and a takeover counts a block at most."""
    machines = [trial.worker(f"m{at}") for at in range(3)]
    for worker in machines[:2]:
        trial.killed(worker, 9, "--claim-wait", "30s")
    for _ in range(2):
        ended = trial.run(machines[2], "--claim-wait", "30s", "--max-wait", "1s")
        trial.ends(ended, (0, 75), "the third goes on")
    sent = len(trial.lists.asked)
    machines[2].rows(trial.data, trial.table)
    counted = spent(machines[2].folder / "copy.db")
    trial.expect(sent <= trial.allow, f"{sent} requests of {trial.allow} an hour")
    trial.expect(sent <= counted <= sent + 2 * 64, f"the ledger counts {counted}")
    print(f"          a takeover cost {(counted - sent) / 2:.0f} of them")
    trial.has_good_history()


def quota_and_clock(trial):
    """A quota of 60 an hour, and a machine whose clock is two hours off: what others spent is not long ago for it."""
    for words, shift in [("ahead", 7200), ("behind", -7200)]:
        one, two = trial.worker(f"right {words}"), trial.worker(words)
        shifted(two, shift)
        for worker in (one, two):
            ended = trial.run(worker, "--claim-wait", "30s", "--max-wait", "1s")
            trial.ends(ended, (0, 75), f"{worker.name}, behind {len(trial.lists.asked)} requests")
        trial.expect(len(trial.lists.asked) <= trial.allow, f"{len(trial.lists.asked)} requests of {trial.allow} an hour")


def one_key(trial):
    """Two folders of one bucket, one origin and account: the quota is one."""
    one, two = trial.worker("one"), trial.worker("two")
    process = trial.under_way(one, 3)
    job = two.write("twin", trial.lists.job(trial.name, allow=trial.allow))
    other = two.run("run", job, "--data", f"{trial.data}-twin", "--claim-wait", "0s", "--max-wait", "1s")
    trial.ends(other, 75, "another folder, the same key")
    trial.ends(one.end(process), 0, "the first is not disturbed", "complete")
    ended = two.run("run", job, "--data", f"{trial.data}-twin", "--max-wait", "1s")
    print(f"          afterwards: exit {ended.status}: {ended.last}")
    trial.expect(len(trial.lists.asked) <= trial.allow, f"{len(trial.lists.asked)} requests of {trial.allow} an hour")


def rotating(trial):
    """A job whose secret rotates is refused: the next machine would not have it."""
    one = trial.worker("one")
    text = trial.lists.job(trial.name).replace("quotas:", """auth: {
      to: "header:Authorization Bearer {secret}", secret: { id: "shop-id", key: "shop-key", refresh: "shop-refresh" },
      token: { post: "%s/o/token/",
        form: { grant_type: "refresh_token", client_id: "{id}", client_secret: "{key}", refresh_token: "{refresh}" },
        login: { grant: "device", begins: "%s/o/device/", with: { scope: "read" } } } },
    quotas:""" % (trial.lists.base, trial.lists.base))
    job = one.write(trial.name, text)
    ended = one.run("run", job, "--data", trial.data)
    trial.ends(ended, 78, "a secret that rotates", r"rotat|refresh")
    trial.expect(not trial.lists.asked, "nothing was asked of the API")
