# What the programs for Python have in common.
import asyncio
import base64
import json
import os
import pathlib

from pydantic import BaseModel

base, key, wishes = os.environ["BASE"], os.environ["KEY"], json.loads(os.environ["WISHES"])
url = f"{base}/v1"
claude, gpt = "claude-sonnet-4-6", "openai/gpt-5-mini"
say, use, as_json, long = wishes["say"], wishes["tool"], wishes["json"], wishes["long"]
png = base64.b64encode(pathlib.Path(__file__).with_name("pixel.png").read_bytes()).decode()
data_url = f"data:image/png;base64,{png}"

# A client keeps to the loop that it was first used in.
wait = asyncio.new_event_loop().run_until_complete


class Answer(BaseModel):
    answer: float


def user(content):
    return [{"role": "user", "content": content}]


def left(stream):
    """Goes after the first part that comes."""
    for _ in stream:
        getattr(stream, "close", lambda: None)()
        return "left"
    return "nothing came"


def run_all(checks):
    """Prints one line of JSON a check; only the first of each library where that is asked."""
    ran = set()
    for (name, check), run in checks.items():
        if os.environ["CHECKS"] == "first" and name in ran:
            continue
        ran.add(name)
        try:
            said = run()
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
        print(json.dumps({"client": name, "check": check, "said": said}), flush=True)
