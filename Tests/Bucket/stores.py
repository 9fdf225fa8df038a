"""Stores on loopback, started from PyPI's packages: SeaweedFS, moto's server, and one that knows no conditions."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from s3 import Bucket

KEY, SECRET, BUCKET = "harness", "harness-secret", "acme"


def free_ports(count):
    """Ports that were free a moment ago, each another one."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


class Ended(SystemExit):
    """A store that was to answer."""


class Store:
    """A server of S3 as a process, which can be killed and started again on the same port and folder."""

    name = "a store"

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.process = None
        self.prepare()

    def prepare(self):
        self.port, = free_ports(1)

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def bucket(self):
        return Bucket(self.endpoint, BUCKET, KEY, SECRET)

    def start(self):
        # Another program may take a port between our look and the store's: then it ends, and begins anew.
        for tries in range(5):
            with open(self.folder / "log", "ab") as log:
                self.process = subprocess.Popen(
                    self.command(), cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    start_new_session=True)
            try:
                self.wait()
                return self
            except Ended:
                if tries == 4:
                    raise

    def wait(self, seconds=90):
        """Until it gives the bucket, which is made where it is missing."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.process.poll() is not None:
                raise Ended(f"{self.name} ended with {self.process.returncode}: see {self.folder}/log")
            try:
                if self.bucket.ask("GET", query={"list-type": "2", "max-keys": "1"}, timeout=3).status == 200:
                    if self.bucket.put("harness/awake", b"yes").status == 200:
                        return
                self.bucket.make()
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.1)
        raise SystemExit(f"{self.name} does not answer: see {self.folder}/log")

    def kill(self):
        """As a power cut does: without a word."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.kill()


class SeaweedFS(Store):
    name = "SeaweedFS"

    def prepare(self):
        self.port, *self.others = free_ports(7)
        (self.folder / "s3.json").write_text(json.dumps({"identities": [
            {"name": "harness", "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
             "actions": ["Admin", "Read", "Write", "List", "Tagging"]}]}))
        (self.folder / "data").mkdir(exist_ok=True)

    def command(self):
        master, master_rpc, volume, volume_rpc, filer, filer_rpc = self.others
        rpc, = free_ports(1)
        return [
            Path(sys.executable).parent / "weed", "server", "-dir", "data", "-ip", "127.0.0.1",
            "-ip.bind", "127.0.0.1", "-master.port", str(master), "-master.port.grpc", str(master_rpc),
            "-volume.port", str(volume), "-volume.port.grpc", str(volume_rpc), "-volume.max", "20",
            # A master that is alone need not wait for others; and nothing is told to anybody.
            "-master.electionTimeout", "1s", "-master.heartbeatInterval", "100ms", "-master.telemetry=false",
            "-master.volumeSizeLimitMB", "512", "-filer", "-filer.port", str(filer), "-filer.port.grpc", str(filer_rpc),
            "-s3.port.iceberg", "0", "-s3.port.lance", "0", "-s3.iam=false", "-s3", "-s3.port", str(self.port), "-s3.port.grpc", str(rpc), "-s3.config", "s3.json"]


class Moto(Store):
    """moto's server: everything in memory, so that a kill empties it."""

    name = "moto"

    def command(self):
        return [Path(sys.executable).parent / "moto_server", "-H", "127.0.0.1", "-p", str(self.port)]


class LocalBucket(Store):
    name = "localbucket"

    def command(self):
        return [Path(sys.executable).parent / "localbucket", "data", "--host", "127.0.0.1", "--port", str(self.port)]


class Nanio(Store):
    """It checks signatures, and takes no notice of a condition."""

    name = "nanio"

    def command(self):
        (self.folder / "users.toml").write_text(
            f'[[users]]\naccess_key = "{KEY}"\nsecret_key = "{SECRET}"\nname = "harness"\n')
        return [
            Path(sys.executable).parent / "nanio", "serve", "--options", "users.toml", "--data-dir", "data",
            "--host", "127.0.0.1", "--port", str(self.port), "--log-level", "error", "--no-access-log"]
