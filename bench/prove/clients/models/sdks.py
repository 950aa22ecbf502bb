# The SDKs for Python, each through what it is for. Prints one line of JSON a check.
import json
import os

import anthropic
import instructor
import litellm
import openai
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

base, key, wishes = os.environ["BASE"], os.environ["KEY"], json.loads(os.environ["WISHES"])
claude, gpt = "claude-sonnet-4-6", "openai/gpt-5-mini"
litellm.suppress_debug_info = True
city = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


class Answer(BaseModel):
    answer: float


def weather(city: str) -> str:
    return city


def user(text):
    return [{"role": "user", "content": text}]


client = openai.OpenAI(base_url=f"{base}/v1", api_key=key, max_retries=0)
claude_client = anthropic.Anthropic(base_url=base, api_key=key, max_retries=0)
say, use, as_json = wishes["say"], wishes["tool"], wishes["json"]
tools = [{"type": "function", "function": {"name": "weather", "parameters": city}}]
lite = {"model": f"openai/{gpt}", "api_base": f"{base}/v1", "api_key": key, "num_retries": 0}
agents = {
    "pydantic-ai, chat": OpenAIChatModel(gpt, provider=OpenAIProvider(openai_client=openai.AsyncOpenAI(base_url=f"{base}/v1", api_key=key, max_retries=0))),
}
checks = {
    ("openai (Python), chat", "text"): lambda: client.chat.completions.create(model=gpt, messages=user(say)).choices[0].message.content,
    ("openai (Python), chat", "stream"): lambda: "".join((c.choices[0].delta.content or "") if c.choices else "" for c in client.chat.completions.create(model=gpt, messages=user(say), stream=True)),
    ("openai (Python), chat", "tools"): lambda: client.chat.completions.create(model=gpt, messages=user(use), tools=tools).choices[0].message.tool_calls[0].function.arguments,
    ("openai (Python), chat", "json"): lambda: client.chat.completions.parse(model=gpt, messages=user(as_json), response_format=Answer).choices[0].message.parsed.model_dump_json(),
    ("openai (Python), responses", "text"): lambda: client.responses.create(model=gpt, input=say).output_text,
    ("openai (Python), responses", "json"): lambda: client.responses.parse(model=gpt, input=as_json, text_format=Answer).output_parsed.model_dump_json(),
    ("anthropic (Python)", "text"): lambda: claude_client.messages.create(model=claude, max_tokens=500, messages=user(say)).content[0].text,
    ("anthropic (Python)", "stream"): lambda: claude_client.messages.stream(model=claude, max_tokens=500, messages=user(say)).__enter__().get_final_message().content[0].text,
    ("anthropic (Python)", "tools"): lambda: json.dumps(claude_client.messages.create(model=claude, max_tokens=500, messages=user(use), tools=[{"name": "weather", "input_schema": city}]).content[0].input),
    ("anthropic (Python)", "json"): lambda: claude_client.messages.parse(model=claude, max_tokens=500, messages=user(as_json), output_format=Answer).parsed_output.model_dump_json(),
    ("litellm", "text"): lambda: litellm.completion(messages=user(say), **lite).choices[0].message.content,
    ("litellm", "stream"): lambda: "".join(c.choices[0].delta.content or "" for c in litellm.completion(messages=user(say), stream=True, **lite)),
    ("litellm", "tools"): lambda: litellm.completion(messages=user(use), tools=tools, **lite).choices[0].message.tool_calls[0].function.arguments,
    ("instructor", "json"): lambda: instructor.from_openai(client, mode=instructor.Mode.JSON_SCHEMA).chat.completions.create(model=gpt, messages=user(as_json), response_model=Answer, max_retries=0).model_dump_json(),
    **{(name, "text"): (lambda model=model: Agent(model).run_sync(say).output) for name, model in agents.items()},
    **{(name, "tools"): (lambda model=model: Agent(model, tools=[weather]).run_sync(use).output) for name, model in agents.items()},
}
for (name, check), run in checks.items():
    try:
        said = run()
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    print(json.dumps({"client": name, "check": check, "said": said}), flush=True)
