"""A small client of S3 that signs by hand, so that the store is looked at by no line of Trawl's."""

import base64
import datetime
import hashlib
import hmac
import http.client
import re
import urllib.parse


class Answer:
    def __init__(self, status, head, body):
        self.status, self.head, self.body = status, head, body
        self.etag = head.get("etag")


class Bucket:
    """One bucket of a store, asked by one key."""

    def __init__(self, endpoint, bucket, key="harness", secret="harness-secret", region="us-east-1"):
        self.host = urllib.parse.urlparse(endpoint).netloc
        self.bucket, self.key, self.secret, self.region = bucket, key, secret, region

    def ask(self, method, name="", body=b"", query=None, head=None, timeout=20):
        """One request on a connection of its own."""
        path = urllib.parse.quote(f"/{self.bucket}/{name}" if name else f"/{self.bucket}")
        query = "&".join(
            f"{urllib.parse.quote(k, safe='')}={urllib.parse.quote(v, safe='')}" for k, v in sorted((query or {}).items()))
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        digest = hashlib.sha256(body).hexdigest()
        head = {**(head or {}), "host": self.host, "x-amz-date": now, "x-amz-content-sha256": digest}
        names = sorted(name.lower() for name in head)
        lower = {name.lower(): value for name, value in head.items()}
        scope = f"{now[:8]}/{self.region}/s3/aws4_request"
        canonical = "\n".join(
            [method, path, query, *(f"{n}:{lower[n]}" for n in names), "", ";".join(names), digest])
        text = "\n".join(["AWS4-HMAC-SHA256", now, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        key = b"AWS4" + self.secret.encode()
        for part in scope.split("/"):
            key = hmac.digest(key, part.encode(), "sha256")
        signature = hmac.digest(key, text.encode(), "sha256").hex()
        head["authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={self.key}/{scope}, SignedHeaders={';'.join(names)}, Signature={signature}")
        connection = http.client.HTTPConnection(self.host, timeout=timeout)
        try:
            connection.request(method, path + ("?" + query if query else ""), body or None, head)
            answer = connection.getresponse()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def make(self):
        return self.ask("PUT").status

    def get(self, name):
        return self.ask("GET", name)

    def put(self, name, body, **conditions):
        """The words of a condition: `if_match=`, `if_none_match=`."""
        checksum = base64.b64encode(hashlib.sha256(body).digest()).decode()
        return self.ask("PUT", name, body, head={
            "x-amz-checksum-sha256": checksum, **{k.replace("_", "-"): v for k, v in conditions.items()}})

    def delete(self, name):
        return self.ask("DELETE", name).status

    def names(self, prefix=""):
        """The names below a prefix, all pages of the listing."""
        found, token = [], None
        while True:
            query = {"list-type": "2", "prefix": prefix, **({"continuation-token": token} if token else {})}
            answer = self.ask("GET", query=query)
            if answer.status != 200:
                raise OSError(f"the listing was answered with {answer.status}: {answer.body[:200]}")
            text = answer.body.decode()
            found += [urllib.parse.unquote(name) for name in re.findall(r"<Key>([^<]*)</Key>", text)]
            more = re.search(r"<NextContinuationToken>([^<]*)<", text)
            if not more or "<IsTruncated>true" not in text:
                return found
            token = more.group(1)


def conditions(bucket, rounds=10, racers=8):
    """What a store refuses: the names of the conditions that it does not honour."""
    import secrets
    import threading
    name = f"conditions/{secrets.token_hex(4)}"
    missing = []
    first = bucket.put(name, b"1", if_none_match="*")
    if first.status != 200:
        return [f"the first put is answered with {first.status}"]
    if bucket.put(name, b"2", if_none_match="*").status not in (409, 412):
        missing.append("If-None-Match")
    etag = bucket.get(name).etag
    if bucket.put(name, b"3", if_match=etag).status != 200:
        missing.append("If-Match with the right tag")
    if bucket.put(name, b"4", if_match=etag).status not in (409, 412):
        missing.append("If-Match with an old tag")
    for kind in ([] if missing else ["if_match", "if_none_match"]):
        for at in range(rounds):
            key = name if kind == "if_match" else f"{name}-{at}"
            tag = bucket.get(name).etag if kind == "if_match" else "*"
            won = []

            def race(number):
                if bucket.put(key, f"{at} {number}".encode(), **{kind: tag}).status == 200:
                    won.append(number)

            threads = [threading.Thread(target=race, args=(number,)) for number in range(racers)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            if len(won) != 1:
                missing.append(f"a race by {kind} had {len(won)} winners")
                break
    return missing
