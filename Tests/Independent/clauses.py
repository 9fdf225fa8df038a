#!/usr/bin/env python3
"""A test of check.py in both directions.

Sound evidence of every paging, proof and verdict that Sources/EVIDENCE.md names must pass.
Each is then changed in one place, with right counts and seals; and each clause of check.py must be needed by one of these
forgeries, which is found with all clauses and passes when this one is taken for granted.
"""
import copy, functools, itertools, json, re, sqlite3, struct, sys
from types import SimpleNamespace

sys.dont_write_bytecode = True
import check

TABLES = {  # the columns that check.py reads; the first one (of the signs the first two) is the key
    "trawl_lists": "list_number job stream list table_name list_table list_where list_key list_part",
    "trawl_windows": "window list_number window_from window_to",
    "trawl_certificates": "certificate window traversal run verdict cause rule proof proofs rests_on pages received new "
                          "changed unchanged repeated dropped rejected distinct_keys keys_count keys_digest pattern "
                          "rules handed newest withheld has_moved standing covers_to pattern_walks "
                          "pattern_since issued_at",
    "trawl_pages": "page window traversal ordinal purpose cursor address next_cursor last_cursor trouble total more signs "
                   "received new changed unchanged repeated dropped rejected field_rejects reject_reason "
                   "ambiguous altered keys is_not_modified oldest newest is_newest_first sort_span handed run",
    "trawl_rules": "rules text",
    "trawl_signs": "job stream says_more sizes_hold first_known window traversal"}
DEFAULTS = dict.fromkeys("has_moved withheld ambiguous altered field_rejects is_not_modified is_newest_first".split(), 0)
DEFAULTS.update(standing="valid", pattern_walks=2)  # 40 hours after the first of walks that found the same:
DEFAULTS.update(pattern_since="2026-01-01T00:00:00Z", issued_at="2026-01-02T16:00:00Z")
ROWS, FRESH = 40, 35  # keys below 40 have their row in the list; 40 stands in another one, 41 is no member
GONE = 43  # was forgotten

# Evidence: the walks of one list, one after the other. What can be counted is counted when their rows are made.

def page(place, cursor, keys=(), **more):
    return dict(more, ordinal=place, cursor=cursor, keys=list(keys))
def numbers(*pages, **more):  # the last one says that no more follow
    return [page(n, "number %d" % n, keys, **dict(dict(more=int(n < len(pages))), **more))
            for n, keys in enumerate(pages, 1)]
def offsets(*pages, **more):
    return [page(n, "offset %d" % begin, keys, **more) for n, (begin, keys) in enumerate(pages, 1)]
def sizes(first, *pages):
    return numbers(first, more=None) + [page(n, "sized %d %d" % size, keys) for n, (size, keys) in enumerate(pages, 2)]
def chain(*pages, **more):
    cursors = ["start"] + ["token p%d" % n for n in range(2, len(pages) + 1)]
    return [page(n, cursor, keys, next_cursor=following, **more)
            for n, (cursor, following, keys) in enumerate(zip(cursors, cursors[1:] + [None], pages), 1)]
def again(answer, purpose="closingCheck", **more): return dict(answer, **dict(dict(new=0, purpose=purpose), **more))
def closed(answers): return answers + [again(answers[0])]  # page 1 once more
def seamed(answers, keys):  # resumed behind page 2, which holds these by now
    return answers[:2] + [again(answers[1], "seam", keys=keys)] + answers[2:]
def looked(answers, at=-1):  # and a look at the last page, directly behind place 1
    return [answers[0], again(answers[at], "lastPage", ordinal=1)] + closed(answers)[1:]
def in_order(answers): return [dict(a, span=[a["keys"][0], a["keys"][-1]]) if a["keys"] else a for a in answers]
def walk(rules, rule, proofs, answers, handed=(), **certificate):
    return dict(dict(verdict="complete", cause=None, shown={}), rules=rules, rule=rule, proofs=proofs,
                answers=copy.deepcopy(answers), handed=dict(handed), **certificate)
def other(rules, rule, why, answers, handed=(), **certificate):  # a walk of another verdict
    verdict, _, cause = why.partition(": ")
    return walk(rules, rule, None, answers, handed, **dict(certificate, verdict=verdict, cause=cause or None))

def key_of(number): return check.key_digest(check.fed((number,)))
def packed(keys): return struct.pack("<%dq" % len(keys), *map(key_of, keys))
def pattern(pages):
    pairs = [struct.pack("<qQ", check.digest_bytes(packed(keys)), len(keys)) for keys in pages if keys]
    return check.digest_bytes(b"".join(pairs))

def signed(answers, *signs, at=None):  # with signs in each answer, or in those of one place
    return [dict(a, signs=[*a.get("signs", ()), *signs]) if at in (None, a["ordinal"]) else a for a in answers]
def addressed(first, answers, *following):  # each page but the first by an address
    cursors = ["start", *("address " + each for each in following), None]
    return [dict(a, address=first, cursor=cursor, next_cursor=named)
            for a, cursor, named in zip(answers, cursors, cursors[1:])]

R = range
SINGLE, NUMBER, BY = dict(paging="single", one_page=True), dict(paging="number", size=5), dict(paging="offset", size=4)
CHAIN, ORDER, MORE = dict(paging="chain"), dict(paging="chain", order="id"), dict(says_more=True)
RISING, FALLING = dict(ORDER, by_time=True), dict(ORDER, by_time=True, falling=True, overlap=2)
NEWEST, COUNTED, STEADY = dict(NUMBER, newest_first=True), dict(NUMBER, trust="counted"), dict(NUMBER, trust="steady")
COUNTED_ORDER, STEADY_CHAIN = dict(ORDER, trust="counted"), dict(CHAIN, trust="steady", ends_empty=True, size=3)
SIZED, FULL = dict(CHAIN, size=5), chain(R(5), R(5, 10))
FLAGGED = [dict(a, more=more) for a, more in zip(chain(R(5), R(5, 9), []), (1, 0, None))]
BY_ORDER, BY_RECORD, BATCH = dict(BY, order="id"), dict(CHAIN, by_record=True), dict(batch=True)
TWO, THREE = numbers(R(5), R(5, 9)), numbers(R(5), R(5, 10), R(10, 13))
FULL_TWO, SHORT_TWO = numbers(R(5), R(5, 10), more=None), numbers(R(5), R(5, 9), more=None)
CLAMPED, OWN = dict(NUMBER, size=20), numbers(R(10), R(10, 20), R(20, 25), more=None)
UNEVEN = numbers(R(15), R(15, 25), R(25, 29), more=None)
LAST_AGAIN = numbers(R(5), R(5, 10), R(5, 10), R(5, 10), more=None)
FIRST_AGAIN = numbers(R(5), R(5, 10), R(5), R(5), more=None)
TANGLED = numbers(R(5), R(4, 9), [9])
LAPS = offsets((0, R(4)), (3, R(3, 6)), (5, [5]), (6, []))
ADDRESSES = [page(1, "start", R(3), next_cursor="address http://h/x?a=1&b=2"),
             page(2, "address http://h/x?a=1&b=2", R(3, 5))]
IN_ORDER, TIES = in_order(chain(R(3), R(3, 6), R(6, 8))), chain(R(4), [2, 3, 4, 5], [4, 5, 6])
GOES_ON = ("more", None, "true")
TIMES = in_order(chain(R(30, 25, -1), R(25, 20, -1), R(20, 17, -1)))
FRONT = again(TIMES[0], keys=[31, 30, 29, 28], span=[31, 28], new=1)

def resumed(answers, at, **handed):  # a walk that another run resumed behind `at` answers
    before = [dict(answer, run=5) for answer in answers[:at]]
    return before + [dict(answers[at], handed=dict(handed, resumed=True))] + answers[at + 1:]
