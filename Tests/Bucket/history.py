"""What the heads of a bucket were, put by put, and whether a rule was broken on the way.

All is judged from outside: by the puts that passed the proxies and by the log of the list server."""

import collections
import datetime

# The store tells its time in whole seconds, and its clock is this machine's.
GRAIN = 1.5


def moment(value):
    """A time as the head has it: seconds, or as text."""
    if value in (None, "", 0):
        return 0.0
    if isinstance(value, (int, float)):
        return float(value) / (1000 if value > 1e11 else 1)
    return datetime.datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp()


class Head:
    """One state of a head."""

    def __init__(self, exchange):
        self.exchange, self.document = exchange, exchange.document
        self.worker = exchange.worker
        self.epoch, self.seq = self.document["epoch"], self.document.get("seq", 0)
        self.owner, self.until = self.document.get("owner"), moment(self.document.get("until"))
        # It holds at some moment of its exchange; an answer that never came leaves its end open.
        self.began, self.ended = exchange.began, exchange.ended or exchange.began + 0.001

    def __repr__(self):
        left = f"{self.until - self.ended:+.1f} s" if self.until else "given back"
        return f"epoch {self.epoch} seq {self.seq} of {self.worker}, {left}"


def heads(exchanges):
    """Each head's states in the order in which the store took them; and what is wrong with them or with that order."""
    by_path, wrong = collections.defaultdict(list), []
    for exchange in exchanges:
        document = exchange.document
        if document is not None and "epoch" in document and exchange.reached and exchange.status in (None, 200):
            by_path[exchange.path].append(Head(exchange))
    chains = {}
    for path, states in by_path.items():
        chain, left = [], states
        first = [s for s in left if "if-none-match" in s.exchange.head and s.exchange.status == 200]
        if len(first) > 1:
            wrong.append(f"{path}: {len(first)} of its makers were told that they made it")
        # An answer that was lost may have made it as well.
        first = first or [s for s in left if "if-none-match" in s.exchange.head]
        for state in left:
            if "if-match" not in state.exchange.head and "if-none-match" not in state.exchange.head:
                wrong.append(f"{path}: put without a condition: {state}")
        if not first:
            wrong.append(f"{path}: nobody made it")
            continue
        children = collections.defaultdict(list)
        for state in left:
            children[state.exchange.head.get("if-match")].append(state)
        at = first[0]
        while at is not None:
            chain.append(at)
            following = children.pop(at.exchange.tag, [])
            told = [s for s in following if s.exchange.status == 200]
            if len(told) > 1:
                wrong.append(f"{path}: {len(told)} puts were let onto one state: {told}")
            # Of those without an answer it was the one that something followed, else nothing is known of it.
            at = told[0] if told else next((s for s in following if s.exchange.tag in children), None)
        chains[path] = chain
        lost = [s for s in states if s.exchange.status == 200 and s not in chain]
        if lost:
            wrong.append(f"{path}: put and told so, and not in the chain: {lost[:3]}")
        wrong += broken_rules(path, chain)
    return chains, wrong


def broken_rules(path, chain):
    """What no history of a head may have."""
    wrong = []
    for before, after in zip(chain, chain[1:]):
        where = f"{path}: {before} -> {after}"
        if after.epoch < before.epoch or (after.epoch == before.epoch and after.seq < before.seq):
            wrong.append(f"went back: {where}")
        # What says who spends a key has the number of the folder's claim.
        if after.epoch > before.epoch + 1 and path.endswith("/head"):
            wrong.append(f"an epoch was left out: {where}")
        if after.epoch == before.epoch and after.worker != before.worker:
            wrong.append(f"two workers in one epoch: {where}")
        # A process of the same cache holds the lock of that cache: it need not wait for the one that died.
        is_other = (after.worker, after.owner) != (before.worker, before.owner)
        if after.epoch > before.epoch and is_other and before.until > after.ended + GRAIN:
            wrong.append(f"taken over from a living lease: {where}")
    return wrong


def holders(chain):
    """Who may ask the API, and from when to when: (worker, from, to)."""
    spans = []
    for at, state in enumerate(chain):
        following = chain[at + 1] if at + 1 < len(chain) else None
        end = state.until if following is None else min(state.until, following.ended)
        if end > state.began:
            spans.append((state.worker, state.began, end))
    return spans


def unleased(asked, chain, worker_of):
    """The requests that reached the API while their sender had no lease."""
    spans = holders(chain)
    return [
        one for one in asked
        if (worker := worker_of(one)) is not None
        and not any(who == worker and since - 0.05 <= one.at <= to + GRAIN for who, since, to in spans)]
