"""Logs in to a real provider as a person does: by posts of its forms, and in a browser where one is here."""

import http.cookiejar
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.parse
import urllib.request
from pathlib import Path

TRAWL, PYTHON = (os.path.abspath(path) for path in sys.argv[1:3])
HERE = Path(__file__).parent
SECRETS = ["canary-", "reader-pass"]
failed = []


def expect(is_so, words):
    print(f"  {'ok' if is_so else 'FAILED'}  {words}", flush=True)
    if not is_so:
        failed.append(words)


class Forms:
    """A client that fills forms, with cookies."""

    def __init__(self):
        self.goes_on = True
        forms = self

        class Redirects(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, request, file, code, message, headers, target):
                forms.last = target
                is_home = urllib.parse.urlparse(target).netloc == urllib.parse.urlparse(base).netloc
                return super().redirect_request(
                    request, file, code, message, headers, target) if is_home or forms.goes_on else None

        self.last = None
        self.opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()), Redirects)

    def get(self, url, data=None):
        body = urllib.parse.urlencode(data).encode() if data else None
        try:
            answer = self.opener.open(urllib.request.Request(url, body, {"Referer": url}), timeout=20)
        except urllib.error.HTTPError as error:
            if error.code != 302:
                raise
            return self.last, ""
        return answer.url, answer.read().decode()

    def submit(self, url, text, **more):
        fields = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', text))
        fields = {name: value.replace("&amp;", "&") for name, value in fields.items()}
        action = re.search(r'<form[^>]* action="([^"]+)"', text)
        target = urllib.parse.urljoin(url, action.group(1)) if action else url
        return self.get(target, {**fields, **more})

    def enter(self, url):
        url, text = self.get(url)
        if "/login/" in url:
            url, text = self.submit(url, text, username="reader", password="reader-pass")
        return url, text

    def allow(self, url, allow=True):
        url, text = self.enter(url)
        return self.submit(url, text, **({"allow": "Authorize"} if allow else {"deny": "Cancel"}))

    def device(self, url, code, action="accept"):
        url, text = self.enter(url)
        url, text = self.submit(url, text, user_code=code)
        return self.submit(url, text, action=action)


class Chromium:
    """The same by hand of a real browser."""

    def __init__(self, page):
        self.page = page

    def enter(self, url):
        self.page.goto(url)
        if "/login/" in self.page.url:
            self.page.fill("[name=username]", "reader")
            self.page.fill("[name=password]", "reader-pass")
            self.page.click("[type=submit]")

    def allow(self, url):
        self.enter(url)
        self.page.click("[name=allow]")
        self.page.wait_for_url("http://127.0.0.1:*/?*")
        return self.page.url, self.page.inner_text("body")

    def device(self, url, code):
        self.enter(url)
        self.page.fill("[name=user_code]", code)
        self.page.click("[type=submit]")
        self.page.click("[value=accept]")
        self.page.wait_for_load_state()
        return self.page.url, self.page.inner_text("body")