def newest_first(*pages, how=numbers):  # the front of a list, down to keys of 10 and above, which were here before
    answers, before = how(*pages, more=1, is_newest_first=1), set()
    for answer in answers:
        answer.update(oldest="2026-01-03T00:00:00Z", newest="2026-01-03T00:00:00Z", new=sum(key < 10 and key not in before for key in answer["keys"]))
        before.update(answer["keys"])
    return answers[:-1] + [dict(answers[-1], oldest="2026-01-01T00:00:00Z")]
def joined(answers, rules=NEWEST, proofs="joined", **handed):
    return walk(rules, "lastCompleteRange", proofs, answers, dict(handed, range_to=1767312000000))
STRETCH = walk(NEWEST, "moreFlag", "one answer", numbers(R(10, 13)), MORE, newest="2026-01-02T00:00:00Z")

SOUND = {
    "one page by declaration": [walk(SINGLE, "singleAnswer", "one answer", [page(1, "start", R(3))])],
    "one page, and a walk followed the sign of more": [
        walk(SIZED, "noNextPage", "one answer", chain(R(3)), dict(MORE, sizes_hold=True))],
    "one page, and the walk before followed the sign of more": [
        walk(CHAIN, "noNextPage", "ends", closed(chain(R(3), R(3, 5))), sign=(1, 1)),
        walk(SIZED, "noNextPage", "one answer", chain(R(3)), MORE)],
    "one page in an order": [walk(dict(ORDER, size=5), "noNextPage", "one answer", in_order(chain(R(3))), MORE)],
    "one page, and a look shows that more would be said": [walk(NUMBER, "moreFlag", "one answer", [
        *numbers(R(3)), page(1, "number 1", R(1), purpose="signOfMore", more=1)])],
    "a full page whose length is its total, and a look shows that more would be said": [
        walk(dict(SIZED, trust="counted"), "noNextPage", "one answer, counted", [
            *chain(R(5), total=5), page(1, "part 4 start", R(4), purpose="signOfMore", next_cursor="token 4")])],
    "one page with a record that was forgotten": [
        walk(SINGLE, "singleAnswer", "one answer", [page(1, "start", [*R(3), GONE])])],
    "one page that is counted": [walk(COUNTED, "countedTotal", "one answer, counted", numbers(R(3), total=3))],
    "one page of a usual number, where another has counted more": [
        walk(dict(COUNTED, size=20), "countedTotal", "one answer, counted", numbers(R(10), total=10), MORE)],
    "one page that is old, and is the same at the end": [walk(SINGLE, "singleAnswer", "one answer", [
        page(1, "start", R(3), signs=[("old", 1)]), page(1, "start", R(3), purpose="closingCheck")])],
    "an empty list": [other(NUMBER, "emptyPage", "unproven", numbers([]))],
    "an empty list, as its parent says": [walk(NUMBER, "emptyPage", "one answer", numbers([]), dict(rows=3, expected=0))],
    "an empty list that a person accepts": [walk(NUMBER, "emptyPage", "one answer", numbers([]), dict(
        rows=3, accepted=True))],
    "an empty list, for long": [walk(NUMBER, "emptyPage", "one answer", numbers([]), dict(rows=3, empty_for_long=True))],
    "an empty list that counts": [walk(STEADY, "emptyPage", "one answer, steady", numbers([], total=0), dict(rows=3))],
    "two pages": [walk(NUMBER, "moreFlag", "ends", closed(TWO))],
    "two pages, the first a 304 at the end": [walk(NUMBER, "moreFlag", "ends", TWO + [
        again(TWO[0], keys=[], is_not_modified=1)])],
    "two pages with the same notice": [walk(NUMBER, "moreFlag", "ends", closed(
        numbers(R(5), R(5, 9), signs=[("notice", 1)])))],
    "two pages, which tell their length": [walk(NUMBER, "moreFlag", "ends", closed(signed(signed(
        TWO, ("length", 9), ("count", 9), ("pages", 2), ("cursor", None)), ("page", 2), at=2)))],
    "two pages, of which the last is the second": [walk(NUMBER, "moreFlag", "ends", closed(signed(
        TWO, ("page", 2), ("pages", 2), ("count", 4), ("count", 5), ("length", 4), at=2)))],
    "two pages, and the last is said to be the end": [walk(NUMBER, "moreFlag", "ends", closed(signed(
        TWO, ("end", None), ("cursor", None), ("page", 9), at=2)))],
    "one page, which tells its place": [walk(NUMBER, "moreFlag", "one answer", signed(numbers(R(3)), ("page", 1)), MORE)],
    "one page, which tells its length": [walk(NUMBER, "moreFlag", "one answer", signed(
        numbers([0, 1, 1]), ("length", 3), ("cursor", None)), MORE)],
    "a chain whose second page names the one before": [
        walk(CHAIN, "noNextPage", "ends", signed(closed(chain(R(3), R(3, 5))), ("before", None), at=2))],
    "three pages, of which all but the last go on": [walk(NUMBER, "moreFlag", "ends", looked(
        signed(signed(THREE, GOES_ON, at=1), GOES_ON, at=2)))],
    "three pages": [walk(NUMBER, "moreFlag", "ends", looked(THREE))],
    "numbers in an order": [walk(dict(NUMBER, order="id"), "moreFlag", "ends", in_order(looked(THREE)))],
    "numbers from 0": [walk(dict(NUMBER, first=0), "moreFlag", "ends", closed([
        page(1, "number 0", R(5), more=1), page(2, "number 1", R(5, 9), more=0)]))],
    "three pages up to an empty one": [walk(NUMBER, "emptyPage", "ends", looked(
        numbers(R(5), R(5, 10), [], more=None, last_cursor="number 2"), at=1))],
    "three pages up to a short one": [walk(dict(NUMBER, cap=100), "shortPage", "ends", looked(THREE))],
    "a counted list that is longer than its cap": [walk(dict(COUNTED, cap=8, doubt=8), "countedTotal", "counted", closed(
        numbers(R(5), R(5, 9), total=9, more=None)))],
    "a counted list that is expected to end at its cap": [walk(
        dict(COUNTED, cap=9, doubt=9, cap_expected="so it is"), "countedTotal", "counted", closed(
            numbers(R(5), R(5, 9), total=9, more=None)))],
    "a short page whose size was chosen for the cap": [walk(dict(STEADY, cap=12, doubt=12), "shortPage", "steady", closed([
        *numbers(R(5), R(5, 10), total=11, more=None), page(3, "sized 3 4", R(8, 11), total=11)]))],
    "addresses whose query turns": [walk(CHAIN, "noNextPage", "ends", [
        ADDRESSES[0], page(1, "address http://g/x?b=2&a=1", R(3, 5), purpose="lastPage"), *closed(ADDRESSES)[1:]])],
    "addresses that count, in an order": [walk(ORDER, "noNextPage", "ends", closed(in_order([
        page(1, "start", R(3), next_cursor="address http://h/x?page=2"),
        page(2, "address http://h/x?page=2", R(3, 5))])))],
    "pages by the last record": [walk(dict(BY_RECORD, record_is_unique=True), "emptyPage", "ends", looked(
        chain(R(3), [3], []), at=1))],
    "pages by the last record, which ends them": [walk(dict(BY_RECORD, trust="counted"), "noNextPage", "counted", closed(
        chain(R(3), [2], total=3)))],
    "a chain up to an empty page": [walk(dict(CHAIN, ends_empty=True, size=3), "emptyPage", "ends", looked(
        chain(R(2), [])))],
    "an unreadable page within that was repaired": [walk(NUMBER, "moreFlag", "ends", [
        THREE[0], again(THREE[2], "lastPage", ordinal=1), page(2, "number 2", trouble="unreadable"), THREE[2],
        again(THREE[1], "repair"), again(THREE[0])])],
    "an unreadable page that was repaired": [walk(NUMBER, "moreFlag", "ends", [
        TWO[0], page(2, "number 2", trouble="unreadable"), again(TWO[1], "repair"), again(TWO[0])])],
    "an error behind the last page": [walk(NUMBER, "errorMeansEnd", "ends", [
        *TWO, page(3, "number 3", trouble="ended"), again(TWO[0])])],
    "a place behind full pages that is not there": [
        other(NUMBER, "errorMeansEnd", "unproven", [*FULL_TWO, page(3, "number 3", trouble="absent")]),
        walk(NUMBER, "errorMeansEnd", "twice", [*FULL_TWO, page(3, "number 3", trouble="absent")], dict(pattern_old=True))],
    "a place behind a short page that is refused": [
        other(NUMBER, "errorMeansEnd", "unproven", [*SHORT_TWO, page(3, "number 3", trouble="refused")]),
        walk(NUMBER, "errorMeansEnd", "twice", [*SHORT_TWO, page(3, "number 3", trouble="refused")], dict(pattern_old=True))],
    "a place behind the API's own pages that is refused": [
        other(CLAMPED, "errorMeansEnd", "unproven", [*OWN, page(4, "number 4", trouble="refused")]),
        walk(CLAMPED, "errorMeansEnd", "twice", [*OWN, page(4, "number 4", trouble="refused")], dict(pattern_old=True))],
    "a place behind uneven pages that is not there": [
        other(CLAMPED, "errorMeansEnd", "unproven", [*UNEVEN, page(4, "number 4", trouble="absent")]),
        walk(CLAMPED, "errorMeansEnd", "twice", [*UNEVEN, page(4, "number 4", trouble="absent")], dict(pattern_old=True))],
    "the last page again behind it": [
        other(NUMBER, "nothingUnseen", "unproven", LAST_AGAIN), walk(
            NUMBER, "nothingUnseen", "twice", LAST_AGAIN, dict(pattern_old=True))],
    "page 1 again behind the last page": [
        other(NUMBER, "nothingUnseen", "unproven", FIRST_AGAIN), walk(
            NUMBER, "nothingUnseen", "twice", FIRST_AGAIN, dict(pattern_old=True))],
    "page 1 for each token": [other(CHAIN, "nothingUnseen", "incomplete: unread", chain(R(5), R(5)))],
    "page 1 for each number": [other(NUMBER, "nothingUnseen", "incomplete: unread", numbers(R(5), R(5), R(5), more=None))],
    "a resumed walk with a seam": [walk(NUMBER, "moreFlag", "ends", resumed([
        *looked(THREE)[:3], again(THREE[1], "seam"), *looked(THREE)[3:]], 3))],
    "resumed behind the last answer": [walk(NUMBER, "moreFlag", "ends", closed(TWO), shown=dict(resumed=True, paused=5))],
    "a counted list": [walk(COUNTED, "countedTotal", "counted, ends", closed(numbers(R(5), R(5, 9), total=9)))],
    "a counted list, resumed with a seam": [walk(COUNTED, "moreFlag", "counted", resumed(closed(seamed(
        numbers(R(5), [5], [7], total=8), [5, 6])), 2))],
    "a counted list, with a cursor beside": [walk(COUNTED, "countedTotal", "counted, ends", closed(signed(
        numbers(R(5), R(5, 9), total=9), ("cursor", None), ("pages", 7), at=2)))],
    "a counted list up to the last unseen key": [walk(COUNTED, "nothingUnseen", "counted", closed(
        numbers(R(5), R(5, 8), [7, 8], total=9)))],
    "a counted list with an empty repair": [walk(COUNTED, "moreFlag", "counted", [
        *numbers(R(5), R(5, 9), total=9), page(3, "number 3", trouble="unreadable"),
        page(3, "number 3", purpose="repair", more=0), again(numbers(R(5), total=9)[0])])],
    "a steady list": [walk(STEADY, "moreFlag", "steady, ends", closed(numbers(R(5), R(5, 8), total=10)))],
    "three steady pages": [walk(STEADY, "moreFlag", "steady, ends", looked([dict(a, total=13) for a in THREE]))],
    "an estimate": [walk(dict(NUMBER, trust="estimate"), "moreFlag", "ends", closed(numbers(R(5), R(5, 9), total=9)))],
    "a steady chain up to an empty page": [walk(STEADY_CHAIN, "emptyPage", "steady, ends", closed(
        chain(R(2), [], total=2)))],
    "a counted list in an order": [walk(COUNTED_ORDER, "noNextPage", "anchored, counted", closed(in_order(
        chain(R(3), R(3, 6), R(6, 8), total=8))))],
    "an order": [walk(ORDER, "noNextPage", "anchored", in_order(chain(R(3), R(3, 6), R(6, 8))), has_moved=1)],
    "an order whose addresses name records": [walk(ORDER, "noNextPage", "anchored", addressed(
        "http://h/3/6/9?n=6", in_order(chain(R(3), R(3, 6), R(6, 9), [9])),
        "http://h/3/6/9?n=6&q=2", "http://h/3/6/9?n=6&q=5", "http://h/3/6/9?n=6&q=9"))],
    "an order whose addresses name a number that stays": [walk(ORDER, "noNextPage", "anchored", addressed(
        "http://h/", IN_ORDER, "http://h/?q=2&k=a", "http://h/?q=2&k=b"))],
    "an order of texts that are numbers": [walk(ORDER, "noNextPage", "anchored", [
        dict(a, cursor=c, next_cursor=n, span=span) for a, c, n, span in zip(
            IN_ORDER, ("start", "token 3", "token 6"), ("token 3", "token 6", None), (["1", "3"], ["4", "6"], ["7", "8"]))])],
    "an order of texts that falls": [walk(dict(ORDER, falling=True), "noNextPage", "anchored", [
        dict(a, span=span) for a, span in zip(chain(R(3), R(3, 5)), (["z", "m"], ["k", "a"]))])],
    "an order by a time that grows": [walk(RISING, "noNextPage", "anchored", resumed(in_order(
        chain(R(3), R(2, 5), R(5, 7))), 1, paused=4000000))],
    "an order by a time that falls, and the front": [walk(FALLING, "noNextPage", "anchored", TIMES + [
        dict(FRONT, keys=[31, 30, 29, 28, 27], span=[31, 27])])],
    "an order by a time that falls, and the front read on": [walk(FALLING, "noNextPage", "anchored", TIMES + [
        FRONT, again(FRONT, ordinal=2, cursor="token p2", keys=[28, 27], span=[28, 27]),
        again(FRONT, keys=[31, 30, 27], span=[31, 27])])],
    "an order by a time that falls, with no page behind the front": [walk(FALLING, "noNextPage", "anchored", TIMES + [
        dict(FRONT, next_cursor=None)])],
    "an order whose total changes": [walk(COUNTED_ORDER, "noNextPage", "anchored", [
        dict(a, total=7 + a["ordinal"]) for a in in_order(chain(R(3), R(3, 6), R(6, 8)))])],
    "offsets that overlap": [walk(BY, "emptyPage", "overlap", LAPS)],
    "offsets that overlap, resumed with a seam": [walk(BY, "emptyPage", "overlap", resumed(
        LAPS[:2] + [again(LAPS[1], "seam")] + LAPS[2:], 2))],
    "offsets that overlap up to a flag": [walk(BY, "moreFlag", "overlap", offsets((0, R(4)), (3, R(3, 6)), more=0))],
    "offsets on one page": [walk(BY, "emptyPage", "one answer, overlap", offsets((0, [])), dict(
        empty_for_long=True))],
    "offsets in an order": [walk(BY_ORDER, "emptyPage", "overlap with order, overlap", in_order(LAPS))],
    "offsets in an order up to a flag": [walk(BY_ORDER, "moreFlag", "overlap with order", in_order(
        [dict(a, more=more) for a, more in zip(offsets((0, R(4)), (2, [2, 3, 4])), (1, 0))]))],
    "sizes that overlap": [walk(dict(NUMBER, size=4), "emptyPage", "overlap", sizes(
        R(4), ((2, 3), R(3, 6)), ((2, 5), [5, 6]), ((8, 1), [])), dict(sizes_hold=True))],
    "sizes in an order up to a flag": [walk(dict(BY_ORDER, paging="number"), "moreFlag", "overlap", in_order([
        dict(a, more=0) for a in sizes(R(4), ((2, 3), R(3, 5)))]), dict(sizes_hold=True))],
    "sizes that overlap, and the last record alone": [walk(dict(NUMBER, size=4), "emptyPage", "overlap", sizes(
        R(4), ((2, 3), R(3, 6)), ((2, 5), [5, 6]), ((7, 1), [6]), ((8, 1), [])))],
    "twice": [other(NUMBER, "moreFlag", "unproven", THREE), walk(NUMBER, "moreFlag", "twice", resumed(
        [*THREE[:2], again(THREE[1], "seam"), THREE[2]], 2, longest_pause=4000000))],
    "twice, and once more": [other(NUMBER, "moreFlag", "unproven", THREE), walk(NUMBER, "moreFlag", "twice", THREE),
                             walk(NUMBER, "moreFlag", "twice", THREE)],
    "read twice, and the ends": [other(NUMBER, "moreFlag", "unproven", THREE),
                                 walk(NUMBER, "moreFlag", "ends", looked(THREE))],
    "three times, over 40 hours (the first is folded)": [
        other(SIZED, "noNextPage", "unproven", FULL), walk(SIZED, "noNextPage", "twice", FULL, dict(pattern_old=True))],
    "one page of a chain, three times, with fewer than were asked for": [
        other(dict(CHAIN, size=20), "noNextPage", "unproven", chain(R(9))),
        walk(dict(CHAIN, size=20), "noNextPage", "twice", chain(R(9)), dict(pattern_old=True))],
    "one page of a chain, three times, which says in its place that there is no next one": [
        other(CHAIN, "noNextPage", "unproven", chain(R(9), signs=[("last", 1)])),
        walk(CHAIN, "noNextPage", "twice", chain(R(9), signs=[("last", 1)]), dict(pattern_old=True, says_more=False))],
    "an empty list, three times": [
        other(NUMBER, "emptyPage", "unproven", numbers([])),
        walk(NUMBER, "emptyPage", "twice", numbers([]), dict(pattern_old=True, rows=0))],
    "twice, with nothing behind the last record": [
        other(BY_RECORD, "noNextPage", "unproven", chain(R(3), [2])),
        walk(BY_RECORD, "noNextPage", "twice", chain(R(3), [2]))],
    "twice, where several records share a value": [
        other(BY_RECORD, "noNextPage", "unproven", TIES), walk(BY_RECORD, "noNextPage", "twice", TIES)],
    "full pages, and the last record again": [walk(NUMBER, "emptyPage", "ends", [
        *looked(numbers(R(5), R(5, 10), [], more=None), at=1), page(2, "sized 3 4", [8, 9], purpose="lastRecord")])],
    "the place is part of the key, which is another in a look": [walk(dict(NUMBER, place_in_key=True), "emptyPage", "ends", [
        *looked(numbers(R(5), R(5, 10), [], more=None), at=1), page(2, "sized 3 4", [8, 9], purpose="lastRecord"),
        page(2, "sized 2 4", [FRESH], purpose="lastRecord")])],
    "nothing stands before the first page": [walk(NUMBER, "emptyPage", "ends", [
        *looked(numbers(R(5), R(5, 9), [], more=None), at=1), page(1, "number 0", R(5), purpose="pageBefore")],
        dict(first_known=False))],
    "full pages of a chain, and the last record again": [walk(SIZED, "noNextPage", "ends", [
        *closed(FULL), page(2, "part 4 token p2", R(5, 9), purpose="signOfMore", next_cursor="token 8"),
        page(2, "token 8", [9], purpose="lastRecord")])],
    "a chain up to an empty page, and the last record again": [walk(dict(SIZED, ends_empty=True), "emptyPage", "ends", [
        *looked(chain(R(5), R(5, 10), []), at=1),
        page(2, "token 8", [9], purpose="lastRecord", next_cursor="token 9")])],
    "addresses, and the last one is named": [walk(CHAIN, "noNextPage", "ends", closed([
        dict(ADDRESSES[0], last_cursor=ADDRESSES[1]["cursor"]), dict(ADDRESSES[1], keys=list(R(3, 6)))]))],
    "an error behind the page that is named as the last": [walk(dict(NUMBER, cap=100), "errorMeansEnd", "ends", [
        *numbers(R(5), R(5, 10), more=None, last_cursor="number 2"), page(3, "number 3", trouble="ended"),
        again(numbers(R(5))[0])])],
    "one page of a chain, with fewer than were asked for": [walk(dict(CHAIN, size=20), "noNextPage", "one answer", chain(
        R(9)), MORE)],
    "one page without a size, whose flag works": [walk(CHAIN, "moreFlag", "one answer", [
        dict(chain(R(3))[0], more=0)], MORE)],
    "pages of a chain that differ, and a flag": [walk(CHAIN, "moreFlag", "ends", looked([
        dict(a, more=int(a["ordinal"] < 3)) for a in chain(R(5), R(5, 9), R(9, 12))]))],
    "pages that differ, and no next one in its place": [walk(CHAIN, "noNextPage", "ends", looked(
        chain(R(5), R(5, 9), R(9, 12), signs=[("last", 1)])))],
    "pages that differ, and a total": [walk(dict(CHAIN, trust="steady"), "noNextPage", "steady, ends", looked(
        chain(R(5), R(5, 9), R(9, 12), total=12)))],
    "shorter than the page before, and empty": [walk(STEADY, "emptyPage", "steady", closed(
        numbers(R(3), R(3, 5), [], more=None, total=10)))],
    "a chain whose flag ends before its empty page": [walk(dict(SIZED, ends_empty=True), "emptyPage", "ends", looked(
        FLAGGED, at=1))],
    "a steady chain whose flag ends before its empty page": [walk(
        dict(SIZED, ends_empty=True, trust="steady"), "emptyPage", "steady", closed(
            [dict(a, total=9) for a in FLAGGED]))],
    "the same twice, with a key twice": [other(NUMBER, "moreFlag", "unproven", TANGLED)] * 2,
    "new in one answer of a list that counts": [STRETCH, joined(
        [dict(a, total=40) for a in newest_first([0, 1, 2, 10, 11])], dict(NEWEST, trust="counted"))],
    "new in one answer": [STRETCH, joined(newest_first([0, 1, 2, 10, 11]))],
    "new in an order": [STRETCH, joined([dict(a, span=[-a["keys"][0], -a["keys"][-1]]) for a in newest_first(
        R(5), R(5, 10), [10, 11], how=chain)], dict(ORDER, falling=True, newest_first=True))],
    "new in pages that overlap": [STRETCH, joined([dict(a, cursor="offset %d" % begin) for a, begin in zip(newest_first(
        R(4), R(3, 7), [6, 10, 11]), (0, 3, 6))], dict(BY, newest_first=True))],
    "new in two pages, and the first the same": [STRETCH, joined(closed(newest_first(R(5), [5, 6, 10, 11])))],
    "new in the same pages twice": [STRETCH, joined(
        newest_first(R(5), R(5, 10), [10, 11]), front=pattern([R(5), R(5, 10), [10, 11]]))],
    "new in the same pages twice, with an empty one": [STRETCH, other(
        NEWEST, "lastCompleteRange", "unproven", newest_first(R(5), [], [5, 10, 11]),
        dict(front=pattern([R(5), [], [5, 10, 11]]), range_to=1767312000000, whole=1))],
    "resumed, long after, where nothing had come": [walk(SINGLE, "singleAnswer", "one answer", resumed(
        [page(1, "start", trouble="unreadable"), page(1, "start", R(3))], 1, paused=4000000))],
    "a batch": [walk(BATCH, "singleAnswer", "one answer", [
        page(1, "start", R(3), signs=[("length", 3)]), page(2, "start", R(3, 5))], shown=dict(absent=1))],
    "a batch of lists that are counted": [walk(dict(BATCH, at_once=1, trust="counted"), "singleAnswer", "one answer", [
        page(1, "start", R(3), total=3), page(2, "start", R(3, 5), total=2)])],
    "a batch of lists that have one page": [walk(dict(BATCH, at_once=1, one_page=True), "singleAnswer", "one answer", [
        page(1, "start", R(3))])],
    "a batch behind another, of which a request brought nothing": [
        walk(BATCH, "singleAnswer", "one answer", [page(1, "start", R(3))], shown=dict(absent=1)),
        other(BATCH, "singleAnswer", "incomplete: empty", [page(1, "start", R(3))], shown=dict(waiting=2, empty_batch=2))],
    "a batch of nothing, as the one before": [walk(BATCH, "singleAnswer", "one answer", [], shown=dict(
        gone=2, absent=1, absent_in_a_row=1, was_whole=True))],
    "a batch of which some values fit no request": [
        other(BATCH, "singleAnswer", "limited: out of reach", [page(1, "start", R(3))], shown=dict(unaskable=2))],
    "a batch of nothing": [other(BATCH, "gone", "absent", [], shown=dict(gone=2))],
    "a window": [walk(SINGLE, "singleAnswer", "one answer", [page(1, "start", R(3))], covers_to="2026-01-02T00:00:00Z",
                      window_to="2026-01-03T00:00:00Z", shown=dict(listed_until=1767312000000))],
    "walks that were folded": [walk(NUMBER, "moreFlag", "ends", []), walk(NUMBER, "moreFlag", "ends", closed(TWO))],
    "records that were dropped": [walk(SINGLE, "singleAnswer", "one answer", [page(1, "start", [0, 1, 42], dropped=1)])],
    "values that changed under a time": [walk(RISING, "noNextPage", "anchored", in_order(
        chain(R(3), R(3, 5), altered=2)))],
    "no proof": [other(NUMBER, "moreFlag", "unproven", TWO)],
    "a search": [other(dict(NUMBER, search=True), "moreFlag", "unproven", closed(TWO))],
    "an end with a cap": [other(dict(NUMBER, cap=9), "moreFlag", "limited: ceiling", TWO)],
    "an end at 500": [other(NUMBER, "moreFlag", "limited: ceiling", numbers(R(500)), standing="older mapping")],
    "an end with a sign of limits": [other(NUMBER, "moreFlag", "limited: ceiling", numbers(R(3), signs=[("limit", 1)]))],
    "an end by an error of limits": [other(NUMBER, "capReached", "limited: ceiling", TWO + [
        page(3, "number 3", trouble="cap")])],
    "a gap": [other(NUMBER, "outOfReach", "limited: out of reach", TWO + [page(3, "number 3", trouble="gap")])],
    "out of reach": [walk(NUMBER, "moreFlag", "ends", closed(TWO)),
                     other(NUMBER, "outOfReach", "limited: out of reach", [])],
    "out of reach, of a stream that no walk requested": [
        other(NUMBER, "outOfReach", "limited: out of reach", [], first_known=0)],
    "a counted list whose pages grow": [walk(COUNTED, "moreFlag", "counted", closed(numbers(R(5), R(5, 11), R(11, 13), total=13)))],
    "an end within what is known": [STRETCH, walk(NEWEST, "moreFlag", "one answer", [dict(
        numbers(R(10, 15))[0], oldest="2026-01-01T00:00:00Z")], dict(MORE, range_to=1767312000000))],
    "an end above what is known": [STRETCH, other(NEWEST, "moreFlag", "incomplete: count", [dict(
        a, more=0) for a in newest_first(R(5), [5, 6])[:1]], dict(range_to=1767312000000))],
    "pages that grow": [other(NUMBER, "moreFlag", "incomplete: moved", numbers(R(5), R(5, 11), R(11, 13)), has_moved=1)],
    "a list that moved": [other(NUMBER, "moreFlag", "incomplete: moved", TWO, has_moved=1)],
    "a total that is not there": [other(COUNTED, "moreFlag", "incomplete: count", numbers(R(5), R(5, 9), total=12))],
    "more that did not come": [other(NUMBER, "moreFlag", "incomplete: count", numbers(R(5), R(5, 9), more=1))],
    "records that were withheld": [other(NUMBER, "moreFlag", "incomplete: count", TWO, withheld=2)],
    "records that do not fit": [other(NUMBER, "moreFlag", "incomplete: rejects", numbers([0, 1, 42], rejected=1))],
    "two records under one key": [other(NUMBER, "moreFlag", "incomplete: ambiguous key", numbers(R(3), ambiguous=1))],
    "suddenly empty": [other(NUMBER, "emptyPage", "incomplete: empty", numbers([]), dict(rows=9))],
    "far below what its parent counts": [other(NUMBER, "moreFlag", "incomplete: empty", TWO, dict(expected=40))],
    "a sign that nothing reads": [other(NUMBER, "moreFlag", "incomplete: unread", numbers(R(3), signs=[("more", 1)]))],
    "columns that came empty": [other(NUMBER, "moreFlag", "incomplete: fields", numbers(R(3), signs=[("emptied", 1)]))],
    "not there": [other(NUMBER, "gone", "absent", [page(1, "number 1", trouble="absent")])],
    "paused before the first answer": [other(NUMBER, "budget", "paused", [])],
    "paused, and no answer behind": [other(NUMBER, "interrupted", "paused", TWO[:1], shown=dict(resumed=True, paused=5))],
    "failed": [other(NUMBER, "failure", "failed", TWO[:1])],
}

