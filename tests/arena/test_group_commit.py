"""Group commit: waiting threads share a transaction, and each gets its own results."""

import threading

from tests.waiting import PATIENCE_SECONDS, wait_until
from winnerstays.arena.engine.commit_queue import CommitQueue, _Job


def test_group_commit_executes_the_requests_of_all_that_wait():
    batches, gate = [], threading.Event()

    def execute(requests):
        batches.append(len(requests))
        gate.wait()
        return [request * 2 for request in requests]

    group_commit = CommitQueue(execute, 1)
    results = {}
    threads = [
        threading.Thread(target=lambda k=k: results.__setitem__(k, group_commit.run([k, k + 100]))) for k in range(10)
    ]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(group_commit._queue) == 9)
    gate.set()
    for thread in threads:
        thread.join()
    assert results == {k: [2 * k, 2 * k + 200] for k in range(10)}
    assert batches == [2, 18]


def test_several_leaders_do_everything_once():
    done, at_work, most, together = [], set(), [], threading.Event()

    def execute(requests):
        at_work.add(threading.get_ident())
        most.append(len(at_work))
        if len(at_work) > 1:
            together.set()
        together.wait(PATIENCE_SECONDS)  # the first one is not done before a second one is at work
        done.extend(requests)
        at_work.discard(threading.get_ident())
        return [-request for request in requests]

    group_commit = CommitQueue(execute, 4)

    def client(number):
        for k in range(40):
            request = number * 1000 + k
            assert group_commit.run([request]) == [-request]

    threads = [threading.Thread(target=client, args=(number,), daemon=True) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    assert sorted(done) == [number * 1000 + k for number in range(24) for k in range(40)]
    assert 1 < max(most) <= 4 and group_commit.leaders == 0


def test_an_interrupted_leader_to_be_hands_over():
    group_commit = CommitQueue(lambda requests: requests, 1)
    group_commit.leaders = 1  # somebody is at work
    done = []
    waiting = threading.Thread(target=lambda: done.append(group_commit.run(["second"])))
    job = _Job(["first"])
    group_commit._queue.append(job)
    waiting.start()
    wait_until(lambda: len(group_commit._queue) == 2)
    group_commit._hand_over()
    assert job.leads
    group_commit._abandon(job)
    waiting.join(PATIENCE_SECONDS)
    assert done == [["second"]] and group_commit.run(["third"]) == ["third"]


def test_one_bad_request_does_not_hurt_the_others():
    gate = threading.Event()

    def execute(requests):
        gate.wait()
        return [1 // request for request in requests]

    group_commit, results = CommitQueue(execute, 1), {}

    def client(number):
        try:
            results[number] = group_commit.run([number])
        except ZeroDivisionError:
            results[number] = "failed"

    threads = [threading.Thread(target=client, args=(number,)) for number in (1, 0, 1.5, 2)]
    for thread in threads:
        thread.start()
    gate.set()
    for thread in threads:
        thread.join()
    assert results == {1: [1], 0: "failed", 1.5: [0.0], 2: [0]}
