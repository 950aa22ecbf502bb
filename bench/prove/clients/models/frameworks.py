# Frameworks for Python, each through what it is for. Prints one line of JSON a check.
import json
import os

import openai
from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from langchain_anthropic import ChatAnthropic
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

base, key, wishes = os.environ["BASE"], os.environ["KEY"], json.loads(os.environ["WISHES"])
claude, gpt = "claude-sonnet-4-6", "openai/gpt-5-mini"
say, use, as_json = wishes["say"], wishes["tool"], wishes["json"]
set_tracing_disabled(True)


class Answer(BaseModel):
    answer: float


@tool
def weather(city: str) -> str:
    """The weather"""
    return city


@function_tool
def weather_now(city: str) -> str:
    """The weather"""
    return city


client = openai.AsyncOpenAI(base_url=f"{base}/v1", api_key=key, max_retries=0)


def ask(model, words, **more):
    return Runner.run_sync(Agent(name="prove", model=model, **more), words).final_output


def left(stream):
    for _ in stream:
        return "left"
    return "nothing came"


chains = {
    "langchain-openai (Python)": ChatOpenAI(model=gpt, base_url=f"{base}/v1", api_key=key, max_retries=0),
    "langchain-anthropic (Python)": ChatAnthropic(model=claude, base_url=base, api_key=key, max_retries=0),
}
checks = {}
for name, model in chains.items():
    checks |= {
        (name, "text"): lambda model=model: model.invoke(say).text,
        (name, "stream"): lambda model=model: "".join(chunk.text for chunk in model.stream(say)),
        (name, "tools"): lambda model=model: json.dumps(model.bind_tools([weather]).invoke(use).tool_calls),
        (name, "cancel"): lambda model=model: left(model.stream(wishes["long"])),
    }
checks["langchain-openai (Python)", "json"] = lambda: chains["langchain-openai (Python)"].with_structured_output(Answer).invoke(as_json).model_dump_json()
for kind, made in (("responses", OpenAIResponsesModel), ("chat", OpenAIChatCompletionsModel)):
    name = f"openai-agents (Python), {kind}"
    model = made(model=gpt, openai_client=client)
    checks |= {
        (name, "text"): lambda model=model: ask(model, say),
        (name, "tools"): lambda model=model: ask(model, use, tools=[weather_now]),
        (name, "json"): lambda model=model: ask(model, as_json, output_type=Answer).model_dump_json(),
    }
for (name, check), run in checks.items():
    try:
        said = run()
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    print(json.dumps({"client": name, "check": check, "said": said}), flush=True)