def rows_of(walks):
    """The rows of all tables, with what can be counted."""
    rows = {table: [] for table in TABLES}
    rows["trawl_lists"].append(dict(list_number=1, job="j", stream="s", list="things", table_name="things", list_table="things",
                                    list_where='{"owner": 1}', list_key='["id"]', list_part=0))
    sign = dict(zip(("window", "traversal"), walks[0].get("sign", (8, 1))))  # by a walk whose answers were folded
    rows["trawl_signs"].append(dict(sign, job="j", stream="s", says_more=1, sizes_hold=1, first_known=walks[0].get("first_known", 1)))
    windows, texts, handed = {}, {}, {}
    for number, each in enumerate(walks, 1):
        window, text = each.get("window", 1), json.dumps(each["rules"])
        window_to = each.get("window_to", "")
        windows.setdefault(window, dict(window=window, list_number=1, window_from="", window_to=window_to))
        rules = check.digest_bytes(text.encode())
        texts[rules] = dict(rules=rules, text=text)
        answers = answers_of(each, number, dict(handed, rules=rules))
        rows["trawl_pages"] += answers
        rows["trawl_certificates"].append(certificate_of(each, number, rules, answers, dict(handed, rules=rules)))
        full = [None] + [a["cursor"] for a in each["answers"] if a["keys"] and a.get("purpose", "page") == "page"]
        handed = dict(whole=number, pattern=rows["trawl_certificates"][-1]["pattern"], last_page=full[-1])
    return dict(rows, trawl_windows=list(windows.values()), trawl_rules=list(texts.values()))

