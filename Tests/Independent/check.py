#!/usr/bin/env python3
"""An independent checker of a Trawl database, written from Sources/EVIDENCE.md alone.

It walks nothing: it asks of the rows of each certificate whether the predicates of its verdict hold. Every `and` of
a predicate is a clause with a name; `--without NAME` takes one for granted, so that a test can show its need."""
import argparse, base64, collections, datetime, functools, json, re, sqlite3, struct, sys, urllib.parse
from types import SimpleNamespace
LOOKS, PLACED = ("lastPage", "signOfMore", "lastRecord", "pageBefore"), ("page", "seam", "repair")
POSITIONS, COUNTS = ("number", "offset"), ("new", "changed", "unchanged", "repeated", "dropped", "rejected")
NAMED_TABLES = ("trawl_lists", "trawl_windows", "trawl_certificates", "trawl_pages", "trawl_facts")
NEVER_ASKED = "outOfReach", "beyondReach"  # rules of what was certified without a request
RULES = dict(paging="single", first=1, trust="none", life=3600000, overlap=0, size=0)  # defaults that are not NULL
USUAL_SIZES = {10, 15, 20, 25, 30, 40, 50, 60, 75, 100, 150, 200, 250, 300, 500, 1000}  # of pages, as APIs give them
ENDS = ("ended", "absent", "refused")
HANDED, AGES, SECOND = dict(range_proven=True, paused=0, longest_pause=0), {"old", "older"}, ("seam", "closingCheck")
without = set()  # names of clauses that are taken for granted
def clause(name, holds):  # one `and` of a predicate: its name, and whether it holds or is taken for granted
    return name, bool(holds) or name in without
