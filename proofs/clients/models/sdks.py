# The SDKs for Python, each through what it is for.
import json

import anthropic
import instructor
import litellm
import openai
from checks import Answer, as_json, base, claude, data_url, gpt, key, left, long, png, run_all, say, url, use, user, wait
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

litellm.suppress_debug_info = True
city = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
tools = [{"type": "function", "function": {"name": "weather", "parameters": city}}]


def weather(city: str) -> str:
    return city


openai_client = openai.OpenAI(base_url=url, api_key=key, max_retries=0)
anthropic_client = anthropic.Anthropic(base_url=base, auth_token=key, api_key=None, max_retries=0)
seen = user([{"type": "text", "text": say}, {"type": "image_url", "image_url": {"url": data_url}}])


def chat(words, **more):
    return openai_client.chat.completions.create(model=gpt, messages=words, **more)


def joined(stream):
    return "".join((chunk.choices[0].delta.content or "") if chunk.choices else "" for chunk in stream)


def respond(words, **more):
    return openai_client.responses.create(model=gpt, input=words, **more)


def message(words, **more):
    return anthropic_client.messages.create(model=claude, max_tokens=500, messages=words, **more)


def claude_stream(words):
    return anthropic_client.messages.stream(model=claude, max_tokens=500, messages=user(words)).__enter__()


def lite(words, **more):
    return litellm.completion(model=f"openai/{gpt}", api_base=url, api_key=key, num_retries=0, messages=words, **more)


patched = instructor.from_openai(openai_client, mode=instructor.Mode.JSON_SCHEMA).chat.completions


def made(words, **more):
    return patched.create(model=gpt, messages=words, response_model=Answer, max_retries=0, **more)


def partial(words):
    return patched.create_partial(model=gpt, messages=words, response_model=Answer, max_retries=0)


image_block = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": png}}
checks = {
    ("openai (Python), chat", "text"): lambda: chat(user(say)).choices[0].message.content,
    ("openai (Python), chat", "stream"): lambda: joined(chat(user(say), stream=True)),
    ("openai (Python), chat", "tools"): lambda: chat(user(use), tools=tools).choices[0].message.tool_calls[0].function.arguments,
    ("openai (Python), chat", "json"): lambda: openai_client.chat.completions.parse(model=gpt, messages=user(as_json), response_format=Answer).choices[0].message.parsed.model_dump_json(),
    ("openai (Python), chat", "image"): lambda: chat(seen).choices[0].message.content,
    ("openai (Python), chat", "cancel"): lambda: left(chat(user(long), stream=True)),
    ("openai (Python), responses", "text"): lambda: respond(say).output_text,
    ("openai (Python), responses", "stream"): lambda: "".join(event.delta for event in respond(say, stream=True) if event.type == "response.output_text.delta"),
    ("openai (Python), responses", "tools"): lambda: respond(use, tools=[{"type": "function", "name": "weather", "parameters": city, "strict": False}]).output[0].arguments,
    ("openai (Python), responses", "json"): lambda: openai_client.responses.parse(model=gpt, input=as_json, text_format=Answer).output_parsed.model_dump_json(),
    ("openai (Python), responses", "image"): lambda: respond(user([{"type": "input_text", "text": say}, {"type": "input_image", "image_url": data_url, "detail": "auto"}])).output_text,
    ("openai (Python), responses", "cancel"): lambda: left(respond(long, stream=True)),
    ("anthropic (Python)", "text"): lambda: message(user(say)).content[0].text,
    ("anthropic (Python)", "stream"): lambda: claude_stream(say).get_final_message().content[0].text,
    ("anthropic (Python)", "tools"): lambda: json.dumps(message(user(use), tools=[{"name": "weather", "input_schema": city}]).content[0].input),
    ("anthropic (Python)", "json"): lambda: anthropic_client.messages.parse(model=claude, max_tokens=500, messages=user(as_json), output_format=Answer).parsed_output.model_dump_json(),
    ("anthropic (Python)", "image"): lambda: message(user([{"type": "text", "text": say}, image_block])).content[0].text,
    ("anthropic (Python)", "cancel"): lambda: left(claude_stream(long)),
    ("litellm", "text"): lambda: lite(user(say)).choices[0].message.content,
    ("litellm", "stream"): lambda: joined(lite(user(say), stream=True)),
    ("litellm", "tools"): lambda: lite(user(use), tools=tools).choices[0].message.tool_calls[0].function.arguments,
    ("litellm", "json"): lambda: lite(user(as_json), response_format=Answer).choices[0].message.content,
    ("litellm", "image"): lambda: lite(seen).choices[0].message.content,
    ("litellm", "cancel"): lambda: left(lite(user(long), stream=True)),
    ("instructor", "json"): lambda: made(user(as_json)).model_dump_json(),
    ("instructor", "stream"): lambda: list(partial(user(as_json)))[-1].model_dump_json(),
    ("instructor", "image"): lambda: made(user([as_json, instructor.Image.from_base64(data_url)])).model_dump_json(),
    ("instructor", "cancel"): lambda: left(partial(user(f"{as_json} {long}"))),
}


async def asked(model, words, **more):
    return (await Agent(model, **more).run(words)).output


async def streamed(model, words, leave=False):
    said = ""
    async with Agent(model).run_stream(words) as answer:
        async for part in answer.stream_text(delta=True, debounce_by=None):
            if leave:
                await answer.cancel()
                return "left"
            said += part
    return said


provider = OpenAIProvider(openai_client=openai.AsyncOpenAI(base_url=url, api_key=key, max_retries=0))
for name, model in {"chat": OpenAIChatModel(gpt, provider=provider), "responses": OpenAIResponsesModel(gpt, provider=provider)}.items():
    checks |= {
        (f"pydantic-ai, {name}", "text"): lambda model=model: wait(asked(model, say)),
        (f"pydantic-ai, {name}", "stream"): lambda model=model: wait(streamed(model, say)),
        (f"pydantic-ai, {name}", "tools"): lambda model=model: wait(asked(model, use, tools=[weather])),
        (f"pydantic-ai, {name}", "json"): lambda model=model: wait(asked(model, as_json, output_type=Answer)).model_dump_json(),
        (f"pydantic-ai, {name}", "image"): lambda model=model: wait(asked(model, [say, BinaryContent.from_data_uri(data_url)])),
        (f"pydantic-ai, {name}", "cancel"): lambda model=model: wait(streamed(model, long, leave=True)),
    }
run_all(checks)