def answers_of(each, number, handed):
    seen, rows = set(), []
    for index, answer in enumerate(each["answers"]):
        purpose, keys = answer.get("purpose", "page"), answer["keys"]
        is_look, named = purpose in check.LOOKS, {name: answer.get(name, 0) for name in check.COUNTS}
        row = dict(answer, page=100 * number + 2 * index, window=each.get("window", 1), traversal=number, purpose=purpose,
                   run=answer.get("run", 10 * number), keys=packed(keys), unseen=0 if is_look else len(set(keys) - seen),
                   signs=json.dumps([["head", kind, *(value or "x"), number]
                                     for kind, number, *value in answer.get("signs", ())]))
        row["sort_span"] = json.dumps(answer["span"]) if "span" in answer else None
        if index == 0 or "handed" in answer:
            row["handed"] = json.dumps(dict(handed, **dict(each["handed"], **answer.get("handed", {}))))
        if not is_look:
            named["repeated"] += sum(key in seen or key in keys[:i] for i, key in enumerate(keys))
            named["unchanged"] += len(keys) - sum(named.values())
            seen.update(keys)
        rows.append(dict(row, **named, received=sum(named.values())))
    return rows

def certificate_of(each, number, rules, answers, handed):
    stored = [row for row in answers if row["purpose"] not in check.LOOKS]
    second = [row for row in stored if row["purpose"] in check.SECOND]
    sums = {name: sum(row[name] for row in stored if name in ("new", "changed") or row not in second)
            for name in check.COUNTS}
    for row in second:
        sums["unchanged"] += min(row["unchanged"], max(0, row["unseen"] - row["new"] - row["changed"]))
    keys = {key_of(key) % 2 ** 64 for a in each["answers"] if a.get("purpose") not in check.LOOKS for key in a["keys"]}
    places = {}
    for row, answer in zip(answers, each["answers"]):
        if row["purpose"] in check.PLACED and not row.get("trouble"):
            places.setdefault(row["ordinal"], [] if re.match("sized .* 1$", row["cursor"]) else answer["keys"])
    is_batch, in_places = each["rules"].get("batch"), [places[place] for place in sorted(places)]
    is_again = each["rule"] == "nothingUnseen" and each["rules"].get("paging") in check.POSITIONS
    while is_again and in_places and set(in_places[-1]) <= set(sum(in_places[:-1], [])):  # a page once more
        in_places.pop()
    pages = sum(not row.get("trouble") for row in stored) if is_batch else len(places)
    overlaps = each["rules"].get("by_record") or any(re.match("offset|sized", a["cursor"]) for a in each["answers"])
    fresh = [list(itertools.dropwhile(lambda key: overlaps and key in before, keys))
             for before, keys in zip([[]] + in_places, in_places)]
    comes_twice = len(set(sum(fresh, []))) < len(sum(fresh, []))
    proofs, shown = each["proofs"] or "", dict(handed if each["shown"].get("resumed") else {}, **each["shown"])
    return dict(
        dict(rests_on=number - 1 if re.search("twice|joined", proofs) else None), **dict(
            each, certificate=number, window=each.get("window", 1), traversal=number, run=10 * number, rules=rules,
            **sums, proof=proofs.split(", ")[0] or None, pages=pages,
            keys_count=len(keys), distinct_keys=len(keys),
            keys_digest=check.digest_bytes(struct.pack("<%dQ" % len(keys), *sorted(keys))), received=sum(sums.values()),
            pattern=None if comes_twice or is_batch else pattern(in_places),
            handed=json.dumps(shown) if shown else None))

