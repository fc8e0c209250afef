// What the OpenAI Node client sees through the gateway. Usage: openai_client.mjs BASE_URL MODEL [BROKEN_MODEL]
import OpenAI from "openai";

const [base, model, broken] = process.argv.slice(2);
const client = new OpenAI({ baseURL: base + "/v1", apiKey: "any", maxRetries: 0, timeout: 30_000 });
const messages = [{ role: "user", content: "count to three" }];
let passed = 0;

function check(name, ok, seen) {
  if (!ok) {
    console.error(`FAILED ${name}:`, seen);
    process.exit(1);
  }
  passed++;
}

const answer = await client.chat.completions.create({ model, messages, max_tokens: 8 });
check("chat", answer.choices[0].message.content && answer.usage.completion_tokens === 8, answer);

let text = "";
let usage = null;
for await (const event of await client.chat.completions.create({
  model, messages, max_tokens: 8, stream: true, stream_options: { include_usage: true },
})) {
  text += event.choices[0]?.delta?.content ?? "";
  usage = event.usage ?? usage;
}
check("chat stream", text && usage, { text, usage });

const embeddings = await client.embeddings.create({ model, input: ["a", "b"], encoding_format: "float" });
check("embeddings", embeddings.data.length === 2, embeddings);

try {
  await client.chat.completions.create({ model: "no-such-model", messages });
  check("unknown model", false, "no error");
} catch (e) {
  check("unknown model", e.status === 404 && e.code === "model_not_found", e);
}

const left = await client.chat.completions.create({ model, messages, max_tokens: 500, stream: true });
for await (const _ of left) break;
check("left early", true);

if (broken) {
  try {
    for await (const _ of await client.chat.completions.create({ model: broken, messages, stream: true }));
    check("broken stream", false, "ended as if complete");
  } catch (e) {
    check("broken stream", e.code === "upstream_reset", e);
  }
}
console.log(`openai-node: ${passed} passed, 0 failed`);
