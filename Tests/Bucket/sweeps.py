"""One thing that happens at the first exchange of a run with its store, at the second, and so on to the last."""

import signal

from worker import kill, spent


def sweep(trial, words, happens, wanted):
    """The machine `old` has a cache that is behind; whatever becomes of its run, what `new` has put stays put."""
    old, new = trial.worker("old"), trial.worker("new")
    trial.ends(trial.run(old), 0, "a first run", "complete")
    at, ends, wrong = 0, {}, []
    while at < 30:
        trial.lists.night(trial.name, changed=0.1)
        ended = trial.run(new, "--claim-wait", "30s")
        if ended.status != 0:
            wrong.append(f"before exchange {at + 1}, the other machine: exit {ended.status}: {ended.said.strip()}")
            break
        count, process = [], []

        def fault(exchange):
            count.append(exchange)
            return happens(process[0]) if len(count) == at + 1 else None

        old.proxy.fault = fault
        process.append(trial.start(old, "--claim-wait", "30s"))
        ended = old.end(process[0])
        old.proxy.fault = None
        ends[ended.status] = ends.get(ended.status, 0) + 1
        if ended.status not in wanted:
            wrong.append(f"at exchange {at + 1} ({count[at] if at < len(count) else 'none'}): exit {ended.status}: {ended.said.strip()}")
        rows, truth = new.rows(trial.data, trial.table), trial.lists.truth(trial.name)
        if rows != truth:
            other = rows if isinstance(rows, str) else f"{sum(one not in rows for one in truth)} rows of {len(truth)} are not as they were put"
            wrong.append(f"at exchange {at + 1} ({count[at] if at < len(count) else 'none'}), exit {ended.status}: {other}")
        if len(count) <= at or len(wrong) > 3:
            break
        at += 1
    trial.expect(at > 0 and not wrong, f"{words} at each of {at} exchanges: exits {ends}", "\n          ".join(wrong))
    trial.expect(len(trial.lists.asked) <= spent(new.folder / "copy.db"), "the ledger counts all that was sent",
                 (len(trial.lists.asked), spent(new.folder / "copy.db")))
    trial.is_whole(trial.worker("third"))


def terms(trial):
    """SIGTERM at each exchange with the store."""
    sweep(trial, "SIGTERM", lambda process: process.send_signal(signal.SIGTERM), {0, 75, -15})


def kills(trial):
    """kill -9 at each exchange with the store."""
    sweep(trial, "kill -9", lambda process: kill(process) or "refuse", {0, -9})


def losses(trial):
    """The answer to each exchange with the store is lost, once."""
    sweep(trial, "a lost answer", lambda _: "lose", {0})


def refusals(trial):
    """A connection is closed at each exchange, once, before anything reached the store."""
    sweep(trial, "a closed connection", lambda _: "refuse", {0})


def damages(trial):
    """One bit of what is put flips at each exchange, once."""
    sweep(trial, "a bit of a put", lambda _: "damage", {0, 69, 74, 75})


def damaged_answers(trial):
    """One bit of what is got flips at each exchange, once."""
    sweep(trial, "a bit of an answer", lambda _: "damage-answer", {0, 65, 69, 74, 75})
