"""What the OpenAI Python client sees through the gateway. Usage: openai_client.py BASE_URL MODEL"""

import sys

import openai

base, model = sys.argv[1], sys.argv[2]
client = openai.OpenAI(base_url=base + "/v1", api_key="any", max_retries=0, timeout=30)
messages = [{"role": "user", "content": "count to three"}]
passed = 0


def check(name: str, ok: bool, seen: object) -> None:
    global passed
    if not ok:
        sys.exit(f"FAILED {name}: {seen!r}")
    passed += 1


answer = client.chat.completions.create(model=model, messages=messages, max_tokens=8)
check("chat", bool(answer.choices[0].message.content) and answer.usage.completion_tokens == 8, answer)

stream = client.chat.completions.create(
    model=model, messages=messages, max_tokens=8, stream=True, stream_options={"include_usage": True}
)
events = list(stream)
text = "".join(e.choices[0].delta.content or "" for e in events if e.choices)
check("chat stream", bool(text) and events[-1].usage is not None, events)

answer = client.completions.create(model=model, prompt="once upon a time", max_tokens=4)
check("completion", bool(answer.choices[0].text), answer)

answer = client.embeddings.create(model=model, input=["a", "b"], encoding_format="float")
check("embeddings", len(answer.data) == 2, answer)

names = [m.id for m in client.models.list()]
check("models", model in names, names)

raw = client.chat.completions.with_raw_response.create(model=model, messages=messages, max_tokens=2)
check("worker header", "x-kvgate-worker" in raw.headers, dict(raw.headers))

try:
    client.chat.completions.create(model="no-such-model", messages=messages)
    check("unknown model", False, "no error")
except openai.NotFoundError as e:
    check("unknown model", e.code == "model_not_found", e)

with client.chat.completions.create(model=model, messages=messages, max_tokens=500, stream=True) as stream:
    next(iter(stream))
check("left early", True, None)

if len(sys.argv) > 3:
    try:
        list(client.chat.completions.create(model=sys.argv[3], messages=messages, stream=True))
        check("broken stream", False, "ended as if complete")
    except openai.APIError as e:
        check("broken stream", e.code == "upstream_reset", e)

print(f"openai-python {openai.__version__}: {passed} passed, 0 failed")
