"""
Sends requests as callers of a pool. A thread keeps its caller for some requests, so that what one makes it can use in the
next, and leaves it early where its rate window is used up or its session or token has ended. What only machines may do is
asked by machines, but for each fourth time. Each second model call is of a model that is there, with words for it, beside
whatever else was made up for it.
"""

import itertools
import json
import os
import threading

import schemathesis

with open(os.environ["CALLERS"]) as file:
    pool = json.load(file)
people = itertools.cycle(pool["people"])
machines = itertools.cycle(pool["machines"])
lock = threading.Lock()
own = threading.local()
statuses = {}
if os.path.exists(os.environ["STATUSES"]):
    with open(os.environ["STATUSES"]) as file:
        statuses = json.load(file)


said = [{"role": "user", "content": "hello"}]
words = {
    "embeddings": {"model": "local/echo-embedding", "input": "hello"},
    "responses": {"model": "local/echo", "input": "hello"},
    "completions": {"model": "local/echo", "messages": said},
    "messages": {"model": "local/echo", "messages": said, "max_tokens": 50},
    "proxy": {"model": "local/echo", "messages": said},
}


def caller_of(path):
    if own.left % 4:
        for start in sorted(own.machine, reverse=True):
            if path.startswith(start):
                return own.machine[start]
    return own.person


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Allows only the statuses that the text of `default` names, as `default` itself would allow any status at all."""
    for methods in raw_schema["paths"].values():
        for operation in methods.values():
            responses = operation["responses"]
            if otherwise := responses.pop("default", None):
                for status in ("414", "415", "417"):
                    responses.setdefault(status, otherwise)


@schemathesis.hook
def before_call(context, case, kwargs):
    if getattr(own, "left", 0) <= 0:
        with lock:
            own.person, own.machine = next(people), next(machines)
        own.left = 40
    own.left -= 1
    case.headers.update(caller_of(case.path))
    if case.path == "/agent/prompt" and case.query:
        case.query.pop("wait", None)  # A wait for work that nobody gives takes its time.
    if isinstance(case.body, dict) and own.left % 2 and case.path.startswith(("/llm/", "/v1/")):
        case.body |= words.get(case.path.rsplit("/", 1)[1], {})


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code == 429 or (response.status_code == 401 and own.left % 4):
        own.left = 0
    with lock:
        counted = statuses.setdefault(f"{case.method} {case.path}", {})
        status = str(response.status_code)
        counted[status] = counted.get(status, 0) + 1
        if sum(counted.values()) % 50 == 0:
            with open(os.environ["STATUSES"], "w") as file:
                json.dump(statuses, file)
