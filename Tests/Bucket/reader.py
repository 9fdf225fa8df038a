"""A folder read by what Sources/BUCKET.md says of it, and by no line of the program."""

import hashlib
import json
import sqlite3
import struct
import zlib

from lists import COLUMNS

MARK = b"TRAWLP1\n"


def file_of(bucket, path, name):
    """The bytes of a file of the folder, after all that its head says of them was found to be so."""
    head = json.loads(bucket.get(f"{path}/head").body)
    if head["format"] != 1:
        raise ValueError(f"the head has format {head['format']}")
    file = head["files"][name]
    size, page = file["size"], file["page"]
    whole = bytearray(size)
    for at, piece in enumerate(file["pieces"]):
        answer = bucket.get(f"{path}/pieces/{name}/{piece['name']}")
        if answer.status != 200:
            raise ValueError(f"{piece['name']}: {answer.status}")
        if len(answer.body) != piece["bytes"] or not answer.body.startswith(MARK):
            raise ValueError(f"{piece['name']} is not what its head says")
        width, count = struct.unpack(">II", answer.body[8:16])
        raw = zlib.decompress(answer.body[16:])
        if width != page or len(raw) != count * (4 + page):
            raise ValueError(f"{piece['name']}: {count} pages of {width} bytes, {len(raw)} in all")
        for start in range(0, len(raw), 4 + page):
            number, = struct.unpack(">I", raw[start:start + 4])
            place = number * page
            if place + page > len(whole):
                whole.extend(bytes(place + page - len(whole)))
            whole[place:place + page] = raw[start + 4:start + 4 + page]
        if piece["digest"] and at + 1 == len(file["pieces"]) and piece["digest"] != file["digest"]:
            raise ValueError("the last piece does not lead to the file's digest")
    whole = bytes(whole[:size])
    if digest(whole, page) != file["digest"]:
        raise ValueError(f"{name}: its digest is not the head's")
    return whole


def digest(whole, page):
    """Of eight bytes for each page; none for what lies on the free list, nor for counters of the first page."""
    free = leaves(whole, page)
    whole = bytearray(whole)
    for since, to in ((24, 28), (40, 44), (92, 100)):
        whole[since:to] = bytes(len(whole[since:to]))
    text = b""
    for at in range(0, len(whole), page):
        first = hashlib.sha256(whole[at:at + page]).digest()[:8]
        text += bytes(8) if at // page in free else (bytes(7) + b"\1" if first == bytes(8) else first)
    return hashlib.sha256(text).hexdigest()


def leaves(whole, page):
    """The numbers, from 0, of free pages that hold nothing: the leaves of SQLite's free list."""
    found, trunk = set(), struct.unpack(">I", whole[32:36])[0] if len(whole) >= 36 else 0
    while trunk:
        start = (trunk - 1) * page
        following, count = struct.unpack(">II", whole[start:start + 8])
        found |= {one - 1 for one in struct.unpack(f">{count}I", whole[start + 8:start + 8 + 4 * count])}
        trunk = following
    return found


def rows(bucket, path, table):
    """What is in the folder; what is in the way of it, as a text."""
    try:
        whole = bytearray(file_of(bucket, path, "trawl.db"))
        # A file that lies in memory can have no log.
        whole[18:20] = b"\1\1"
        with sqlite3.connect(":memory:") as db:
            db.deserialize(bytes(whole))
            checked = db.execute("PRAGMA integrity_check").fetchone()[0]
            if checked != "ok":
                return f"SQLite: {checked}"
            return db.execute(f"SELECT {COLUMNS} FROM {table} WHERE vanished_at IS NULL ORDER BY 1").fetchall()
    except (ValueError, KeyError, struct.error, zlib.error, sqlite3.Error) as error:
        return repr(error)