class Memory(sqlite3.Connection):
    def close(self):  # check.py reads it again for the next forgery
        pass

class Evidence:
    """A database in memory that holds the rows of one list at a time."""
    def __init__(self):
        self.db, self.held = sqlite3.connect(":memory:", isolation_level=None, factory=Memory), {}
        check.sqlite3 = SimpleNamespace(connect=lambda *_, **__: self.db, Row=sqlite3.Row, Error=sqlite3.Error)
        for table, columns in TABLES.items():
            keys = "job, stream" if table == "trawl_signs" else columns.split()[0]
            self.db.execute("CREATE TABLE %s (%s, seal, PRIMARY KEY (%s))" % (table, ", ".join(columns.split()), keys))
        self.db.execute("""CREATE VIEW trawl_facts AS
            SELECT 'rules' AS kind, '' AS job, '' AS stream, printf('%%016x', rules) AS subject, text AS fact FROM trawl_rules
            UNION ALL SELECT 'signs', job, stream, '', json_object('says_more', says_more, 'sizes_hold', sizes_hold,
                'first_known', first_known, 'window', window, 'traversal', traversal) FROM trawl_signs
            UNION ALL SELECT 'forgotten', 'j', '', 'things %016x', '{}'""" % (key_of(GONE) & check.MASK))
        self.db.execute("CREATE TABLE things (id, owner, trawl_hash)")
        self.db.executemany("INSERT INTO things VALUES (?, ?, ?)", [
            (key, 2 if key == ROWS else 1, bytes(16) if key == ROWS + 1 else b"x" * 16) for key in range(ROWS + 2)])

    def findings(self, rows, granted=(), seals=True):
        """What check.py finds, and the clauses that do not hold; without seals, where all are right by construction."""
        for table, columns in TABLES.items():
            if self.held.get(table) != (seals, rows[table]):
                self.held[table] = seals, rows[table]
                self.db.execute("DELETE FROM " + table)
                for row in rows[table]:
                    values = [row.get(column, DEFAULTS.get(column)) for column in columns.split()]
                    values.append(row.get("seal", check.digest_bytes(check.fed(tuple(values))) if seals else None))
                    self.db.execute("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * len(values))), values)
        check.NAMED_TABLES = tuple(TABLES) if seals else ()
        check.without.clear()
        check.without.update(granted)
        failed.clear()
        return [finding["what"] for finding in check.check("", False)["findings"]], set(failed)

failed, plain_clause, plain_is_proven = set(), check.clause, check.is_proven
def clause(name, holds):
    if not holds:
        failed.add(name)
    return plain_clause(name, holds)
def is_proven(walk):  # asks for every proof, and takes nothing for granted: none of its clauses is one of the forgery
    before = set(failed)
    found = plain_is_proven(walk)
    failed.intersection_update(before)
    return found
check.clause, check.is_proven = clause, is_proven
# Most rows of a forgery are those of the sound walk. (Values are told apart by ==, and there are no reals among them.)
check.fed, check.digest_bytes = map(functools.lru_cache(maxsize=None), (check.fed, check.digest_bytes))

# Forgeries: every change of one thing.

ANSWER = dict(
    purpose=("page", "repair", *check.SECOND, *check.LOOKS), trouble=("unreadable", "absent", "ended", "refused", "denied"), ordinal=(1, 3),
    signs=[[(kind, 9)] for kind in ("old", "older", "twice", "emptied", "more", "notice", "limit", "length", "last")],
    next_cursor=(None, "token 9"), last_cursor=(None, "number 9", "address http://h/x?page=9"),
    more=(0, 1), total=(None, 9), span=([], [0, 9], [9, 0]), run=(5,),
    is_not_modified=(1,), is_newest_first=(0,), oldest=("2026-01-02T12:00:00Z",),
    newest=("2026-01-01T12:00:00Z",),
    new=(1,), rejected=(1,), dropped=(1,), ambiguous=(1,), altered=(3,))
RULE = dict(
    paging=("single", "number", "offset", "chain"), trust=(None, "counted", "steady"), size=(None, 1), first=(0,),
    order=(None, "id"), falling=(None, True), by_time=(None, True), by_record=(None, True), ends_empty=(None, True),
    search=(True,), by_place=(True,), newest_first=(None,), one_page=(None,), batch=(None, True), cap=(None,), overlap=(0, 9))
HANDED = dict(
    rules=(7,), whole=(0, 7), pattern=(7,), last_page=("start",), says_more=(None, True), sizes_hold=(None,), first_known=(None, False),
    rows=(None, 3), expected=(None, 10), empty_for_long=(None,), accepted=(None,), resumed=(None,),
    longest_pause=(4000000,), pattern_old=(None, True),
    range_to=(None, 1767400000000), range_proven=(False,), front=(None, 7))
SHOWN = dict(failed=(1,), refused=(1,), waiting=(1,), unaskable=(1,), gone=(None,), listed_until=(7,))
CERTIFICATE = dict(
    rule=("noNextPage", "emptyPage", "moreFlag", "countedTotal", "singleAnswer", "shortPage", "nothingUnseen",
          "errorMeansEnd", "lastCompleteRange", "outOfReach", "beyondReach", "luck"),
    has_moved=(0, 1), withheld=(0, 1), rests_on=(None, 1, 7), window=(2,), covers_to=("2026-01-04T00:00:00Z",),
    pattern_walks=(1,), pattern_since=("2026-01-01T00:00:01Z",))
VERDICTS = (
    "unproven", "paused", "absent", "luck", "limited: ceiling", "limited: out of reach", "incomplete: moved",
    "incomplete: count", "incomplete: rejects", "incomplete: ambiguous key", "incomplete: empty", "incomplete: unread",
    "incomplete: luck")
COUNTS = dict(
    trawl_certificates="pages received new unchanged repeated distinct_keys keys_count keys_digest pattern proof rules "
                       "seal",
    trawl_pages="received new unchanged handed seal", trawl_rules="rules seal",
    trawl_signs="says_more sizes_hold first_known traversal")
WHERE_THEY_STAND = set(  # members that are changed and never added
    "total span is_newest_first oldest newest new falling newest_first one_page cap overlap sizes_hold rows "
    "resumed empty_for_long accepted range_to front gone listed_until covers_to".split())
# What is looked at in the same way whatever the rules are is changed once for each paging and verdict.
ALIKE = re.compile(
    "trouble|signs (?!.*older)|run 5|rejected|dropped|ambiguous|altered|new 1|next_cursor token|in no row|trawl_|purpose|"
    "verdict|paused|luck|shown|handed (?!range|front|sizes|expected|longest)|rules (search|batch|first )|has_moved|"
    "withheld|window|outOfReach|beyondReach|errorMeansEnd|singleAnswer")
BY_HAND = [  # what must be found: a sound walk, and what is claimed in its place
    ("one page that is counted", dict(proofs="counted", rule="emptyPage", answers=[
        *numbers(R(3), total=9), page(1, "number 1", purpose="repair")])),
    ("a steady chain up to an empty page", dict(proofs="steady", rules=dict(STEADY_CHAIN, size=2))),
    ("a counted list", dict(proofs="ends, counted")), ("read twice, and the ends", dict(proofs="ends, twice")),
    ("resumed behind the last answer", dict(shown=dict(resumed=True, paused=4000000))),
    ("an order by a time that falls, and the front", dict(answers=TIMES + [FRONT])),
    ("full pages, and the last record again", dict(answers=[
        *looked(numbers(R(5), R(5, 10), [], more=None), at=1), page(2, "sized 2 5", [8, 9], purpose="lastRecord")])),
    ("full pages, and the last record again", dict(answers=[
        *looked(numbers(R(5), R(5, 10), [], more=None), at=1), page(2, "sized 3 4", [8, 9], purpose="lastRecord"),
        page(2, "sized 2 4", [4, FRESH], purpose="lastRecord")])),
    ("a full page whose length is its total, and a look shows that more would be said", dict(
        answers=chain(R(5), total=5))),
    ("nothing stands before the first page", dict(answers=[
        *looked(numbers(R(5), R(5, 9), [], more=None), at=1), page(1, "number 0", [FRESH], purpose="pageBefore")])),
    *(("nothing stands before the first page", dict(answers=[
        *looked(numbers(R(5), R(5, 9), [], more=None), at=1), page(1, "number 0", purpose="pageBefore", **shows_nothing)]))
      for shows_nothing in (dict(trouble="unreadable"), dict(keys=R(5), signs=[("old", None)]))),
    ("a place behind full pages that is not there", dict(answers=[*FULL_TWO, page(3, "number 3", trouble="refused")])),
    ("a place behind full pages that is not there", dict(answers=[page(1, "number 1", R(5)), page(2, "number 2", trouble="absent")])),
    ("a place behind a short page that is refused", dict(answers=[*SHORT_TWO, page(3, "number 3", trouble="denied")])),
    ("a place behind a short page that is refused", dict(rules=dict(NUMBER, size=6))),
    ("a place behind uneven pages that is not there", dict(answers=[*UNEVEN, page(4, "number 4", trouble="refused")])),
    ("a place behind the API's own pages that is refused", dict(
        answers=[*numbers(R(10), R(10, 20), more=None), page(3, "number 3", trouble="refused")])),
    ("the last page again behind it", dict(answers=LAST_AGAIN[:3] + [dict(LAST_AGAIN[3], more=1)])),
    ("the last page again behind it", dict(answers=[dict(a, last_cursor="number 4") for a in LAST_AGAIN])),
    ("the last page again behind it", dict(answers=numbers(R(5), R(5, 10), R(5, 10), R(6, 10), more=None))),
    ("one page by declaration", dict(joined(newest_first([0, 1, 2, 10, 11])), rests_on=None)),
    ("one page by declaration", dict(answers=[page(1, "start", [0, ROWS + 1])])),
    ("one page that is counted", dict(answers=numbers(R(5), total=5))),
    ("one page by declaration", dict(answers=signed([page(1, "start", R(3))], ("outside", None)))),
    ("a batch", dict(shown=dict(absent=100, absent_in_a_row=100))),
    ("a batch", dict(rules=dict(BATCH, trust="counted"), answers=[page(1, "start", R(3), total=4)])),
    ("a batch", dict(rules=dict(BATCH, trust="estimate"), answers=[page(1, "start", R(3), total=4)])),
    ("a batch", dict(rules=dict(BATCH, cap=4, doubt=3))),
    ("a counted list that is longer than its cap", dict(rules=dict(COUNTED, cap=9, doubt=9))),
    ("three pages up to a short one", dict(rules=dict(NUMBER, cap=13, doubt=13))),
    ("a short page whose size was chosen for the cap", dict(rules=dict(STEADY, cap=12, doubt=11))),
    ("a batch", dict(rules=dict(BATCH, at_once=2))),
    ("one page of a chain, three times, with fewer than were asked for", dict(rules=CHAIN)),
    ("one page of a chain, three times, with fewer than were asked for", dict(
        handed=dict(pattern_old=True, says_more=False))),
    ("one page of a chain, three times, which says in its place that there is no next one", dict(answers=chain(R(9)))),
    ("an empty list, three times", dict(rules=dict(NUMBER, cap=9), rule="shortPage", answers=numbers(R(3), more=None), handed=dict(
        pattern_old=True))),
    ("a batch of nothing, as the one before", dict(shown=dict(gone=2))),
    ("a batch of nothing, as the one before", dict(shown=dict(absent=1, absent_in_a_row=1))),
    ("a batch of nothing, as the one before", dict(shown=dict(absent=1, absent_in_a_row=1, was_whole=True, newly_absent=1))),
    ("an estimate", dict(answers=closed(numbers(R(5), R(5, 9), total=3)))),
    ("two pages", dict(rules=dict(NUMBER, reversed_flag="is_last"))),
    ("three pages", dict(answers=looked(signed(THREE, GOES_ON, at=2)))),
    ("three pages up to an empty one", dict(answers=signed(
        SOUND["three pages up to an empty one"][0]["answers"][:-2], GOES_ON)
        + SOUND["three pages up to an empty one"][0]["answers"][-2:])),
    ("one page, which tells its place", dict(answers=signed(numbers(R(3)), ("length", 4)))),
    ("one page, which tells its place", dict(answers=signed(numbers(R(3)), ("count", 5)))),
    ("a counted list", dict(answers=closed(signed(numbers(R(5), R(5, 9), total=9), ("unclear", None), at=2)))),
    *(("an order", dict(rules=dict(ORDER, size=3), answers=addressed("http://h/?n=1&per=3", IN_ORDER, *following)))
      for following in (("http://h/?n=1&q=3", "http://h/?n=1&q=6"), ("http://h/?per=2&q=3", "http://h/?per=2&q=6"))),
    *(("two pages", dict(answers=closed(signed(TWO, sign)))) for sign in (
        ("before", None), ("unclear", None), ("cursor", None), ("page", 9), ("pages", 3), ("count", 8), ("length", 5))),
    ("a chain whose second page names the one before", dict(answers=signed(closed(chain(R(3), R(3, 5))), ("before", None)))),
    ("an order", dict(answers=addressed("http://h/", IN_ORDER, "http://h/3", "http://h/6"))),
    ("an order", dict(answers=addressed("http://h/", IN_ORDER, "http://h/?t=b2ZmOjM", "http://h/?t=b2ZmOjY%3D"))),
    ("an order", dict(answers=addressed("http://h/", IN_ORDER, "http://h/?q=3", "http://h/?q=9"))),
    ("an order", dict(answers=[dict(a, cursor=c, next_cursor=n) for a, c, n in zip(
        IN_ORDER, ("start", "token 3", "token a-6"), ("token 3", "token a-6", None))])),
    ("three pages", dict(answers=looked(numbers(R(5), R(5, 11), R(11, 13))))),
    ("an end within what is known", dict(answers=[dict(numbers(R(10, 15))[0], oldest="2026-01-03T00:00:00Z")])),
    ("twice, where several records share a value", dict(answers=chain(R(4), [2, 3, 4, 5, 3], [4, 5, 6])))]

BROKEN = ("[7]", "7", "no JSON", b"\xff", '{"resumed": true, "paused": "x"}', "[" * 100000)

def members(what, values, which):  # with each other value of each member that `which` names
    for name, others in which.items():
        for value in others:
            if values.get(name) != value and (name in values or name not in WHERE_THEY_STAND):
                yield "%s %s %s" % (what, name, value), dict(values, **{name: value})

def with_another(items, i):  # without an item, with it twice, and with it before the one before it
    yield "gone", items[:i] + items[i + 1:]
    yield "twice", items[:i] + [items[i]] + items[i:]
    if i:
        yield "before", items[:i - 1] + [items[i], items[i - 1]] + items[i + 1:]

def other_answers(answers):
    for total in sorted({answer["total"] for answer in answers if answer.get("total")}):
        for other in (total - 1, total + 1):
            yield "total %d of all" % other, [dict(answer, total=other) for answer in answers]
    for i, answer in enumerate(answers):
        name, keys = "%s %d" % (answer.get("purpose", "page"), answer["ordinal"]), answer["keys"]
        cursors = answers[0]["cursor"], answers[-1]["cursor"], re.sub(r"\d+", "9", answers[-1]["cursor"])
        for what, others in with_another(answers, i):
            yield "%s %s" % (name, what), others
        changed = list(members(name, answer, dict(ANSWER, cursor=cursors)))
        for what, others in (*(with_another(keys, len(keys) - 1) if keys else ()), ("first gone", keys[1:]),
                             ("all gone", []), ("one more", keys + [FRESH]), ("in no row", keys + [ROWS])):
            changed.append(("%s key %s" % (name, what), dict(answer, keys=others)))
        for what, one in changed:
            one = dict(one, keys=[]) if one.get("trouble") != answer.get("trouble") else one
            yield what, answers[:i] + [one] + answers[i + 1:]

def other_walks(each):
    for what, answers in other_answers(each["answers"]):
        yield what, dict(each, answers=answers)
        if ", " in (each["proofs"] or ""):  # and the first of its proofs claimed alone
            yield what + " alone", dict(each, answers=answers, proofs=each["proofs"].split(", ")[0])
    for member, which in (("rules", RULE), ("handed", HANDED), ("shown", SHOWN)):
        for what, values in members(member, each[member], which):
            yield what, dict(each, **{member: values})
    yield from members("certificate", each, CERTIFICATE)
    for proof in (*check.PROOFS, "luck"):
        yield "claims " + proof, dict(each, verdict="complete", cause=None, proofs=proof)
    for why in VERDICTS:
        verdict, _, cause = why.partition(": ")
        yield "verdict " + why, dict(each, verdict=verdict, cause=cause or None, proofs=None)
    yield "paused with its proofs", dict(each, verdict="paused", cause=None)

def other_rows(rows):
    for table, names in COUNTS.items():
        for i, row in enumerate(rows[table]):
            def put(*others): return dict(rows, **{table: [*rows[table][:i], *others, *rows[table][i + 1:]]})
            yield "row of %s gone" % table, put()
            for name in names.split():
                value = row.get(name, 0)
                if value is not None:
                    value = value + 1 if isinstance(value, int) else None
                    yield "%s.%s of %s" % (table, name, row.get("purpose", "its row")), put(dict(row, **{name: value}))

def forgeries(name, walks, made):
    """What is changed, and the rows. The same change is made once for the same rules, proofs and numbers of answers."""
    last = walks[-1]
    alike = last["rules"].get("paging"), last["verdict"], len(walks)
    own = json.dumps(last["rules"]), last["proofs"], str([len(each["answers"]) for each in walks])
    def is_new(what):
        known = len(made)
        made.add((what, *(alike if ALIKE.search(what) else (name,) if "claims" in what else own)))
        return len(made) > known
    for i, each in enumerate(walks):
        for what, one in other_walks(each):
            what = what if i == len(walks) - 1 else "earlier " + what
            if is_new(what):
                yield what, rows_of(walks[:i] + [one] + walks[i + 1:])
    for what, rows in other_rows(rows_of(walks)):
        if is_new(what):
            yield what, rows

def main():
    evidence, made, needed, problems, count = Evidence(), set(), {}, [], 0
    def find_needed(name, what, rows):  # whether it is found; notes the clauses that alone find it
        seals = "seal" in what
        findings, clauses = evidence.findings(rows, seals=seals)
        for clause in sorted(clauses - needed.keys()) if findings else ():
            if not evidence.findings(rows, (clause,), seals)[0]:
                needed[clause] = "%s: %s" % (name, what)
        return bool(findings)
    for name, walks in SOUND.items():
        problems += ["%s: sound, but %s" % (name, finding) for finding in evidence.findings(rows_of(walks))[0]]
        must = all(each["verdict"] == "complete" and each["answers"] for each in walks)
        for what, rows in forgeries(name, walks, made):
            is_found = find_needed(name, what, rows)
            count += is_found
            if must and not is_found and re.search(r"trawl_(certificates|pages|rules)\.(?!handed)", what):
                problems.append("%s: not found: %s" % (name, what))
    for name, changed in BY_HAND:
        is_found = find_needed(name, changed, rows_of(SOUND[name][:-1] + [dict(SOUND[name][-1], **changed)]))
        count += is_found
        if not is_found:
            problems.append("%s: not found: %s" % (name, changed))
    for table, broken in itertools.product(("trawl_pages", "trawl_certificates"), BROKEN):
        rows = rows_of(SOUND["resumed behind the last answer"])
        rows[table][0]["handed"] = broken
        if not evidence.findings(rows)[0]:
            problems.append("%s: not found: handed %s" % (table, broken[:20]))
    with open(check.__file__, encoding="utf-8") as source:
        names = re.findall(r'\bclause\("([a-z0-9:-]+)"', source.read())
    problems += ["%s: no forgery is found by this clause alone" % name for name in names if name not in needed]
    if "--list" in sys.argv[1:]:
        print("\n".join("%-36s %s" % (name, needed.get(name, "-")) for name in names))
    print("\n".join(problems + ["%d clauses: %s; %d sound walks, %d forgeries" % (
        len(names), "%d problems" % len(problems) if problems else "each is needed by a forgery", len(SOUND), count)]))
    return 1 if problems else 0

if __name__ == "__main__":
    sys.exit(main())
