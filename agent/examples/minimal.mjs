// A whole runtime in some forty lines: take a prompt, ask the model, reply once, close. Run it with
// BERTH_RUNTIME="node agent/examples/minimal.mjs". It keeps nothing, so after a crash it thinks anew.
const { BERTH_LOOPBACK, BERTH_LOOPBACK_KEY, OPENAI_BASE_URL } = process.env
const headers = { authorization: `Bearer ${BERTH_LOOPBACK_KEY}`, 'content-type': 'application/json' }
let stopping = false
process.on('SIGTERM', () => {
  stopping = true
  if (!busy) process.exit(0)
})
process.stdin.resume().on('close', () => process.exit(1))

async function ask(url, body) {
  const response = await fetch(url, { method: body ? 'POST' : 'GET', headers, body: body && JSON.stringify(body) })
  return { status: response.status, ...(await response.json()) }
}
const wait = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

/** `turn` proves what started it; without it a call counts as a heartbeat. */
async function think(messages, turn, waits = [4, 8, 16, 32]) {
  headers['x-berth-turn'] = turn
  const answer = await ask(`${OPENAI_BASE_URL}/chat/completions`, { model: 'default', messages })
  if (answer.status === 200) return [answer.choices[0].message.content, 'completed']
  if (answer.status === 402) return [answer.message, 'needs_input']
  if (waits.length === 0) return ['I cannot answer at the moment. Please try again later.', 'failed']
  await wait((answer.retryAfterSeconds ?? waits[0]) * Number(process.env.BERTH_BACKOFF_SCALE ?? 1))
  return think(messages, turn, waits.slice(1))
}

let busy = false
while (!stopping) {
  const { prompt } = await ask(`${BERTH_LOOPBACK}/agent/prompt?wait=20`)
  if (!prompt) continue
  busy = true
  const { reply, history, turn } = await ask(`${BERTH_LOOPBACK}/agent/context?prompt=${prompt.id}`)
  const messages = [...(history ?? []), prompt].map((message) => ({
    role: message.role === 'agent' ? 'assistant' : 'user',
    content: [message.text, ...(message.attachments ?? []).map(({ path, name }) => `[Attached: ${path ?? name}]`)].join(
      '\n',
    ),
  }))
  const [text, outcome] = reply ? [reply.text, 'completed'] : await think(messages, turn)
  await ask(`${BERTH_LOOPBACK}/agent/observe`, { kind: 'reply', promptId: prompt.id, text })
  await ask(`${BERTH_LOOPBACK}/agent/feedback`, { promptId: prompt.id, outcome })
  busy = false
}
process.exit(0)
