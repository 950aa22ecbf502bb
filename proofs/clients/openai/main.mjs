// OpenAI's SDK for Node, with the difficult streams and errors of scripted providers.
import OpenAI from 'openai'

const { BASE, KEY, POOR, CASES } = process.env
const city = { type: 'object', properties: { city: { type: 'string' } } }
const names = ['weather', 'time']
const clientWith = (apiKey) => new OpenAI({ baseURL: `${BASE}/v1`, apiKey, maxRetries: 0 })

const ask = {
  async chat(client, model, words) {
    const tools = names.map((name) => ({ type: 'function', function: { name, parameters: city } }))
    const messages = [{ role: 'user', content: words }]
    const stream = client.chat.completions.stream({ model, messages, tools, stream_options: { include_usage: true } })
    const { choices, usage } = await stream.finalChatCompletion()
    const { content, tool_calls: calls = [] } = choices[0].message
    const made = calls.map(({ function: { name, arguments: given } }) => ({ name, arguments: given }))
    return { text: content ?? '', calls: made, total: usage.total_tokens }
  },
  async responses(client, model, input) {
    const tools = names.map((name) => ({ type: 'function', name, parameters: city, strict: false }))
    const made = { text: '', calls: [], total: 0 }
    for await (const event of await client.responses.create({ model, input, tools, stream: true })) {
      if (event.type === 'response.output_text.delta') made.text += event.delta
      if (event.type === 'response.output_item.done' && event.item.type === 'function_call')
        made.calls.push({ name: event.item.name, arguments: event.item.arguments })
      if (event.type === 'response.completed') made.total = event.response.usage.total_tokens
    }
    return made
  },
  none: (client) => client.post('/nothing-here', { body: {} }),
}

const [rich, poor] = [clientWith(KEY), clientWith(POOR)]
for (const { check, format, model, words, wallet } of JSON.parse(CASES)) {
  const made = await ask[format](wallet === 'empty' ? poor : rich, model, words).catch((error) =>
    error instanceof OpenAI.APIError && error.status
      ? { status: error.status, code: error.code, message: error.error?.message }
      : `${error.name}: ${error.message}`,
  )
  console.log(JSON.stringify({ check, said: JSON.stringify(made) }))
}
