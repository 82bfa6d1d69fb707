# SPDX-License-Identifier: Apache-2.0
"""Whether files are traces as Chrome's format document has them: check_trace.py FILE..."""
import json
import sys

NUMBER = (int, float)


def check_event(event):
    """What each phase needs."""
    phase = event["ph"]
    assert phase in "XiMsf", event
    assert isinstance(event["name"], str) and isinstance(event["ts"], NUMBER), event
    assert "pid" in event and "tid" in event, event
    if phase == "X":
        assert isinstance(event["dur"], NUMBER) and event["dur"] >= 0, event
    if phase == "i":
        assert event["s"] == "t" and isinstance(event["args"]["Bytes"], int), event
    if phase == "M":
        assert isinstance(event["args"]["name"], str), event
    if phase in "sf":
        assert isinstance(event["id"], int), event


def us(event):
    """Start and end in whole nanoseconds: sums of floats would not be exact."""
    start = round(event["ts"] * 1000)
    return start, start + round(event.get("dur", 0) * 1000)


def check_nesting(events):
    """Of two records of a thread one lies in the other, or they do not meet."""
    open_ends = []
    for event in sorted(events, key=lambda e: (us(e)[0], -us(e)[1])):
        start, end = us(event)
        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
        assert not open_ends or end <= open_ends[-1], event
        open_ends.append(end)


def check_arrows(events, records):
    """Pairs of s and f, the latter later, each at the start of a record of its thread."""
    starts = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = {e["id"]: e for e in events if e["ph"] == "f"}
    assert starts and starts.keys() == ends.keys()
    places = {(e["tid"], us(e)[0]): e for e in records}
    for number, start in starts.items():
        end = ends[number]
        assert end["bp"] == "e" and us(start)[0] <= us(end)[0]
        forward = places[start["tid"], us(start)[0]]
        backward = places[end["tid"], us(end)[0]]
        assert forward["args"]["Sequence number"] == backward["args"]["Sequence number"]
        assert backward["name"].endswith("Backward0"), backward


def check(path):
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    events = trace
    if isinstance(trace, dict):
        assert trace["schemaVersion"] == 1 and trace["displayTimeUnit"] == "ms"
        assert trace["record_shapes"] == trace["profile_memory"] == trace["with_stack"] == 1
        assert isinstance(trace["baseTimeNanoseconds"], int)
        events = trace["traceEvents"]
    for event in events:
        check_event(event)
    records = [e for e in events if e["ph"] == "X" and e["cat"] != "Trace"]
    threads = {e["tid"] for e in records}
    named = {e["tid"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    assert len(threads) == 2 and threads <= named, (threads, named)
    for thread in threads:
        check_nesting([e for e in records if e["tid"] == thread])
    check_arrows(events, records)
    mul = next(e for e in records if e["name"] == "aten::mul")
    assert mul["args"]["Input Dims"] == [[2], [2]] and mul["args"]["Input type"] == ["float"] * 2
    labels = [e["name"] for e in records if e["cat"] == "user_annotation"]
    assert labels == ['quoted "name" \\ \n '], labels
    print(f"{path}: {len(events)} events, {len(records)} records, good")


for name in sys.argv[1:]:
    check(name)
