"""The network between one worker and the store: it remembers what passed, and breaks where it is told to.

Every worker has one of its own, so that whoever put a head is known by the way it came, and a cut is one worker's."""

import contextlib
import hashlib
import json
import socket
import threading
import time


class Exchange:
    """One request and what became of it."""

    def __init__(self, worker, method, target, head, body):
        self.worker, self.method, self.head, self.body = worker, method, head, body
        self.path, _, self.query = target.partition("?")
        self.began, self.ended = time.time(), None
        self.status, self.etag, self.fault = None, None, None
        self.up, self.down, self.md5 = len(body), 0, None
        self.reached = False

    @property
    def document(self):
        """The JSON object that is put, where it is one."""
        if self.method == "PUT" and self.body[:1] == b"{":
            try:
                return json.loads(self.body)
            except ValueError:
                pass
        return None

    @property
    def tag(self):
        """The tag that a whole put of this body has in the store, also where its answer was lost."""
        return self.etag or f'"{self.md5 or hashlib.md5(self.body).hexdigest()}"'

    def settle(self):
        """Large bodies are not kept."""
        if self.document is None:
            self.md5, self.body = hashlib.md5(self.body).hexdigest(), b""

    def __repr__(self):
        return f"{self.worker} {self.method} {self.path} {self.status or '-'}{' ' + self.fault if self.fault else ''}"


def read_head(file):
    """The first line and the fields of a message, or None at its end."""
    first = file.readline(65536)
    if not first.strip():
        return None
    raw, head = first, {}
    while True:
        line = file.readline(65536)
        raw += line
        if line in (b"\r\n", b"\n", b""):
            return first.decode("latin-1").split(None, 2), head, raw
        name, _, value = line.decode("latin-1").partition(":")
        head[name.strip().lower()] = value.strip()


def read_body(file, head, to_end=False):
    """The bytes as they came, frames and all."""
    if "chunked" in head.get("transfer-encoding", ""):
        raw = b""
        while True:
            line = file.readline(1024)
            size = int(line.split(b";")[0] or b"0", 16)
            raw += line + file.read(size + 2)
            if size == 0:
                return raw
    if "content-length" in head:
        return file.read(int(head["content-length"]))
    return file.read() if to_end else b""


class Proxy:
    """`fault` is asked with each exchange before it goes on, and says one of:

    None        it passes
    "refuse"    the connection ends before a byte reaches the store
    "lose"      the store gets all of it; its answer is lost
    "half"      the store gets half of the body, then `at_half` is called and all ends
    "damage"    one bit of what is put is another one
    "damage-answer"  one bit of what is got is another one
    a number    this status is answered, and the store hears nothing
    """

    def __init__(self, worker, port, log, fault=None):
        self.worker, self.store, self.log, self.fault = worker, port, log, fault
        self.at_half = lambda: None
        self.healed = threading.Event()
        self.healed.set()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.port}"

    def once(self, word, is_meant):
        """This fault at the first exchange that is meant, which is in the list that is given."""
        met = []

        def fault(exchange):
            if not met and is_meant(exchange):
                met.append(exchange)
                return word
            return None

        self.fault = fault
        return met

    def cut(self):
        """From now on every byte is dropped, without a word; what hung stays lost after `heal`."""
        self.healed.clear()

    def heal(self):
        self.healed.set()

    def close(self):
        # Closed alone, it takes one more connection: the thread that waits for one holds it open.
        with contextlib.suppress(OSError):  # closed before
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.healed.set()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        store, lost = None, False
        try:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            file = client.makefile("rb")
            while message := read_head(file):
                (method, target, *_), head, raw = message
                if not self.healed.is_set():
                    lost = True
                    break
                if "100-continue" in head.get("expect", ""):
                    client.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                exchange = Exchange(self.worker, method, target, head, read_body(file, head))
                self.log.append(exchange)
                if store is None:
                    store = socket.create_connection(("127.0.0.1", self.store), timeout=60)
                    store.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    answers = store.makefile("rb")
                try:
                    answer = self.pass_on(exchange, raw, store, answers)
                finally:
                    exchange.settle()
                if not self.healed.is_set():
                    lost = True
                    break
                if answer is None:
                    break
                client.sendall(answer)
                if "close" in head.get("connection", ""):
                    break
        except (OSError, ValueError):
            pass
        finally:
            if lost:
                self.healed.wait()
            for one in (client, store):
                if one is not None:
                    one.close()

    def pass_on(self, exchange, raw, store, answers):
        """The answer's bytes, or None where there is none."""
        fault = exchange.fault = self.fault(exchange) if self.fault else None
        body = exchange.body
        if fault == "refuse":
            return None
        if isinstance(fault, int):
            exchange.status = fault
            exchange.ended = time.time()
            return f"HTTP/1.1 {fault} Told so\r\nContent-Length: 0\r\n\r\n".encode()
        if fault == "half":
            store.sendall(raw + body[:len(body) // 2])
            self.at_half()
            return None
        if fault == "damage":
            body = flipped(body)
        exchange.reached = True
        store.sendall(raw + body)
        while True:
            message = read_head(answers)
            if message is None:
                return None
            (_, status, *_), head, raw = message
            if not status.startswith("1"):
                break
        bare = exchange.method == "HEAD" or status in ("204", "304")
        body = b"" if bare else read_body(answers, head, to_end=True)
        exchange.status, exchange.etag, exchange.down = int(status), head.get("etag"), len(body)
        exchange.ended = time.time()
        if fault == "lose":
            return None
        return raw + (flipped(body) if fault == "damage-answer" else body)


def flipped(body):
    if not body:
        return body
    at = len(body) // 2
    return body[:at] + bytes([body[at] ^ 4]) + body[at + 1:]
