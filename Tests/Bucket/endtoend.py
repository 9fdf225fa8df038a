"""The suites of EndToEnd, which know folders alone, a second time in a bucket: `as_folder` stands in the place of the
program beside a copy of the test bundle."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from stores import BUCKET, KEY, SECRET
from worker import STARTED, kill

# What is another thing in a bucket, and why.
SKIPPED = {
    "BucketRunTests": "has a store of its own",
    "RotationTests": "a secret that rotates is refused",
    "DeviceLoginTests": "the same",
    "BrowserLoginTests": "the same",
    "TokenRunTests": "the same",
    "TokenErrorTests": "the same",
    "ExitCodeTests/slip": "looks for a folder that was not made, where the stand-in has made a link",
    "FavoriteTests/refused": "the same",
    "ExitCodeTests/idle": "its advice names the folder",
    "ExitCodeTests/key": "the same",
    "SlipTests/advice": "the same",
    "ForgetRunTests/pinned": "trawl check names who reads the copy for readers",
    "ExitCodeTests/secretMissing": "looks for a folder that was not made",
    "ExitCodeTests/damagedLedger": "--ledger is refused",
    "RemovedFileTests/taken": "takes the link away",
    "ProveRunTests/damaged": "changes the file that runs write in: what is read is the bucket's",
    "ProveRunTests/structure": "the same",
    "ProveRunTests/nothing": "the same",
    "MediaRunTests/stored": "the same of pictures",
    "MediaBesideRunTests/beside": "the same",
    "OutputTests/fullDisk": "the disk is that of the folder",
    "ForeignPartTests": "the rights are those of the folder",
    "SharedFolderTests/readerWithoutRights": "the same",
    "SecondRunTests/stopsAtOnce": "counts the bytes of a folder: a cache has notes of its claim",
    "ExitCodeTests/damaged": "a damaged file of a cache is fetched again",
    "CheckRunTests/endpoints": "--ca is for the store, too",
    "CheckRunTests/database": "its words name the file that runs write in",
    "ForgetRunTests/elsewhere": "the same",
    "ForgetRunTests/everything": "names of backups are not kept in a bucket",
    "MCPRunTests/flood": "64 MB are for a folder: the threads that fetch need more",
}


def run(programs, store, work, only=None):
    products = work / "endtoend/.build/debug"
    products.mkdir(parents=True)
    for name in ("trawlPackageTests.xctest", "trawl-sandbox"):
        os.symlink(programs / name, products / name) if name == "trawl-sandbox" else shutil.copy(programs / name, products)
    shutil.copy(Path(__file__).parent / "as_folder", products / "trawl")
    # Of the tests some run as another user.
    log = work / "folders"
    for path in (log, log.with_suffix(".local")):
        path.touch(0o666)
        path.chmod(0o666)
    environment = {
        **os.environ, "AWS_ENDPOINT_URL_S3": store.endpoint, "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1", "AS_FOLDER_BUCKET": BUCKET, "AS_FOLDER_PROGRAM": str(programs / "trawl"),
        "AS_FOLDER_LOG": str(log), "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "4"}
    command = [products / "trawlPackageTests.xctest", "--testing-library", "swift-testing", "--filter", only or "EndToEndTests"]
    for name in SKIPPED:
        command += ["--skip", f"EndToEndTests.{name}"]
    print(f"EndToEnd in {store.name}, without {len(SKIPPED)} suites and tests that are another thing in a bucket", flush=True)
    told = work / "endtoend.log"
    with open(told, "w") as file:
        ended = subprocess.Popen(command, env=environment, stdout=file, stderr=file, start_new_session=True)
        STARTED.append(ended)
        ended.wait()
    # A bundle that crashed leaves what it had started.
    kill(ended)
    said = told.read_text(errors="replace")
    passed = len(re.findall(r"^✔ Test .* passed after", said, re.M))
    failed = [f"EndToEnd: {name}" for name in re.findall(r"^✘ Test (\".*\") .*failed after", said, re.M)]
    for line in re.findall(r"^✘ Test .* recorded an issue.*", said, re.M)[:30]:
        print(f"  {line[:300]}")
    runs = len(log.read_text().splitlines())
    print(f"  {passed} passed, {len(failed)} failed; {runs} commands in the bucket, "
          f"{len(log.with_suffix('.local').read_text().splitlines())} in folders that were there already")
    if ended.returncode != 0 and not failed:
        failed = [f"EndToEnd ended with {ended.returncode}: {said[-500:]}"]
    if runs < 10:
        failed.append(f"EndToEnd: only {runs} commands went to the bucket")
    sources = "".join(path.read_text() for path in (Path(__file__).parents[1] / "EndToEndTests").rglob("*.swift"))
    failed += [f"EndToEnd: {name} is left out, and is no test" for name in SKIPPED
               if not all(re.search(rf"\b(struct|func) {part}\b", sources) for part in name.split("/"))]
    return failed
