"""What else a folder in a bucket lives through: other commands, older heads, machines that are copies of each other."""

import shutil

from worker import go_on, stop


def commands(trial):
    """Favorites, forget, reset, backup and restore by one machine are there for the next."""
    one, two = trial.loaded()
    at = ["--data", trial.data]
    trial.ends(two.run("favorite", "add", trial.table, "7", *at), 0, "favorite add")
    listed = one.run("favorite", "list", "--json", *at)
    trial.expect(listed.status == 0 and "7" in listed.said, "another machine sees it", listed.said)
    copy = one.folder / "kept.db"
    trial.ends(one.run("backup", copy, *at), 0, "backup")
    before = trial.lists.truth(trial.name)
    trial.lists.night(trial.name, changed=0.3)
    trial.ends(trial.run(two), 0, "a night", "complete")
    trial.is_right(one)
    trial.ends(two.run("restore", copy, "--replace", *at), 0, "restore of the backup before it")
    trial.expect(one.rows(trial.data, trial.table) == before, "every row as it was")
    trial.ends(trial.run(one), 0, "and the night once more", "complete")
    trial.is_right(two)
    trial.ends(two.run("forget", trial.table, "12", *at), 0, "forget")
    here = {row[0] for row in one.rows(trial.data, trial.table)}
    trial.expect(12 not in here, "another machine has forgotten it")
    trial.ends(trial.run(one), 0, "a run brings it not back")
    trial.expect(12 not in {row[0] for row in two.rows(trial.data, trial.table)}, "it stays forgotten")
    trial.ends(two.run("forget", "--undo", trial.table, "12", *at), 0, "forget --undo")
    trial.ends(one.run("reset", "records", trial.name, "--yes", *at), 0, "reset records")
    left = two.rows(trial.data, trial.table)
    trial.expect(left == [] or "no such table" in left, "none are left", left)
    trial.ends(trial.run(two), 0, "all again", "complete")
    trial.is_right(one)
    chain, wrong = trial.chain()
    trial.expect(not trial.head()[0].get("until"), "each command gave the claim back")
    trial.expect(not wrong, f"{len(chain)} heads are one chain", wrong[:3])


def forgotten_in_part(trial):
    """Where no piece could be removed, the next `trawl forget` removes those that still hold what was forgotten."""
    one, two = trial.loaded()
    at = ["--data", trial.data]
    one.proxy.fault = lambda exchange: 403 if exchange.method == "DELETE" or "delete" in exchange.query else None
    ended = one.run("forget", trial.table, "12", *at)
    trial.expect(ended.status not in (0, 4), f"forget where nothing can be removed: exit {ended.status}", ended.said)
    one.proxy.fault = None

    def older():
        named = {piece["name"] for file in trial.head()[0]["files"].values() for piece in file["pieces"]}
        there = trial.store.bucket.names(f"{trial.name}/pieces/")
        return [name for name in there if name.rsplit("/", 1)[1] not in named]

    trial.expect(older(), "older pieces are left")
    trial.ends(two.run("forget", *at), 0, "forget, by another machine")
    trial.expect(not older(), "no older piece is left", older())
    trial.ends(trial.run(one), 0, "a run", "complete")
    trial.expect(12 not in {row[0] for row in two.rows(trial.data, trial.table)}, "it stays forgotten")


def writer_beside(trial):
    """A command that writes waits its turn while another machine runs, and is told who has it."""
    one, two = trial.loaded()
    process = trial.under_way(one, 3)
    ended = two.run("favorite", "add", trial.table, "7", "--data", trial.data)
    trial.ends(ended, (0, 75), "favorite add beside a run", r"held by" if ended.status else None)
    trial.expect(two.run("sql", "SELECT 1", "--data", trial.data).status == 0, "a reader is not held up")
    trial.ends(one.end(process), 0, "the run is not disturbed", "complete")
    trial.is_whole(two)


def older_head(trial):
    """Somebody puts yesterday's bucket back: what every machine has is that, whatever its cache holds."""
    one, two = trial.loaded()
    kept = {name: trial.store.bucket.get(name).body for name in trial.store.bucket.names(f"{trial.name}/")}
    before = trial.lists.truth(trial.name)
    for _ in range(2):
        trial.lists.night(trial.name, changed=0.2)
        trial.ends(trial.run(one), 0, "a night", "complete")
    two.rows(trial.data, trial.table)
    for name in trial.store.bucket.names(f"{trial.name}/"):
        trial.store.bucket.delete(name)
    for name, body in kept.items():
        trial.store.bucket.put(name, body)
    trial.expect(two.rows(trial.data, trial.table) == before, "a reader with a newer cache sees what is there")
    trial.ends(trial.run(one), 0, "whoever has a newer cache runs", "complete")
    trial.is_right(two)


def emptied(trial):
    """The folder is removed from the bucket: who has it in a cache changes nothing; without it a new one begins."""
    one, two = trial.loaded()
    for name in trial.store.bucket.names(f"{trial.name}/"):
        trial.store.bucket.delete(name)
    ended = two.run("sql", trial.table, "--data", trial.data)
    trial.expect(trial.data in ended.said and trial.table not in ended.said, f"a reader: exit {ended.status}: {ended.last}", ended.said)
    trial.ends(trial.run(one), 65, "a run", r"head is gone")
    trial.expect(not list(trial.store.bucket.names(f"{trial.name}/")), "nothing was put there")
    one.forget()
    trial.ends(trial.run(one), 0, "a run without its cache", r"600 new")
    trial.is_right(two)


def twins(trial):
    """Two machines of one image, with the same cache in it: the one is not taken for the other."""
    one, two = trial.loaded()
    shutil.copytree(one.cache, two.cache)
    # By one way to the store: a cache has the name of the endpoint.
    two.proxy.close()
    two.proxy = one.proxy
    process = trial.under_way(one, 3)
    trial.ends(trial.run(two, "--claim-wait", "0s"), 75, "the twin is refused while the first one runs", r"held|has")
    trial.ends(one.end(process), 0, "the first is not disturbed", "complete")


def killed_alone(trial):
    """A machine that is killed goes on with what it had stored, where nobody else came meanwhile."""
    one = trial.worker("one")
    for words in ("in its first run", "in a later night"):
        trial.lists.night(trial.name, changed=0.5)
        before = len(trial.lists.asked)
        trial.killed(one, 20)
        sent = len(trial.lists.asked)
        trial.ends(trial.run(one), 0, f"killed {words}; the same machine at once", "complete")
        again = len(trial.lists.asked) - sent
        trial.expect(again <= 31 - 20 + 5, f"it asks only what was missing: {sent - before} requests, then {again}", again)
    trial.is_whole(trial.worker("two"))


def slept_through(trial):
    """A machine sleeps while two others have come and gone; its late put and its late give-back change nothing."""
    one, two, three = trial.worker("one"), trial.worker("two"), trial.worker("three")
    for asked in (1, 12, 31):
        trial.lists.night(trial.name)
        process = trial.under_way(one, asked, "--claim-wait", "30s")
        stop(process)
        trial.ends(trial.run(two, "--claim-wait", "30s"), 0, f"asleep behind request {asked}; the second", "complete")
        trial.lists.night(trial.name)
        trial.ends(trial.run(three, "--claim-wait", "30s"), 0, "the third", "complete")
        _, tag = trial.head()
        go_on(process)
        trial.ends(one.end(process), 75, "the late one")
        trial.expect(trial.head()[1] == tag, "the head is as the third has left it")
        trial.is_right(two)
    trial.has_good_history()
