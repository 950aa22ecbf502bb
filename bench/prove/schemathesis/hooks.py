"""
Sends requests as callers of a pool. A thread keeps its caller for some requests, so that what one makes it can use in the
next, and leaves it early where its rate window is used up or its session or token has ended.
"""

import itertools
import json
import os
import threading

import schemathesis

with open(os.environ["CALLERS"]) as file:
    callers = itertools.cycle(json.load(file))
lock = threading.Lock()
own = threading.local()
statuses = {}
if os.path.exists(os.environ["STATUSES"]):
    with open(os.environ["STATUSES"]) as file:
        statuses = json.load(file)


@schemathesis.hook
def before_call(context, case, kwargs):
    if getattr(own, "left", 0) <= 0:
        with lock:
            own.caller = next(callers)
        own.left = 40
    own.left -= 1
    case.headers.update(own.caller)


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code in (401, 429):
        own.left = 0
    with lock:
        counted = statuses.setdefault(f"{case.method} {case.path}", {})
        status = str(response.status_code)
        counted[status] = counted.get(status, 0) + 1
        if sum(counted.values()) % 50 == 0:
            with open(os.environ["STATUSES"], "w") as file:
                json.dump(statuses, file)
