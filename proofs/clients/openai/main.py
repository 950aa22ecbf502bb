# OpenAI's SDK for Python, in streams and errors that scripted providers make hard.
import json
import os

import openai

city = {"type": "object", "properties": {"city": {"type": "string"}}}
names = ["weather", "time"]


def client_with(key):
    return openai.OpenAI(base_url=os.environ["BASE"] + "/v1", api_key=key, max_retries=0)


def chat(client, model, words):
    tools = [{"type": "function", "function": {"name": name, "parameters": city}} for name in names]
    asked = {"model": model, "messages": [{"role": "user", "content": words}], "tools": tools}
    with client.chat.completions.stream(**asked, stream_options={"include_usage": True}) as stream:
        answer = stream.get_final_completion()
    message = answer.choices[0].message
    calls = [{"name": each.function.name, "arguments": each.function.arguments} for each in message.tool_calls or []]
    return {"text": message.content or "", "calls": calls, "total": answer.usage.total_tokens}


def respond(client, model, words):
    tools = [{"type": "function", "name": name, "parameters": city, "strict": False} for name in names]
    made = {"text": "", "calls": [], "total": 0}
    for event in client.responses.create(model=model, input=words, tools=tools, stream=True):
        if event.type == "response.output_text.delta":
            made["text"] += event.delta
        if event.type == "response.output_item.done" and event.item.type == "function_call":
            made["calls"].append({"name": event.item.name, "arguments": event.item.arguments})
        if event.type == "response.completed":
            made["total"] = event.response.usage.total_tokens
    return made


def nothing(client, model, words):
    return client.post("/nothing-here", body={}, cast_to=object)


rich, poor = client_with(os.environ["KEY"]), client_with(os.environ["POOR"])
ask = {"chat": chat, "responses": respond, "none": nothing}
for each in json.loads(os.environ["CASES"]):
    try:
        client = poor if each["wallet"] == "empty" else rich
        made = ask[each["format"]](client, each["model"], each["words"])
    except openai.APIStatusError as error:
        made = {"status": error.status_code, "code": error.code, "message": (error.body or {}).get("message")}
    except Exception as error:
        made = f"{type(error).__name__}: {error}"
    print(json.dumps({"check": each["check"], "said": json.dumps(made)}), flush=True)