class Home:
    """What one person has."""

    def __init__(self, grant):
        self.path = Path(tempfile.mkdtemp(prefix="trawl-login-"))
        begins = "device-authorization" if grant == "device" else "authorize"
        (self.path / "shop.json5").write_text("""{
          name: "shop", base: "%s/v1",
          auth: {
            to: "header:Authorization Bearer {secret}", secret: { key: "shop-key", refresh: "shop-refresh" },
            token: {
              post: "%s/o/token/",
              form: {
                grant_type: "refresh_token", client_id: "%s", client_secret: "{key}", refresh_token: "{refresh}",
              },
              login: { grant: "%s", begins: "%s/o/%s/", with: { scope: "read" } },
            },
          },
          streams: { books: {
            get: "/books", pages: { by: "number", to: "?page" }, records: "items", into: "books", key: ["id"],
            columns: { id: "id as integer", title: "title" } } },
        }""" % (base, base, f"canary-{grant}", grant, base, begins))

    def environment(self):
        quiet = {name: "" for name in ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "XDG_CONFIG_HOME"]}
        return {**os.environ, **quiet, "HOME": str(self.path), "NO_COLOR": "1"}

    def start(self, *words, key=True):
        process = subprocess.Popen(
            [TRAWL, *words], cwd=self.path, env=self.environment(), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.said = ""
        # What hangs is no success.
        late = threading.Timer(60, process.kill)
        late.daemon = True
        late.start()
        if key and not self.keys():
            process.stdin.write("canary-secret\n")
            process.stdin.flush()
            process.stdin.close()
        return process

    def run(self, *words):
        ended = subprocess.run(
            [TRAWL, *words], cwd=self.path, env=self.environment(), text=True, capture_output=True, timeout=120,
            stdin=subprocess.DEVNULL)
        self.expect_masked(ended.stdout + ended.stderr)
        return ended.returncode, ended.stdout + ended.stderr

    def expect_masked(self, said):
        # The client's name is in the page's address, and no secret.
        said = re.sub(r"client_id=canary-\w+", "", said)
        for secret in SECRETS + self.texts():
            if secret in said:
                expect(False, f"a secret was shown: {said}")

    def keys(self):
        folder = self.path / ".config/trawl/keys"
        return sorted(p.name for p in folder.iterdir() if not p.name.startswith(".")) if folder.exists() else []

    def texts(self):
        folder = self.path / ".config/trawl/keys"
        return [(folder / name).read_text().split("\n")[0] for name in self.keys()]

    def lists(self, words):
        status, said = self.run("run", "./shop.json5", "--data", "data", "--send-key-to", base)
        expect(status == 0 and re.search(r"\b30 (new|unchanged),", said), f"{words}: {said.strip().splitlines()[-1]}")


def read_until(process, pattern):
    while not (found := re.search(pattern, process.said)):
        line = process.stderr.readline()
        if not line:
            raise SystemExit(f"no {pattern} in: {process.said}")
        process.said += line
    return found


def end(process, home):
    said = process.stderr.read()
    status = process.wait(60)
    process.said += said
    home.expect_masked(process.said)
    return status, process.said


def code_of(process):
    found = read_until(process, r"open +(\S+)\nand enter the code +(\S+)\n")
    read_until(process, "waiting")
    return found.group(1), found.group(2)


def page_of(process):
    url = read_until(process, r"\n +(http://\S+)").group(1)
    return url


def by_device(name, client):
    home = Home("device")
    process = home.start("key", "./shop.json5")
    url, code = code_of(process)
    expect(not home.keys(), f"{name}: nothing is kept while it waits")
    client.device(url, code)
    status, said = end(process, home)
    expect(status == 0 and home.keys() == ["shop-key", "shop-refresh"], f"{name}: logged in ({status})")
    home.lists(f"{name}, a run")
    first = home.texts()[1]
    home.lists(f"{name}, the next run")
    expect(home.texts()[1] != first, f"{name}: the refresh token rotates")
    return home


def by_browser(name, client):
    home = Home("browser")
    process = home.start("key", "./shop.json5")
    url = page_of(process)
    _, text = client.allow(url)
    status, said = end(process, home)
    expect("Close this page" in text, f"{name}: the browser is told: {text.strip()}")
    expect(status == 0 and home.keys() == ["shop-key", "shop-refresh"], f"{name}: logged in ({status}) {said if status else ''}")
    home.lists(f"{name}, a run")
    return home


def refused():
    home = Home("device")
    process = home.start("key", "./shop.json5")
    url, code = code_of(process)
    Forms().device(url, code, action="deny")
    status, said = end(process, home)
    expect(status == 77 and "refused on its page" in said, f"denied code: {said.strip().splitlines()[-2]}")
    expect(not home.keys(), "denied code: nothing is kept")
    home = Home("browser")
    process = home.start("key", "./shop.json5")
    Forms().allow(page_of(process), allow=False)
    status, said = end(process, home)
    expect(status == 77 and "refused on its page" in said, f"denied page: {said.strip().splitlines()[-2]}")
    expect(not home.keys(), "denied page: nothing is kept")


def by_hand():
    home = Home("browser")
    folder = home.path / ".config/trawl/keys"
    folder.mkdir(parents=True, mode=0o700)
    folder.chmod(0o700)
    (folder / "shop-key").write_text(f"canary-secret\norigin {base} for tokens of {base}\n")
    (folder / "shop-key").chmod(0o600)
    for name, change in [("another state", lambda u: re.sub("state=..", "state=", u)), ("pasted", lambda u: u)]:
        process = home.start("key", "./shop.json5", "--no-browser")
        client = Forms()
        client.goes_on = False
        client.allow(page_of(process))
        process.stdin.write(change(client.last) + "\n")
        process.stdin.close()
        status, said = end(process, home)
        if name == "pasted":
            expect(status == 0 and len(home.keys()) == 2, f"--no-browser: {status}")
            home.lists("--no-browser, a run")
        else:
            expect(status == 77 and len(home.keys()) == 1, f"--no-browser, {name}: {said.strip().splitlines()[-2]}")


def stopped():
    for grant in ["device", "browser"]:
        for number in [signal.SIGKILL, signal.SIGINT]:
            home = Home(grant)
            process = home.start("key", "./shop.json5")
            read_until(process, "waiting")
            process.send_signal(number)
            status, _ = end(process, home)
            expect(status == -number and not home.keys(), f"{grant}: {number.name} leaves nothing")


def lost(home):
    """The provider forgets the login: the run says the one command."""
    files = home.path / ".config/trawl/keys/shop-refresh"
    lines = files.read_text().split("\n")
    files.write_text("\n".join(["canary-no-such-token"] + lines[1:]))
    status, said = home.run("run", "./shop.json5", "--data", "data", "--send-key-to", base)
    expect(status == 77 and "trawl key ./shop.json5" in said, f"a login that has lapsed: {said.strip().splitlines()[0]}")


def main():
    global base
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    base = f"http://127.0.0.1:{port}"
    folder = tempfile.mkdtemp(prefix="trawl-provider-")
    server = subprocess.Popen(
        [PYTHON, HERE / "provider.py", str(port)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        if not server.stdout.readline():
            raise SystemExit("the provider does not start")
        home = Home("device")
        for command in ["run", "check"]:
            status, said = home.run(command, "./shop.json5", "--send-key-to", base)
            expect(status == 77 and "trawl key ./shop.json5" in said, f"{command} without a login: exit {status}")
        lost(by_device("device", Forms()))
        by_browser("browser", Forms())
        by_hand()
        refused()
        stopped()
        program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if program:
            from playwright.sync_api import sync_playwright
            with sync_playwright() as play:
                browser = play.chromium.launch(executable_path=program, args=["--no-sandbox"])
                by_device("device in chromium", Chromium(browser.new_context().new_page()))
                by_browser("browser in chromium", Chromium(browser.new_context().new_page()))
                browser.close()
        else:
            print("  no chromium is here: apt-get install chromium")
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(20)
        shutil.rmtree(folder)
    print(f"{len(failed)} failed" if failed else "all logged in as they should")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
