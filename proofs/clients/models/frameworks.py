# Frameworks for Python, each through what it is for.
import json

import openai
from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from checks import Answer, as_json, base, claude, data_url, gpt, key, left, long, run_all, say, url, use, user, wait
from langchain_anthropic import ChatAnthropic
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

set_tracing_disabled(True)


@tool
def weather(city: str) -> str:
    """The weather"""
    return city


@function_tool
def weather_now(city: str) -> str:
    """The weather"""
    return city


chains = {
    "langchain-openai (Python)": ChatOpenAI(model=gpt, base_url=url, api_key=key, max_retries=0),
    "langchain-anthropic (Python)": ChatAnthropic(model=claude, base_url=base, api_key=key, max_retries=0),
}
seen = user([{"type": "text", "text": say}, {"type": "image_url", "image_url": {"url": data_url}}])
checks = {}
for name, model in chains.items():
    checks |= {
        (name, "text"): lambda model=model: model.invoke(say).text,
        (name, "stream"): lambda model=model: "".join(chunk.text for chunk in model.stream(say)),
        (name, "tools"): lambda model=model: json.dumps(model.bind_tools([weather]).invoke(use).tool_calls),
        (name, "json"): lambda model=model: model.with_structured_output(Answer).invoke(as_json).model_dump_json(),
        (name, "image"): lambda model=model: model.invoke(seen).text,
        (name, "cancel"): lambda model=model: left(model.stream(long)),
    }


def ask(model, words, **more):
    return wait(Runner.run(Agent(name="prove", model=model, **more), words)).final_output


async def streamed(model, words, leave=False):
    said = ""
    answer = Runner.run_streamed(Agent(name="prove", model=model), words)
    async for event in answer.stream_events():
        if event.type != "raw_response_event" or event.data.type != "response.output_text.delta":
            continue
        if leave:
            answer.cancel()
            return "left"
        said += event.data.delta
    return said


shown = user([{"type": "input_text", "text": say}, {"type": "input_image", "image_url": data_url, "detail": "auto"}])
for kind, made in (("responses", OpenAIResponsesModel), ("chat", OpenAIChatCompletionsModel)):
    name = f"openai-agents (Python), {kind}"
    model = made(model=gpt, openai_client=openai.AsyncOpenAI(base_url=url, api_key=key, max_retries=0))
    checks |= {
        (name, "text"): lambda model=model: ask(model, say),
        (name, "stream"): lambda model=model: wait(streamed(model, say)),
        (name, "tools"): lambda model=model: ask(model, use, tools=[weather_now]),
        (name, "json"): lambda model=model: ask(model, as_json, output_type=Answer).model_dump_json(),
        (name, "image"): lambda model=model: ask(model, shown),
        (name, "cancel"): lambda model=model: wait(streamed(model, long, leave=True)),
    }
run_all(checks)
