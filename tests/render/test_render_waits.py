"""What a page waits for, as it is counted."""

from __future__ import annotations

import asyncio
from typing import Any

from everlog.render.pending import PULSE, PendingRequests

MAIN, FRAME = "main", "frame"


def sent(number: str, kind: str = "Fetch", *, frame: str = MAIN, loader: str = "d", url: str = "https://a.blog/x"):
    request = {"method": "GET", "url": url, "headers": {}}
    return {"requestId": number, "type": kind, "frameId": frame, "loaderId": loader, "request": request}


def asked(number: str, kind: str = "XHR", url: str = "https://a.blog/x"):
    request = {"method": "GET", "url": url, "headers": {}}
    return {"requestId": f"job-{number}", "networkId": number, "resourceType": kind, "request": request}


def told(story) -> Any:
    """What a story about a page gives; waits belong to a loop."""
    async def telling():
        return story(PendingRequests(MAIN))

    return asyncio.run(telling())


def test_a_page_is_waited_for_from_before_its_request_comes_up_until_its_answer_is_read():
    def story(waits):
        seen = [waits.is_idle]
        for step, event in ((waits.sent, sent("1")), (waits.requested, asked("1")), (waits.answered, asked("1")),
                            (waits.taken, sent("1"))):
            step(event)
            seen.append((waits.is_answered, waits.is_idle))
        return seen

    assert told(story) == [True, (True, False), (False, False), (True, False), (True, True)]


def test_each_step_is_a_stir_and_what_nobody_waits_for_is_none():
    def story(waits):
        counts = []
        for step, event in ((waits.sent, sent("1")), (waits.taken, sent("1")), (waits.taken, sent("1")),
                            (waits.sent, sent("2", "Ping")), (waits.sent, sent("w", "Script", loader="")),
                            (waits.requested, asked("2", "Ping")), (waits.answered, asked("2", "Ping"))):
            before = waits.stirs
            step(event)
            counts.append(waits.stirs - before)
        return counts, waits.is_idle

    assert told(story) == ([1, 1, 0, 0, 0, 0, 0], True)


def test_a_pulse_is_not_waited_for_until_something_was_clicked():
    def story(waits):
        for number in range(PULSE):
            waits.sent(sent(f"{number}"))
            waits.taken(sent(f"{number}"))
            waits.requested(asked(f"{number}"))
            waits.answered(asked(f"{number}"))
        waits.sent(sent("late"))
        waits.requested(asked("late"))
        idle = [waits.is_idle]
        waits.new_round()
        waits.sent(sent("again"))
        return [*idle, waits.is_idle]

    assert told(story) == [True, False]


def test_a_request_that_came_up_before_it_was_told_of_can_be_one_nobody_waits_for():
    def story(waits):
        waits.requested(asked("1", "Media"))
        waits.sent(sent("1"))
        return waits.is_idle

    assert told(story)


def test_what_was_given_up_or_went_with_its_frame_is_not_waited_for():
    def story(waits):
        waits.sent(sent("1"))
        waits.requested(asked("1"))
        waits.give_up()
        given_up = waits.is_idle
        waits.sent(sent("2", "Document", frame=FRAME))
        waits.left({FRAME})
        return given_up, waits.is_idle

    assert told(story) == (True, True)


def test_the_page_itself_is_waited_for_and_where_it_wants_to_go_instead_is_not():
    def story(waits):
        waits.sent(sent("page", "Document"))
        first = waits.is_idle
        waits.taken(sent("page", "Document"))
        waits.sent(sent("away", "Document"))
        return first, waits.is_idle

    assert told(story) == (False, True)


def test_who_waits_is_told_when_all_was_taken():
    async def story():
        waits = PendingRequests(MAIN)
        waits.sent(sent("1"))
        waiting = asyncio.ensure_future(waits.idle())
        await asyncio.sleep(0)
        before = waiting.done()
        waits.taken(sent("1"))
        await waiting
        return before

    assert asyncio.run(story()) is False