def all_hold(clauses): return all(holds for _, holds in clauses)
MASK, K0, K1 = (1 << 64) - 1, 0x747261776c2d6b65, 0x792d646967657374
START = (K0 ^ 0x736f6d6570736575, K1 ^ 0x646f72616e646f6d, K0 ^ 0x6c7967656e657261, K1 ^ 0x7465646279746573)
def digest_bytes(data):  # SipHash-2-4 of bytes, as a signed number of 64 bits
    mask, (v0, v1, v2, v3) = MASK, START
    data += bytes(7 - len(data) % 8) + bytes((len(data) & 255,))
    for word in struct.unpack("<%dQ" % (len(data) // 8), data) + (None, 0):  # two rounds each, and four at the end
        if word is None: v2, word = v2 ^ 255, 0
        v3 ^= word
        for _ in (1, 2):
            v0, v2 = v0 + v1 & mask, v2 + v3 & mask
            v1, v3 = (v1 << 13 & mask | v1 >> 51) ^ v0, (v3 << 16 & mask | v3 >> 48) ^ v2
            v0, v2 = (v0 << 32 & mask | v0 >> 32) + v3 & mask, v2 + v1 & mask
            v1, v3 = (v1 << 17 & mask | v1 >> 47) ^ v2, (v3 << 21 & mask | v3 >> 43) ^ v0
            v2 = v2 << 32 & mask | v2 >> 32
        v0 ^= word
    return signed(v0 ^ v1 ^ v2 ^ v3)
def signed(value): return value - (1 << 64) if value >> 63 else value
key_digest = functools.lru_cache(maxsize=None)(digest_bytes)  # the same keys stand in many lists
def as_bytes(value): return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
def fed(values):  # the bytes that values are fed to a digest as
    parts = []
    for value in values:
        if value is None:
            parts.append(b"\x05\0\0\0\0\0\0\0")
        elif isinstance(value, (int, float)):
            kind, form = (1, "<Qq") if isinstance(value, int) else (2, "<Qd")
            parts.append(struct.pack(form, 8 * 256 + kind, value + 0))  # -0.0 + 0 is 0.0
        else:
            kind, data = 3 if isinstance(value, str) else 4, as_bytes(value)
            parts += struct.pack("<Q", len(data) * 256 + kind), data, bytes(-len(data) % 8)
    return b"".join(parts)
class Members(SimpleNamespace):  # the members of a JSON object; one that is left out is None, or its default
    def __init__(self, text, **defaults):
        super().__init__(**dict(defaults, **(json.loads(text) if text else {})))
    def __getattr__(self, _): return None
def quoted(*names): return ", ".join('"' + name.replace('"', '""') + '"' for name in names)
def milliseconds(text):
    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) / datetime.timedelta(milliseconds=1)
def was_read_to_end(one): return one.verdict in ("complete", "unproven") or one.cause == "rejects" or one.withheld > 0
def read_answer(row):  # an answer of `trawl_pages`, with its lists unpacked
    answer = SimpleNamespace(**dict(row))
    answer.digests = struct.unpack_from("<%dq" % (len(answer.keys) // 8), answer.keys)
    answer.notes, answer.span = [*map(tuple, json.loads(answer.signs or "[]"))], json.loads(answer.sort_span or "[]")
    answer.kinds = {note[1] for note in answer.notes}
    return answer
class Walk:  # the rows that a certificate claims something of, and what is asked of them more than once
    def __init__(self, base, sheet, answers):
        self.base, self.sheet, self.shown = base, sheet, Members(sheet.handed)
        self.window, self.rules = base.windows[sheet.window], Members(base.rules.get(sheet.rules), **RULES)
        self.list = base.lists[self.window.list_number]
        self.answers = [a for a in answers if a.run <= sheet.run]
        texts = [a.handed for a in self.answers if a.handed] + ([sheet.handed] if self.shown.resumed else [])
        self.handed = [Members(text, **HANDED) for text in texts]
        self.given = self.handed[-1] if self.handed else Members("", **HANDED)
        self.rests_on = sheet.rests_on if sheet.verdict == "complete" else self.given.whole  # or could have rested on
        self.no_looks = [a for a in self.answers if a.purpose not in LOOKS]
        self.asked = [a for a in self.no_looks if a.purpose in PLACED]  # with what came in the place of pages
        self.checks = [a for a in self.answers if a.purpose == "closingCheck" and a.trouble is None]
        self.places, self.before = {}, [a for a in self.answers if a.purpose == "pageBefore"]
        for answer in self.asked:
            answer.begin, answer.size = requested(answer.cursor, self.rules)
            answer.end = None if answer.begin is None else answer.begin + len(answer.digests)
            if answer.trouble is None:
                self.places.setdefault(answer.ordinal, []).append(answer)
        self.readings = [self.places[ordinal][0] for ordinal in sorted(self.places)]
        self.pairs = list(zip(self.readings, self.readings[1:]))
        self.alone = [b for a, b in self.pairs if re.fullmatch("sized .* 1", b.cursor)  # the last record once more
                      and b.digests == a.digests[-1:] and len(a.digests) < (a.size or 0)]
        self.again = pages_again(self)
        self.full = [r for r in self.readings if r.digests and r not in self.alone + self.again]
        self.spans_hold = all(len(r.span) == 2 for r in self.full)
        self.first, self.last = self.places.get(1, []), self.places[max(self.places)][-1] if self.places else None
        self.pages = sum(a.trouble is None for a in self.asked) if self.rules.batch else len(self.places)
        self.told = [a for a in self.no_looks if a.trouble is None and (a.purpose != "closingCheck" or a.ordinal > 1)]
        self.told.sort(key=lambda a: a.ordinal)  # of one ordinal the last one counts
        self.last_told, self.full_told = self.told[-1:], ([a for a in self.told if a.digests] or self.told)[-1:]
        self.named = next((a.last_cursor for a in self.no_looks if a.last_cursor), None)
        self.one_place, self.records = len(self.places) == 1, sum(len(r.digests) for r in self.readings)
        self.fullest = self.rules.size or max((len(r.digests) for r in self.readings), default=0)
        self.keys = {key for a in self.no_looks for key in a.digests}
        self.counted = self.records if self.one_place else len(self.keys)
        self.telling = [a for a in self.no_looks if a.purpose != "closingCheck" or a.ordinal == 1]  # of the total
        self.totals = [a.total for a in self.telling if a.total is not None]
        self.no_empty_before_full = not any(b.digests and not a.digests for a, b in self.pairs)
        before_empty = [len(a.digests) for a, b in self.pairs if self.rules.paging == "chain" and not b.digests]
        self.chain_holds = all(ends_empty(self) and count < self.fullest for count in before_empty) or (  # not (*)
            self.full and last_again(self, self.full[-1]))
    def has_sign(self, kind, answers=None):
        return any(kind in a.kinds for a in (self.no_looks if answers is None else answers))
    def pattern(self):
        return digest_bytes(b"".join(struct.pack("<qQ", digest_bytes(r.keys), len(r.digests)) for r in self.full))
class Base:  # a database: its small tables in memory, its answers walk by walk
    def __init__(self, path):
        self.db = sqlite3.connect("file:" + urllib.parse.quote(path) + "?mode=ro", uri=True)
        self.db.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        self.db.row_factory = sqlite3.Row
        self.lists = {r.list_number: r for r in self.rows("trawl_lists")}
        self.windows = {r.window: r for r in self.rows("trawl_windows")}
        facts = [f for f in self.rows("trawl_facts") if f.kind in ("rules", "signs", "forgotten")]
        self.forgotten = {(t, signed(int(d, 16))) for t, d in (f.subject.split(" ") for f in facts if f.kind == "forgotten")}
        self.rules = {signed(int(f.subject, 16)): f.fact for f in facts if f.kind == "rules"}
        self.signs = [Members(f.fact, job=f.job, stream=f.stream) for f in facts if f.kind == "signs"]
        self.sheets = {r.certificate: r for r in self.rows("trawl_certificates")}
        self.of_window = {}
        for _, sheet in sorted(self.sheets.items()):
            self.of_window.setdefault(sheet.window, []).append(sheet)
        to_end = [[s for s in sheets if was_read_to_end(s)] for sheets in self.of_window.values()]
        self.current = {sheets[-1].certificate for sheets in [*self.of_window.values(), *to_end] if sheets}
        self.members = {}  # digests of the keys of lists, by how their rows are found
    def rows(self, table): return [SimpleNamespace(**dict(r)) for r in self.db.execute("SELECT * FROM " + table)]
    def answers(self, window, traversal):
        question = "SELECT * FROM trawl_pages WHERE window = ? AND traversal = ? ORDER BY page"
        return [read_answer(row) for row in self.db.execute(question, (window, traversal))]
    def has_answers(self, number):
        return self.db.execute("SELECT 1 FROM trawl_pages p JOIN trawl_certificates c USING (window, traversal) "
                               "WHERE certificate = ? AND p.run <= c.run", (number,)).fetchone() is not None
    def name_of(self, number):
        window = self.windows.get(number)
        a_list = window and self.lists.get(window.list_number)
        return " ".join(filter(None, (a_list.list, window.window_from, window.window_to))) if a_list else "no list"
    def walk(self, number):
        sheet = self.sheets.get(number)
        return sheet and Walk(self, sheet, self.answers(sheet.window, sheet.traversal))
    def keys_of_list(self, a_list):  # digests of keys; each table is read once for all lists that stand in it
        where, keys, part = json.loads(a_list.list_where), json.loads(a_list.list_key), a_list.list_part
        columns, found_by = sorted(where), (a_list.list_table, *sorted(where), a_list.list_key, part)
        if found_by not in self.members:
            found = self.members[found_by] = {}
            question = "SELECT %s FROM %s" % (quoted(*columns, *keys), quoted(a_list.list_table))
            filled = "" if part is None else " WHERE substr(trawl_hash, %d, 8) <> zeroblob(8)" % (8 * part + 9)
            for row in self.db.execute(question + filled):
                found.setdefault(row[:len(columns)], set()).add(key_digest(fed(row[len(columns):])))
        return self.members[found_by].get(tuple(where[column] for column in columns), set())
def requested(cursor, rules):  # how many records stand before those requested (None: not known), and how many those are
    kind, *numbers = cursor.split(" ")
    if kind == "part": return None, int(numbers[0])
    if kind == "sized":
        return (int(numbers[0]) - rules.first) * int(numbers[1]), int(numbers[1])
    size, before = rules.size, int(numbers[0]) if kind == "offset" else 0
    if rules.size_parameter and None not in (size, rules.cap) and rules.paging in POSITIONS:  # none beyond the ceiling
        size = max(0, min(size, rules.cap - before))
    return (before if kind == "offset" or cursor == "number %s" % rules.first else None), size
def pages_again(walk):  # the last places, where each holds what the last new one, or place 1, held
    seen, last = set(), 0
    for i, reading in enumerate(walk.readings):
        last = last if seen.issuperset(reading.digests) else i
        seen.update(reading.digests)
    known, again = [walk.readings[i].digests for i in (0, last) if walk.readings], walk.readings[last + 1:]
    holds = walk.rules.paging in POSITIONS and walk.sheet.rule == "nothingUnseen" and len(again) > 1
    return again if holds and all(r.digests in known and r.cursor.startswith("number ") for r in walk.readings[last:]) else []
def unshown(walk):  # what came in the place of a page, or pages once more, ended it, and no records
    return walk.again or (walk.sheet.rule == "errorMeansEnd" and all(a.trouble != "ended" for a in walk.asked))
def came_short(walk):  # the last page is no full one, and the short ones that went on before it are of one usual length
    pages, last = [r for r in walk.readings if r.purpose != "repair"], walk.last
    most = max((len(r.digests) for r in pages), default=0)
    went_on = {len(a.digests) for a, b in zip(pages, pages[1:]) if b.unseen and (not a.size or len(a.digests) < a.size)}
    if not last or went_on - {most} or (walk.rules.size > 0 and went_on - USUAL_SIZES):
        return False
    return last in walk.alone or len(last.digests) < (most if went_on else last.size or walk.fullest)
def long_proven(walk):  # three walks over 40 hours stand for an end that none of them shows
    given = walk.given.pattern_old
    return given and (not unshown(walk) or (sign_works(walk) and (
        walk.again or came_short(walk) or any(a.trouble == "absent" for a in walk.asked))))
def end_of(before, reading, rules):  # the place behind a page's last record, as the next page's place shows it
    kind, _, number = before.cursor.partition(" ")
    if kind != "number" or not reading.cursor.startswith("sized "):
        return before.end
    return (int(number) - rules.first) * min(rules.size, rules.cap or MASK) + len(before.digests)
def once(walk):  # over all readings no key comes twice, but for those that a page is asked to begin with
    seen, readings = set(), [r for r in walk.readings if r not in walk.again]
    for before, reading in zip([None] + readings, readings):
        end = before and end_of(before, reading, walk.rules)
        is_known = end is not None and reading.begin is not None
        count = max(0, end - reading.begin) if is_known else 1 if before and walk.rules.by_record else 0
        tail = before.digests[-count:] if before else ()
        if before and walk.rules.by_record and not walk.rules.record_is_unique:  # several may share the value that named it
            tail = before.digests
            count = next((i for i, key in enumerate(reading.digests) if key not in tail), len(reading.digests))
        rest = [key for i, key in enumerate(reading.digests) if i >= count or key not in tail]
        if len(set(rest)) < len(rest) or not seen.isdisjoint(rest):
            return False
        seen.update(reading.digests)
    return True
def has_moved(walk):  # another page 1 at the end, where pages stand at positions, another total, or pages that slid
    rules, totals = walk.rules, set(walk.totals) if walk.rules.trust in ("counted", "steady") else ()
    checks = [c for c in walk.checks if c.ordinal == 1 and not c.is_not_modified and "old" not in c.kinds]
    shows = walk.readings and (rules.paging in POSITIONS or address_counts(walk))
    ordered = rules.order and (rules.paging == "chain" or (rules.size > 2 and walk.spans_hold))
    laps = [] if ordered or rules.by_record else [(a, b) for a, b in walk.pairs if a.digests and b.digests]
    fits = rules.paging == "number" and rules.trust != "counted" and walk.readings and len(walk.readings[0].digests) <= rules.size
    full = [n for n, r in enumerate(walk.readings) if r.digests]
    grows = fits and any(r.cursor.startswith("number ") and len(r.digests) > rules.size > 0 and n < full[-1]
                         for n, r in enumerate(walk.readings) if n)
    return grows or (shows and any(c.digests != walk.readings[0].digests for c in checks)) or len(totals) > 1 or any(
        b.digests[0] in a.digests and a.purpose == b.purpose == "page" if rules.paging == "chain" else
        rules.paging == "offset" and b.begin == a.end - 1 and b.digests[0] != a.digests[-1]
        and (b.digests[0] not in a.digests or len(a.digests) == rules.size) for a, b in laps)
def strange_seam(walk):  # where the walk was resumed, the last page held other records, and none that had been seen
    return any(not a.trouble and a.digests != walk.places[a.ordinal][0].digests and a.unseen == len(a.digests)
               for a in walk.asked if a.purpose == "seam")
def false_304(walk):  # the page that a look had found otherwise came as a 304
    looks = [a for a in walk.answers if a.purpose == "lastPage" and a.trouble is None and not a.kinds & AGES]
    return any(a.is_not_modified and a.page > look.page and a.digests != look.digests
               and comparable(a.cursor) == comparable(look.cursor) for look in looks for a in walk.asked)
def ends_above(walk):  # the walk ended before it reached what it was handed as known
    given, rules = walk.given, walk.rules
    oldest = next((a.oldest for a in reversed(walk.readings) if a.oldest), None)
    counted = rules.trust == "counted" and walk.totals and walk.totals[-1] == len(walk.keys)
    return (given.range_to and oldest and len(walk.readings[-1].digests) >= rules.size > 0 and not (rules.search or rules.feed or counted)
            and (given.range_from is None or given.range_from < given.range_to) and milliseconds(oldest) > given.range_to)
def leads_on(answer): return answer.more == 1 if answer.more is not None else answer.next_cursor is not None
def page_1_same(walk):  # the last closing check of page 1 stands behind all pages and shows what place 1 had
    check = ([None] + [a for a in walk.checks if a.ordinal == 1])[-1]
    return check and walk.readings and all_hold([
        clause("page-1-same:behind-all", check.page > walk.asked[-1].page),
        clause("page-1-same:keys", check.is_not_modified or check.digests == walk.readings[0].digests),
        clause("page-1-same:no-old", "old" not in check.kinds),
        clause("page-1-same:no-next", not walk.one_place or not leads_on(check))])
def same_total(walk):  # every answer that is no look has the same total
    lacking = [a for a in walk.telling if a.total is None and not a.trouble and (a.purpose != "repair" or a.digests)]
    return walk.totals and all_hold([
        clause("same-total:none-lacks", not lacking), clause("same-total:equal", len(set(walk.totals)) == 1)])
def stands_before(walk, one, other, or_at=True):  # whether a value stands before another one in the order, or at it
    one, other = as_bytes(one), as_bytes(other)
    return (one > other if walk.rules.falling else one < other) or (or_at and one == other)
def parts_of(address):  # the path, and the parameters of the query with their values
    parts = urllib.parse.urlsplit(address)
    return parts.path, [tuple(pair.split("=", 1)) for pair in parts.query.split("&") if "=" in pair]
def is_number(text): return re.fullmatch("[+-]?[0-9]{1,18}", text)
def leading(walk):  # the readings that lead on to another one, or to what is known
    return [r for r in (walk.readings if walk.sheet.rule == "lastCompleteRange" else walk.readings[:-1]) if r.next_cursor]
def first_address(walk): return (walk.answers[0].address or "").split(" ")[:2][-1]  # or: POST, the address, a digest
def address_counts(walk):  # whether a parameter of the addresses rises by one step, and begins as a count does
    named = [(r, parts_of(r.next_cursor[8:])[1]) for r in leading(walk) if r.next_cursor.startswith("address ")]
    numbers_of = [(r, [(name, int(value)) for name, value in pairs if is_number(value)]) for r, pairs in named]
    before = [(name, int(value)) for name, value in parts_of(first_address(walk))[1] if is_number(value)] if named else []
    sizes = [name for name, value in before if value == walk.rules.size > 2]
    counts = next((pair for r, pairs in numbers_of[:1] for pair in pairs if pair not in before and pair[0] not in sizes
                   and pair[1] in (1, 2, walk.rules.size or 1, len(r.digests))), None)
    values = counts and [next((value for name, value in pairs if name == counts[0]), 0) for _, pairs in numbers_of]
    steps = {b - a for a, b in zip(values, values[1:])} if counts else ()
    return counts and len(steps) < 2 and min(steps, default=1) > 0
def numbers(cursor):  # those between other signs in a token, or in the path and the values of an address; in Base64, too
    kind, _, text = cursor.partition(" ")
    path, pairs = parts_of(text) if kind == "address" else (text, ())
    texts, found = [path] + [v for v in (urllib.parse.unquote(value) for _, value in pairs) if not is_number(v)], set()
    for text in texts:
        bare = text.replace("=", "").replace("+", "-").replace("/", "_")
        bare = bare[:len(bare) - (len(bare) % 4 == 1)] if re.fullmatch("[0-9A-Za-z_-]+", bare) else ""
        plain = base64.urlsafe_b64decode(bare + "=" * (-len(bare) % 4)).decode("latin-1")
        words = re.split(r"[\W_]+", text) + (re.split(r"[\W_]+", plain) if re.fullmatch("[ -~]+", plain) else [])
        found |= {int(word) for word in words if re.fullmatch("[0-9]{1,18}", word)}
    return found
def place_counts(walk):  # whether all that names the next pages has a number that counts records or pages
    came, ways = 0, []
    for reading in leading(walk) if not walk.rules.by_record else ():
        came += reading.received
        last = reading.span[1] if len(reading.span) == 2 and isinstance(reading.span[1], str) else ""
        found = numbers(reading.next_cursor) - numbers("address " + first_address(walk)) - (
            {int(last)} if is_number(last) else set())
        ways.append({way for way, count in enumerate((came, came + 1, reading.ordinal, reading.ordinal + 1)) if count in found})
    return ways and set.intersection(*ways)
def comparable(cursor):  # of an address its path, and its query in any order
    parts = urllib.parse.urlsplit(cursor[8:])
    return (parts.path, sorted(parts.query.split("&"))) if cursor.startswith("address ") else cursor
def in_order(walk):  # the last reading that hangs in the order, and lengths of short ones that end with its last value
    reached, last, ends = None, None, set()
    for reading in walk.full if walk.spans_hold else []:
        seen = {key for answer in walk.asked if answer.page < reading.page for key in answer.digests} if last else set()
        if reading.begin == 0 or (last and not seen.isdisjoint(reading.digests)
                                  and stands_before(walk, reading.span[0], reached)):
            last = reading
            if reached is None or stands_before(walk, reached, reading.span[1], or_at=False):
                reached, ends = reading.span[1], set()
            if reached == reading.span[1] and len(reading.digests) < walk.rules.size:
                ends.add(len(reading.digests))
    return last, ends
def begins_as_asked(walk):  # with the last key of the page before (offsets), or with exactly the keys to be repeated
    inner = walk.readings[1:-1] if walk.last and not walk.last.digests else walk.readings[1:]
    if walk.rules.paging == "offset":
        return all(b.digests and b.digests[:1] == a.digests[-1:] for a, b in zip(walk.readings, inner))
    got = list(walk.readings[0].digests) if walk.readings else []
    for reading in inner:
        again = got[reading.begin:] if reading.cursor.startswith("sized ") else []
        if not again or list(reading.digests[:len(again)]) != again:
            return False
        got += reading.digests[len(again):]
    return True
def one_answer(walk):  # the list is one page; `common:first-old` says of all when it was the same at the end
    yield clause("one-answer:one-place", walk.one_place)
def anchored(walk, to_the_end=True):  # each page of a chain begins where the one before ends in the declared order
    by_time, pairs = walk.rules.by_time, list(zip(walk.full, walk.full[1:])) if walk.spans_hold else []
    moves = by_time and walk.rules.falling
    check = walk.checks[-1] if moves and walk.checks else None
    fronts = ([r.span for r in walk.full[:1]] + [c.span for c in walk.checks[:-1] if c.ordinal == 1 and c.span])[-1:]
    reach = fronts[0][0] - walk.rules.overlap if moves and walk.spans_hold and fronts else 0
    yield clause("anchored:chain", walk.rules.paging == "chain")
    yield clause("anchored:order", walk.rules.order)
    yield clause("anchored:two-places", len(walk.places) > 1)
    yield clause("anchored:spans", walk.spans_hold)
    yield clause("anchored:follows", all(stands_before(walk, a.span[1], b.span[0], or_at=by_time) for a, b in pairs))
    yield clause("anchored:no-counting", not address_counts(walk) and not place_counts(walk))
    yield clause("anchored:chain-holds", not to_the_end or walk.chain_holds)
    yield clause("anchored:no-older", not by_time or not walk.has_sign("older"))
    yield clause("anchored:front-behind-all", not moves or (check and check.page > walk.asked[-1].page))
    yield clause("anchored:front-in-one-answer", not check or check.ordinal == 1)
    yield clause("anchored:front-reached", not check or not leads_on(check) or (check.span and check.span[1] < reach))
def overlap_with_order(walk, to_the_end=True):  # each page by offset that leads on in the order hangs with those before
    yield clause("overlap-with-order:offset", walk.rules.paging == "offset")
    yield clause("overlap-with-order:order", walk.rules.order)
    yield clause("overlap-with-order:size", walk.rules.size > 2)
    (hanging, ends), last, before = in_order(walk), walk.last, walk.readings[-2] if walk.pairs else None
    yield clause("overlap-with-order:hangs", hanging is (walk.full or [None])[-1])  # none hangs without spans
    is_end = last and (last.more == 0 or (walk.rules.trust == "counted" and last.total == last.end))
    if last and not last.digests:  # the offset right behind the last record is empty
        is_end = before and before.end == last.begin and (last.begin or 0) > 1 and before.digests and len(ends) > 1
    yield clause("overlap-with-order:end", not to_the_end or is_end)
def seams_same(walk):  # where the walk was resumed, the last page held what it had held
    return all(a.trouble or a.digests == walk.places[a.ordinal][0].digests for a in walk.asked if a.purpose == "seam")
def overlap(walk, to_the_end=True):  # each page begins with the last record of the one before, nothing else comes twice
    yield clause("overlap:positions", walk.rules.paging in POSITIONS)
    yield clause("overlap:begins", begins_as_asked(walk))
    yield clause("overlap:nothing-else-twice", once(walk))
    yield clause("overlap:seams", seams_same(walk))
    behind, last = [r for r in walk.readings[:-1] if r.end is not None and r.end == walk.last.begin], walk.last
    if last and last.digests:
        is_end = walk.sheet.rule in ("moreFlag", "countedTotal")
    elif walk.rules.paging == "offset":  # empty right behind a page of one record
        is_end = len(walk.pairs) > 1 and walk.readings[-2] in behind and len(walk.readings[-2].digests) == 1
    else:  # or, requested alone, behind one that came short
        is_end = last and re.fullmatch("sized .* 1", last.cursor) and any(len(r.digests) < r.size for r in behind)
    yield clause("overlap:end", not to_the_end or walk.one_place or is_end)
    yield clause("overlap:sizes-hold", walk.rules.paging == "offset" or walk.given.sizes_hold or walk.alone)
def counted(walk):  # The API counts its records, always the same number, and so many came
    yield clause("counted:trust", walk.rules.trust == "counted")
    yield clause("counted:same-total", same_total(walk))
    yield clause("counted:so-many", walk.counted in walk.totals)
    yield clause("counted:page-1-same", page_1_same(walk) or walk.one_place)
def steady(walk):  # a total that holds still is not below the records, of which none came twice
    yield clause("steady:trust", walk.rules.trust == "steady")
    yield clause("steady:same-total", same_total(walk))
    yield clause("steady:not-below", all(total >= len(walk.keys) for total in walk.totals))
    yield clause("steady:once", once(walk))
    yield clause("steady:page-1-same", page_1_same(walk) or walk.one_place)
    yield clause("steady:no-empty-before-full", walk.no_empty_before_full)
    yield clause("steady:chain-holds", walk.chain_holds)
def ends(walk):  # the first and the last page, of two or more, were as they had been when the walk came to its end
    looks = [a for a in walk.answers if a.purpose == "lastPage" and a.trouble is None and len(walk.readings) > 1
             and not a.kinds & {"old", "older"} and walk.readings[0].page < a.page < walk.readings[1].page]
    shown = [(look, walk.full[-1]) for look in looks[-1:] if look.digests and walk.full]
    yield clause("ends:once", once(walk))
    yield clause("ends:page-1-same", page_1_same(walk))
    yield clause("ends:no-older", not walk.has_sign("older"))
    yield clause("ends:no-empty-before-full", walk.no_empty_before_full)
    yield clause("ends:chain-holds", walk.chain_holds)
    yield clause("ends:last-page", shown or len(walk.places) == 2)
    yield clause("last-page:keys", all(look.digests == last.digests for look, last in shown))
    yield clause("last-page:cursor", all(comparable(look.cursor) == comparable(last.cursor) for look, last in shown))
def twice(walk):  # the walk before read the same pages (of the same window: `handed:window`, since it is `whole`)
    other = walk.base.walk(walk.rests_on)
    both = [w for w in (walk, other) if w]
    yield clause("twice:answers-there", other and other.answers)
    yield clause("twice:same-pages", not other or [r.digests for r in walk.full] == [r.digests for r in other.full])
    yield clause("twice:once", all(once(w) for w in both))
    yield clause("twice:no-repair", not any(r.purpose == "repair" for w in both for r in w.readings))
    yield clause("twice:no-older", not any(w.has_sign("older") for w in both))
    yield clause("twice:seams", all(map(seams_same, both)))
def joined(walk):  # the walk read from the front down into a stretch that is proven
    whole, given, last, until = walk.base.sheets.get(walk.rests_on), walk.given, walk.last, walk.given.range_to
    yield clause("joined:rule", walk.sheet.rule == "lastCompleteRange")
    yield clause("joined:newest-first", walk.rules.newest_first)
    yield clause("joined:rests-on-whole", walk.rests_on)
    yield clause("joined:range-proven", given.range_proven and (not whole or whole.verdict == "complete"))
    yield clause("joined:in-order", last and (last.is_newest_first or len(last.span) == 2))
    yield clause("joined:below-range", last and until and last.oldest and milliseconds(last.oldest) < until)
    yield clause("joined:from-the-top", not walk.one_place or (last and last.newest and milliseconds(last.newest) >= until))
    yield clause("joined:known", last and last.changed + last.unchanged >= min(2, len(last.digests)))
    yield clause("joined:front", walk.one_place or all_hold(anchored(walk)) or all_hold(overlap_with_order(walk, False)) or (
        once(walk) and walk.no_empty_before_full and (given.front == walk.pattern() or all_hold(overlap(walk, False)) or (
            len(walk.places) == 2 and page_1_same(walk) and not walk.has_sign("older")))))
PROOFS = {proof.__name__.replace("_", " "): proof for proof in (
    one_answer, anchored, overlap_with_order, overlap, counted, steady, ends, twice, joined)}
def led_to(walk, before, reading):  # whether a reading was requested by what the place before it led to
    was, now, paging = before.cursor.split(" "), reading.cursor.split(" "), walk.rules.paging
    if paging == "number":
        return now[0] == "sized" or (now[0] == "number" and (was[0] != "number" or int(now[1]) == int(was[1]) + 1))
    return any(a.next_cursor == reading.cursor for a in walk.places[before.ordinal]) if paging == "chain" else (
        paging == "offset" and now[0] == "offset" and now != was)
def is_excused(walk, answer):  # whether what came in the place of a page is no claim against a complete list
    last = max((a.page for a in walk.asked if a.purpose == "page"), default=None)
    repaired = {a.ordinal for a in walk.asked if a.purpose != "seam" and a.trouble is None and a.page > answer.page}
    return (answer.purpose in LOOKS + SECOND or (answer.trouble == "unreadable" and answer.ordinal in repaired)
            or (answer.trouble in ENDS and walk.sheet.rule == "errorMeansEnd" and answer.page == last))
def may_go_on(rules, size):  # whether page 2 begins before the cap
    overlaps = rules.paging == "offset" and size > 1 and not (rules.cap_expected or rules.search)
    return size - overlaps < (rules.cap or MASK)
def is_end(walk, proof):  # whether the rule that stopped the walk shows in its last reading
    last, rule, before = walk.last, walk.sheet.rule, walk.readings[-2].digests if walk.pairs else ()
    if not last or rule == "errorMeansEnd":
        return rule == "errorMeansEnd" and any(a.trouble in ENDS for a in walk.asked)
    is_counted, stands = walk.rules.trust == "counted" and last.total is not None, walk.rules.paging in POSITIONS
    return {
        "noNextPage": last.next_cursor is None or (walk.rules.by_record and set(last.digests) <= set(before[-1:])),
        "emptyPage": not last.digests, "moreFlag": last.more == 0,
        "countedTotal": is_counted and walk.records >= last.total and (stands or last.purpose == "seam") and not (
            walk.one_place and stands and len(last.digests) == last.total and may_go_on(walk.rules, last.size or last.total)
            and (last.total == last.size or (last.total in USUAL_SIZES and walk.given.says_more is None))),
        "singleAnswer": walk.rules.paging == "single" and walk.one_place,
        "shortPage": stands and walk.rules.cap is not None and len(last.digests) < (last.size or walk.fullest),
        "nothingUnseen": walk.again or (stands and is_counted and len(walk.keys) >= last.total),
        "lastCompleteRange": proof == "joined"}.get(rule, False)
def edges_allow(walk, proofs):  # whether pages that are named by the last record can be shown whole by these proofs
    seen, loose, last = set(), False, walk.last
    for reading in walk.readings if not walk.rules.record_is_unique else []:  # all behind place 1 is different and new
        loose |= reading is not walk.readings[0] and len(set(reading.digests) - seen) == len(reading.digests)
        seen.update(reading.digests)
    alone = walk.sheet.rule == "noNextPage" and last and last.digests and last.more != 0
    allowed = {"counted"} if loose or (alone and len(walk.keys) == 1) else {"counted", "twice"} if alone else proofs
    return not walk.rules.by_record or proofs <= allowed
def sign_works(walk):  # the sign that more follow was seen to say so
    return walk.given.says_more or any(a.ordinal > 1 and a.unseen for a in walk.asked) or any(
        a.purpose == "signOfMore" and a.trouble is None and not a.kinds & AGES and leads_on(a) for a in walk.answers)
def ends_empty(walk): return walk.rules.by_record or walk.rules.ends_empty
def last_again(walk, last):  # the last record was requested once more, and nothing came behind it
    looks = [a for a in walk.answers if a.purpose == "lastRecord"]
    place = requested(last.cursor.replace("number", "sized") + " %s" % last.size, walk.rules)
    return any(all_hold([
        clause("last-again:no-age", not a.kinds & AGES), clause("last-again:no-more", a.more != 1),
        clause("last-again:key", a.digests[-1:] == last.digests[-1:]),
        clause("last-again:another", walk.rules.paging == "chain" or requested(a.cursor, walk.rules)[0] != place[0]),
        clause("last-again:fewer", len(a.digests) < (requested(a.cursor, walk.rules)[1] or MASK)),
        clause("last-again:no-next", ends_empty(walk) or a.more == 0 or a.next_cursor is None)]) for a in looks)
def left_out(walk):  # a look at the end holds a key that no answer before it had
    looks = [a for a in walk.answers if a.purpose == "lastRecord" and a.trouble is None and not a.kinds & AGES]
    return not walk.rules.place_in_key and any(set(a.digests) - {k for b in walk.no_looks if b.page < a.page for k in b.digests} for a in looks)
def is_short(walk, last, before, fullest):  # with fewer records than those before, and it says what they say
    sets_out = last.ordinal == 1 or set(last.digests[:1]) & set(before[-1].digests)
    is_named = walk.rules.paging not in POSITIONS and not ends_empty(walk)
    return all_hold([
        clause("short:than-asked", len(last.digests) < (last.size or fullest)),
        clause("short:than-before", sets_out or len(last.digests) < fullest),
        clause("short:than-usual", last.ordinal > 1 or walk.window.window_from or len(last.digests) not in USUAL_SIZES),
        clause("short:flag", last.more == 0 or (last.more is None and all(b.more is None for b in before))),
        clause("short:total", last.total is not None or all(b.total is None for b in before)),
        clause("short:sign-works", (not is_named or last.next_cursor is None) and (sign_works(walk) or (
            not is_named and (last.ordinal > 1 or walk.sheet.rule == "emptyPage")))),
        clause("short:even", sets_out or len({len(b.digests) for b in before}) < 2 or same_total(walk))])
def may_end_unseen(walk):  # it is paged, and its only page is not as full as an API gives them
    rules, readings, full = walk.rules, walk.readings[:1], [r for r in walk.readings if r.digests]
    came = sum(len(r.digests) for r in readings)
    says_last = any(r.more == 0 or "last" in r.kinds for r in readings)
    unsaid = walk.given.says_more == 0 or any(a.purpose == "signOfMore" and a.trouble is None and not a.kinds & AGES
                                              and a.ordinal == 1 and not leads_on(a) for a in walk.answers)
    is_full = came in USUAL_SIZES or came >= (rules.size or (MASK if says_last else 0))
    return rules.paging != "single" and (
        rules.paging != "chain" or rules.by_record or not full or full[-1].ordinal > 1 or sign_works(walk)
        or not came or not (is_full or (unsaid and not says_last)))
def is_shown_empty(walk):  # that no record came is believed
    return walk.given.expected == 0 or walk.given.accepted or walk.given.empty_for_long or (
        walk.rules.trust in ("counted", "steady") and 0 in walk.totals)
def end_shows(walk):  # the end of the list shows by the last page with records, or by a count
    rules, full, works = walk.rules, [r for r in walk.readings if r.digests], sign_works(walk)
    if not full:
        in_window = walk.window.window_from and (rules.paging in POSITIONS or ends_empty(walk) or works)
        return is_shown_empty(walk) or in_window  # a window marks nobody
    if unshown(walk):
        return rules.trust == "counted" and same_total(walk) and walk.counted in walk.totals
    last, before = [a for a in walk.places[full[-1].ordinal] if a.digests][-1], full[:-1]
    most = max((len(b.digests) for b in before), default=0)
    is_full = rules.size_parameter and len(last.digests) >= min(filter(None, (last.size, most)), default=MASK)
    came_short = full[-1] in walk.alone or (last.cursor.startswith("sized") and 1 < len(last.digests) < last.size)
    alone = walk.sheet.rule == "noNextPage" and rules.by_record and before
    ends_alone = alone and set(last.digests) <= set(before[-1].digests[-1:])
    says_last = last.more == 0 and (any(b.more == 1 for b in before) or (last.ordinal == 1 and works))
    counts_its_page = (walk.sheet.rule == "noNextPage" and rules.paging == "chain" and walk.one_place
                       and len(last.digests) == last.size)
    return (rules.one_page or last.cursor == walk.named or came_short or ends_alone or last_again(walk, last)
            or (not is_full and (says_last or ("last" in last.kinds and works))) or is_short(walk, last, before, most)
            or (walk.sheet.rule != "moreFlag" and all_hold(overlap_with_order(walk)))
            or (rules.trust == "counted" and same_total(walk) and walk.counted in walk.totals
                and all_hold([clause("end-shows:not-its-page", works or not counts_its_page)])))
def none_beyond(walk):  # no answer says that records stand behind the end
    asked = sorted(walk.asked, key=lambda a: a.ordinal)  # what was read again lies where it was
    full = [a for a in asked if a.digests and a not in walk.again]
    kind, _, named = (walk.named or "").partition(" ")
    reached, _, number = full[-1].cursor.partition(" ") if full else ("number", "", walk.rules.first)
    yet = walk.named not in [a.cursor for a in walk.asked] if kind == "address" else (
        kind == reached == "number" and int(named) > int(number))
    return ((walk.sheet.rule not in ("emptyPage", "noNextPage", "errorMeansEnd", "moreFlag", "shortPage") and not walk.again)
            or (walk.rules.trust == "counted" and walk.totals)
            or (not yet and 1 not in [a.more for a in full[-1:] + asked[-1:]]))
def certified(walk):  # what holds of walks and of batches
    yield clause("common:no-search", not walk.rules.search)
    yield clause("common:none-withheld", walk.sheet.withheld == 0)
    yield clause("common:all-fit", not any(a.rejected or a.reject_reason or a.ambiguous for a in walk.answers))
    altered, by_time = sum(a.altered for a in walk.answers), walk.rules.order and walk.rules.by_time and walk.spans_hold
    yield clause("common:few-altered", altered < max(1, min(3, (n := walk.sheet.received))) or altered * 10 < n or by_time)
def common(walk, proof):  # what the rows of a complete list say, whatever the proof
    sheet, rules, given, joins = walk.sheet, walk.rules, walk.given, proof == "joined"
    by_order = all_hold(anchored(walk, to_the_end=False)) or all_hold(overlap_with_order(walk))  # the order is kept
    last = [walk.last] if walk.last else []
    total = ([None] + [a.total for a in walk.telling if a.trouble is None])[-1]
    estimate = min(rules.cap or walk.totals[-1], walk.totals[-1]) if rules.trust == "estimate" and walk.totals else 0
    total_changed, came = by_order and len(set(walk.totals)) > 1, [a.trouble for a in walk.answers + [Members('')]].index(None)
    late = [i for i, h in enumerate(Members(a.handed, **HANDED) for a in walk.answers + [sheet]) if h.resumed and max(
        h.paused, h.longest_pause) > min(rules.life, 3600000) and i > came]
    yield clause("common:no-hole", sorted(walk.places) == list(range(1, len(walk.places) + 1)))
    yield clause("common:first-page", {r.cursor for r in walk.readings[:1]} <= {"start", "number %s" % rules.first, "offset 0"})
    yield clause("common:led-to", all(led_to(walk, a, b) for a, b in walk.pairs))
    yield clause("common:in-order", all(a.page < b.page for a, b in walk.pairs if a.purpose == b.purpose == "page"))
    yield clause("common:no-trouble", all(is_excused(walk, a) for a in walk.answers if a.trouble is not None))
    yield clause("common:end", is_end(walk, proof))
    yield clause("common:counted", rules.trust != "counted" or total in (None, walk.counted) or joins or total_changed)
    doubt, said = rules.doubt or rules.cap, (walk.totals or [0])[-1]
    in_doubt = rules.cap is not None and (
        not rules.cap_expected and said == rules.cap if sheet.rule == "countedTotal" else len(walk.keys) >= doubt)
    yield clause("common:cap", joins or not in_doubt)
    yield clause("common:edges", edges_allow(walk, {proof, *(sheet.proofs or proof).split(", ")}))
    yield clause("common:estimate", joins or estimate <= 0 or estimate * 10 < len(walk.keys) * 11)
    yield clause("common:none-old-behind", not walk.has_sign("old", [a for a in walk.no_looks if a.ordinal > 1]))
    yield clause("common:first-old", page_1_same(walk) or not walk.has_sign("old", walk.first))
    yield clause("common:no-twice", not any(walk.has_sign(k) for k in ("twice", "emptied", "part")))
    yield clause("common:no-more", joins or not walk.has_sign("more", last))
    yield from unread(walk, joins)
    yield clause("common:none-before", joins or all(walk.keys & set(a.digests) or not a.digests for a in walk.before))
    yield clause("common:none-left-out", not left_out(walk))
    yield clause("common:looked-before", joins or given.first_known is None or rules.trust == "counted"
                 or any(a.trouble != "unreadable" and not a.kinds & AGES for a in walk.before))
    yield clause("common:end-shows", joins or end_shows(walk) or (
        proof == "twice" and sheet.rule != "shortPage" and long_proven(walk) and may_end_unseen(walk)))
    yield clause("common:none-beyond", joins or none_beyond(walk))
    yield clause("common:may-be-empty", walk.keys or not given.rows or is_shown_empty(walk))
    yield clause("common:not-expected", walk.keys or (given.expected or 0) < 10)
    yield clause("common:life", proof in ("anchored", "overlap with order", "twice") or not late)
    yield clause("common:known-came", joins or not ends_above(walk))
    yield clause("common:not-moved", by_order or not (sheet.has_moved or has_moved(walk) or false_304(walk)
                                                  or strange_seam(walk)))
def unread(walk, joins):  # what the answers say that the job does not read, and totals that cannot be
    rules, came, places, told = walk.rules, len(walk.keys), len(walk.places), walk.told
    first, last, full = ([n for a in answers for n in a.notes] for answers in (
        [a for a in told if a.ordinal == 1][-1:], walk.last_told, walk.full_told))
    pages = [a for a in told if a.unseen and a.purpose in ("page", "repair")]
    flags = collections.Counter(n for a in pages for n in a.notes if n[1] == "more" and n[2] == "true")
    lengths = sorted((n for a in told for n in a.notes if n[1] == "length" and n[3]), key=lambda n: -n[3])[:1]
    flag_is = [a.more for a in walk.asked if a.trouble is None and a.purpose != "repair"][-1:]
    said, so_many = [n for n in full if n[1] in ("length", "count") and n[3] is not None], [len(a.digests) for a in walk.full_told]
    def agrees(n): return n[3] == came or (places == 1 and n[3] == walk.sheet.received)
    def of_page(n): return (n[3] in so_many or (n[1] == "count" and n[3] == rules.size)) and (places > 1 or n[3] <= came)
    is_whole = any(map(agrees, said)) or (rules.trust == "counted" and walk.totals[-1:] == [came])
    in_pages = [] if is_whole else [n[3] for n in full if n[1] == "pages" and n[3] is not None]
    sizes = [(a.ordinal, a.cursor.startswith("sized") and a.size) for a in walk.full_told]
    ordinal, size = (sizes or [(0, 0)])[0]
    is_whole |= "end" in [n[1] for n in last] or any(
        (n - 1) * size < came <= n * size if size else n == ordinal for n in in_pages)
    kind, *at = walk.readings[-1].cursor.split(" ") if walk.readings else [""]
    place = int(at[0]) - rules.first + 1 if kind == "sized" else max(walk.places, default=0)
    here = (place - 1, place, place + rules.first - 1) if rules.paging == "number" else ()
    yield clause("unread:outside", not pages or any("outside" not in a.kinds for a in pages))
    yield clause("unread:notice", joins or not any(n[1] == "notice" and (places < 2 or n not in first) for n in last))
    yield clause("unread:notice-before", not any(n[1] == "notice" and n not in last for a in told for n in a.notes))
    yield clause("unread:odd-flag", all(count >= len(pages) - 1 for count in flags.values()))
    yield clause("unread:total-below", rules.trust == "none" or not any(
        a.total is not None and a.total < len(a.digests) for a in told))
    yield clause("unread:total-there", joins or rules.trust == "none" or walk.totals or not walk.sheet.received)
    yield clause("unread:longest", joins or all(n[3] <= came or n in full for n in lengths))
    yield clause("unread:sense", joins or not rules.reversed_flag or flag_is in ([], [None]))
    yield clause("unread:before", joins or "before" not in [n[1] for n in first])
    yield clause("unread:lengths", joins or all(agrees(n) or of_page(n) for n in said))
    yield clause("unread:pages", joins or all((n - 1) * size < came if size else n <= ordinal for n in in_pages))
    yield clause("unread:unclear", joins or "unclear" not in [n[1] for n in last])
    yield clause("unread:cursor", joins or is_whole or "cursor" not in [n[1] for n in last])
    yield clause("unread:page", joins or is_whole or rules.paging in ("offset", "chain") or all(
        n[1] != "page" or n[3] in here for n in last))
    yield clause("unread:flag-before-empty", joins or full == last or any(n[1] in ("end", "more") for n in last) or not any(
        n[1] == "more" and n[2] == "true" for n in full))
def batch(walk):  # single answers that stand side by side, with nothing that did not come
    bad, rules = {"more", "limit", "part", "emptied", "twice", "old"}, walk.rules
    came = [(len(a.digests), a.total) for a in walk.answers]
    yield clause("batch:starts", all(a.cursor == "start" for a in walk.answers))
    yield clause("batch:no-sign", not any(a.kinds & bad for a in walk.answers))
    yield clause("batch:counted", rules.trust != "counted" or all(total in (None, n) for n, total in came))
    yield clause("batch:estimate", rules.trust != "estimate" or not any(
        min(rules.cap or total, total) > 0 and min(rules.cap or total, total) * 10 >= n * 11 for n, total in came if total is not None))
    yield clause("batch:cap", rules.cap is None or all(n < rules.doubt for n, _ in came))
    yield clause("batch:as-asked", rules.one_page or all(
        n <= (rules.at_once or MASK) or (rules.trust == "counted" and total == n) for n, total in came))
    for answer in walk.answers:  # each as a list of one place
        as_asked = len(answer.digests) <= (rules.at_once or MASK)
        notes = [n for n in answer.notes if not as_asked or n[1] not in ("unclear", "cursor", "page")]
        one = SimpleNamespace(**dict(vars(answer), ordinal=1, purpose="page", notes=notes, unseen=len(answer.digests)))
        yield from unread(SimpleNamespace(
            rules=rules, keys=answer.digests, places={1: [one]}, told=[one], last_told=[one], full_told=[one], asked=[one],
            readings=[one], totals=[] if one.total is None else [one.total], sheet=SimpleNamespace(received=len(one.digests))), False)
    shown, is_news = walk.shown, not walk.shown.was_whole or walk.shown.was_absent
    yield clause("batch:all-came", not (shown.failed or shown.refused or shown.waiting or shown.unaskable))
    yield clause("batch:some-there", walk.pages or not shown.absent_in_a_row or not (is_news or shown.newly_absent))
    yield clause("batch:not-all-gone", walk.sheet.received or not shown.gone or not is_news)
    yield clause("batch:few-in-a-row", (shown.absent_in_a_row or 0) < 100)
def complete(walk):  # a complete list: the common clauses, and each proof that is claimed
    names = (walk.sheet.proofs or "").split(", ")
    known = [name for name in PROOFS if name in names]  # the strongest first
    yield clause("book:proofs", names == known)
    yield clause("book:twice-alone", "twice" not in names or len(names) == 1)
    yield clause("book:proof", walk.sheet.proof == names[0])
    yield clause("book:by-place", not walk.rules.by_place or {*names} <= {"one answer", "overlap"})
    yield clause("batch:one-answer", not walk.rules.batch or names == ["one answer"])
    yield from certified(walk)
    yield from batch(walk) if walk.rules.batch else common(walk, names[0])
    yield from (one for name in known if not walk.rules.batch for one in PROOFS[name](walk))
def is_proven(walk):  # whether the rows hold a proof and the common clauses, with none taken for granted
    kept = set(without)
    without.clear()
    found = all_hold(certified(walk)) and (all_hold(batch(walk)) if walk.rules.batch else any(
        all_hold(proof(walk)) and all_hold(common(walk, name)) for name, proof in PROOFS.items()))
    without.update(kept)
    return found
def other_verdict(walk):  # what a verdict that is not complete says of the rows, and no more
    sheet, kinds, troubles = walk.sheet, {k for a in walk.answers for k in a.kinds}, {a.trouble for a in walk.answers}
    came = [len(a.digests) for a in walk.answers] if walk.rules.batch else [len(walk.keys)]
    has_cap = walk.rules.cap is not None or {*came} & {500, 1000, 10000, 40000}
    says_more, other_total = walk.last and walk.last.more == 1, any(total != len(walk.keys) for total in walk.totals)
    ignored = [r.digests for r in walk.readings[1:2]] == [r.digests for r in walk.readings[:1]]  # page 2 is page 1 again
    not_there = any(a.trouble in ("absent", "ended") and a.ordinal == 1 for a in walk.answers)
    shows = {
        ("limited", "ceiling"): has_cap or "limit" in kinds or "cap" in troubles or (
            walk.last and not walk.last.digests and walk.last.total == 0 and any(walk.totals)),
        ("limited", "out of reach"): "gap" in troubles or (sheet.rule in NEVER_ASKED and not walk.answers)
            or (walk.rules.batch and walk.shown.unaskable),
        ("incomplete", "moved"): sheet.has_moved or sheet.rule == "nothingUnseen",
        ("incomplete", "count"): other_total or says_more or sheet.withheld > 0
            or ends_above(walk) or not none_beyond(walk),
        ("incomplete", "rejects"): any(a.rejected or a.reject_reason for a in walk.answers) or walk.given.range_lacking,
        ("incomplete", "ambiguous key"): any(a.ambiguous or a.altered for a in walk.answers),
        ("incomplete", "empty"): not walk.keys or walk.shown.empty_batch or len(walk.keys) * 2 < (walk.given.expected or 0),
        ("incomplete", "fields"): "emptied" in kinds,
        "absent": not_there or (walk.rules.batch and (walk.shown.absent or walk.shown.gone)),
        ("incomplete", "unread"): kinds or walk.before or walk.again or ignored or left_out(walk), "paused": True, "failed": True, "unproven": True}
    why = (sheet.verdict, sheet.cause) if sheet.verdict in ("limited", "incomplete") else sheet.verdict
    yield clause("verdict:shows", shows.get(why))
    yield clause("verdict:no-proof", not sheet.proof and not sheet.proofs)
    yield clause("verdict:unproven", why != "unproven" or sheet.rules is None or not is_proven(walk))
def books(walk):  # what a certificate counts, counted again: second readings count what was new and changed in them too
    sheet, keys = walk.sheet, sorted(key & MASK for key in walk.keys)
    sums = {n: sum(getattr(a, n) for a in walk.no_looks if n in COUNTS[:2] or a.purpose not in SECOND) for n in COUNTS}
    for again in (a for a in walk.no_looks if a.purpose in SECOND and not a.is_not_modified):
        sums["unchanged"] += min(again.unchanged, max(0, again.unseen - again.new - again.changed))
    yield clause("book:received", sheet.received == sum(sums.values()))
    yield clause("book:counts", all(getattr(sheet, n) == sums[n] for n in COUNTS))
    yield clause("book:pages", sheet.pages == walk.pages or not walk.answers)
    yield clause("book:rules", sheet.rules in walk.base.rules or (sheet.rules is None and sheet.verdict != "complete"))
    yield clause("book:keys-count", sheet.keys_count == sheet.distinct_keys == len(keys))
    yield clause("book:keys-digest", sheet.keys_digest == digest_bytes(struct.pack("<%dQ" % len(keys), *keys)))
    yield clause("book:pattern", sheet.pattern is None or sheet.pattern == walk.pattern())
    closing = [a.cursor for a in walk.answers if a.purpose == "closingCheck" and a.ordinal == 1]
    yield clause("book:closing-cursor", not walk.readings or set(closing) <= {walk.readings[0].cursor})
    yield clause("book:one-page", walk.rules.batch or all(
        sum(a.purpose == "page" for a in answers) < 2 for answers in walk.places.values()))
    rests = re.search("twice|joined", sheet.proofs or "")
    yield clause("book:rests-on", sheet.rests_on == (walk.given.whole if rests else None))
def shows_more(base, sign):  # the walk that a sign is of shows it, where its answers are still there
    answers = base.answers(sign.window, sign.traversal)
    return not answers or any(a.trouble is None and (leads_on(a) or (a.ordinal > 1 and a.digests)) for a in answers)
def facts(walk):  # what the walk was handed, held against the rows that it names
    sheet, given, until, rules = walk.sheet, walk.given, walk.shown.listed_until, walk.rules
    covers, whole = sheet.covers_to or walk.window.window_to, walk.base.walk(given.whole)
    signs = [s for s in walk.base.signs if (s.job, s.stream) == (walk.list.job, walk.list.stream)]
    resumed = [b for a, b in zip(walk.answers, walk.answers[1:]) if a.run != b.run and not walk.rules.batch]
    yield clause("handed:rules", not walk.handed or given.rules == sheet.rules)
    yield clause("handed:resumed", all(Members(a.handed).resumed for a in resumed))
    yield clause("handed:says-more", not given.says_more or any(
        s.says_more == 1 and shows_more(walk.base, s) for s in signs))
    yield clause("handed:sizes-hold", not given.sizes_hold or any(s.sizes_hold == 1 for s in signs))
    by_number = walk.handed and rules.paging == "number" and rules.first  # from a page that is not 0
    yield clause("handed:first-known", not by_number or given.first_known is False or any(s.first_known == 1 for s in signs))
    yield clause("handed:earlier", (given.whole or 0) < sheet.certificate)
    to_end = [s for s in walk.base.of_window[sheet.window] if s.traversal < sheet.traversal and was_read_to_end(s)]
    yield clause("handed:last", not walk.handed or rules.batch or all(s.certificate <= (given.whole or 0) for s in to_end))
    yield clause("handed:listed-until", until is None or not covers or milliseconds(covers) <= until)
    if whole:  # else it is not kept any more
        newest, cursors = whole.sheet.newest, [r.cursor for r in whole.readings if r.digests]
        yield clause("handed:window", whole.sheet.window == sheet.window)
        yield clause("handed:read-to-end", was_read_to_end(whole.sheet))
        yield clause("handed:pattern", given.pattern == whole.sheet.pattern)
        yield clause("handed:pattern-old", not given.pattern_old or (whole.sheet.pattern_walks > 1 and milliseconds(
            sheet.issued_at) - milliseconds(whole.sheet.pattern_since) >= 40 * 3600000))
        yield clause("handed:last-page", not cursors or given.last_page == cursors[-1])
        yield clause("handed:range-to", (given.range_to or 0) <= (milliseconds(newest) if newest else 0))
def certificate(base, sheet, answers):  # all clauses of a certificate that is not taken as recorded
    walk = Walk(base, sheet, answers)
    none_came = sheet.rule in NEVER_ASKED or (walk.rules.batch and sheet.received == sheet.pages == 0)
    yield clause("book:answers-there", walk.answers or none_came or sheet.verdict in ("paused", "failed"))
    if walk.answers or none_came:
        yield from complete(walk) if sheet.verdict == "complete" else other_verdict(walk)
        yield from books(walk)
        yield from facts(walk)
        gone = walk.keys - base.keys_of_list(walk.list) if sheet.standing == "valid" else ()
        missing = sum((walk.list.table_name, k) not in base.forgotten for k in gone)
        yield clause("list:rows", missing <= sum(a.dropped + a.rejected + a.field_rejects for a in walk.answers))
def sealed(base, all_seals):
    for (table,) in base.db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall():
        if table.startswith("trawl_") and (all_seals or table in NAMED_TABLES):
            columns = base.db.execute("PRAGMA table_info(%s)" % quoted(table)).fetchall()
            others, keys = [c["name"] for c in columns if c["name"] != "seal"], [c["name"] for c in columns if c["pk"]]
            for row in base.db.execute("SELECT %s, seal FROM %s" % (quoted(*others), quoted(table))):
                holds = row["seal"] == digest_bytes(fed(row[:-1]))
                yield "%s %s" % (table, ", ".join(str(row[key]) for key in keys)), clause("rows:seal", holds)
    for number, text in base.rules.items():
        yield "rules %d" % number, clause("rows:rules", number == digest_bytes(as_bytes(text)))
def recounted(base, window, traversal, answers):  # what each answer of a walk counts, counted again; fills `answers`
    answers += base.answers(window, traversal)
    seen = set()
    for a in answers:
        look, keys, row = a.purpose in LOOKS, set(a.digests), "trawl_pages %d" % a.page
        a.unseen = 0 if look else len(keys - seen)
        yield row, clause("rows:received-sum", a.received == sum(getattr(a, n) for n in COUNTS))
        yield row, clause("rows:received", a.received == (0 if look else len(a.keys) / 8))
        yield row, clause("rows:trouble", a.trouble is None or not a.keys)
        yield row, clause("rows:handed", Members(a.handed) if a.handed else a is not answers[0])
        seen |= set() if look else keys
def check(path, all_seals):  # the findings of a file, and how many certificates were derived and taken as recorded
    base, result = Base(path), {"file": path, "derived": 0, "recorded": 0, "findings": []}
    def note(number, name, pairs):
        found = []
        try:
            found.extend("%s: %s does not hold" % (where, what) for where, (what, holds) in pairs if not holds)
        except Exception as error:  # whatever stands in a row is a finding
            found.append("%s: cannot be read: %r" % (name, error))
        result["findings"] += [{"certificate": number, "what": what} for what in found]
    note(None, "seals", sealed(base, all_seals))
    walks = {tuple(row): [] for row in base.db.execute("SELECT DISTINCT window, traversal FROM trawl_pages")}
    for _, sheet in sorted(base.sheets.items()):
        walks.setdefault((sheet.window, sheet.traversal), []).append(sheet)
    for (window, traversal), sheets in walks.items():
        answers = []
        note(None, "trawl_pages of window %d" % window, recounted(base, window, traversal, answers))
        for sheet in sheets:
            needed = [sheet.certificate] + ([] if sheet.rests_on is None else [sheet.rests_on])
            is_recorded = sheet.certificate not in base.current and not all(map(base.has_answers, needed))
            result["recorded" if is_recorded else "derived"] += 1
            if not is_recorded:
                where = "certificate %d (%s)" % (sheet.certificate, base.name_of(window))
                claim = "%s: %s" % (where, " ".join(filter(None, (sheet.verdict, sheet.proofs or sheet.cause))))
                note(sheet.certificate, where, ((claim, one) for one in certificate(base, sheet, answers)))
    base.db.close()
    return result
def main():
    parser = argparse.ArgumentParser(description="Checks Trawl databases from their rows alone.")
    parser.error = lambda message: parser.exit(64, "check.py: %s\n" % message)
    parser.add_argument("files", nargs="+", metavar="FILE.db")
    parser.add_argument("--without", action="append", default=[], metavar="CLAUSE", help="take a clause for granted")
    parser.add_argument("--json", action="store_true", help="one JSON object per file")
    parser.add_argument("--no-seals", action="store_true", help="no seals but of the tables that verdicts rest on")
    arguments = parser.parse_args()
    without.update(arguments.without)
    try:
        results = [check(path, not arguments.no_seals) for path in arguments.files]
    except sqlite3.Error as error:
        parser.error(error)
    findings = ["%s: %s" % (result["file"], each["what"]) for result in results for each in result["findings"]]
    counts = [sum(r[name] for r in results) for name in ("derived", "recorded")]
    told = findings + ["%d certificates derived, %d as recorded, %d findings" % (*counts, len(findings))]
    print("\n".join([json.dumps(r, ensure_ascii=False) for r in results] if arguments.json else told))
    return 4 if findings else 0
if __name__ == "__main__": sys.exit(main())
