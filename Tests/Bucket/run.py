"""The harness's own door: `run.py PROGRAMS PART...`, with CLAIMS, SEED and STORE from the environment."""

import inspect
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

import chaos
import demo
import endtoend
import faults
import figures
import lives
import refusals
import stores
import sweeps
from trial import Trial
from worker import kill_all

KINDS = {"seaweedfs": stores.SeaweedFS, "moto": stores.Moto}
# What needs another list than the others: records, and requests an hour.
SIZES = {"quota": (1500, 140), "one_key": (600, 60), "quota_and_clock": (600, 60), "pictures": (120, 1_000_000),
         **{name: (120, 1_000_000) for name in ("terms", "kills", "losses", "refusals", "damages", "damaged_answers")}}


def all_faults():
    return {
        name: function for module in (faults, lives, refusals, sweeps) for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and [*inspect.signature(function).parameters] == ["trial"]}


def try_faults(trawl, store, work, names):
    known, failed = all_faults(), []
    for name in names:
        records, allow = SIZES.get(name, (600, 1_000_000))
        trial = Trial(trawl, store, work, name.replace("_", ""), records, allow)
        print(f"{name}: {known[name].__doc__.strip().splitlines()[0]}", flush=True)
        try:
            known[name](trial)
        except Exception:
            trial.expect(False, "the trial itself broke", traceback.format_exc())
        finally:
            trial.close()
        failed += trial.failed
    return failed


def main():
    programs, parts = Path(sys.argv[1]).resolve(), sys.argv[2:] or ["faults", "endtoend", "chaos"]
    trawl, sandbox = programs / "trawl", programs / "trawl-sandbox"
    kind = KINDS[os.environ.get("STORE") or "seaweedfs"]
    work = Path(tempfile.mkdtemp(prefix="trawl-bucket-"))
    # Of the tests some run the program as another user.
    work.chmod(0o755)
    failed, began = [], time.monotonic()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    store = kind(work / "store")
    try:
        if parts == ["demo"]:
            return demo.run(trawl, sandbox, store, work)
        store.start()
        names = [part for part in parts if part in all_faults()]
        if "faults" in parts:
            names = list(all_faults())
            if kind is stores.Moto:
                # It keeps everything in memory, and checks no key and no sum.
                names = [name for name in names if name not in {"store_killed", "wrong_secret", "false_checksum", "damages"}]
        failed += try_faults(trawl, store, work, names)
        if "chaos" in parts:
            seed = int(os.environ.get("SEED") or random.randrange(1_000_000))
            claims = int(os.environ.get("CLAIMS") or 300)
            print(f"chaos: {claims} claims of four machines on three folders; SEED={seed} CLAIMS={claims} repeats the draw")
            tried = chaos.Chaos(trawl, store, work, claims, seed)
            failed += tried.run()
            tried.table()
        if "endtoend" in parts:
            failed += endtoend.run(programs, store, work, os.environ.get("ONLY"))
        if "figures" in parts:
            failed += figures.run(trawl, store, work)
    finally:
        kill_all()
        store.stop()
        if os.environ.get("KEEP"):
            print(f"kept: {work}")
        else:
            shutil.rmtree(work, ignore_errors=True)
    for one in failed:
        print(f"WRONG {one}")
    print(f"{len(failed)} wrong, in {time.monotonic() - began:.0f} s" if failed else
          f"all as it should be, in {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
