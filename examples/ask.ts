/** Sends the agent a question and prints the reply: `node ask.ts 'When is the tide?'`. */
const { BERTH_URL: url = 'http://127.0.0.1:8787', BERTH_TOKEN: token } = process.env
const question = process.argv.slice(2).join(' ')
if (!token || !question) {
  console.error('Set BERTH_TOKEN, and give the question as an argument.')
  process.exit(2)
}

interface Message {
  id: string
  text: string
  inReplyTo?: string
}
interface Event {
  id: string
  type: string
  data: { message: Message }
}

async function call(path: string, body?: object, headers?: Record<string, string>): Promise<Response> {
  const response = await fetch(`${url}/api${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (response.ok) return response
  const { error, message } = (await response.json()) as { error: string; message: string } // safe because errors have this shape
  console.error(`${error}: ${message}`)
  process.exit(1)
}

/** The events of a stream of server-sent events. */
async function* eventsOf({ body }: Response): AsyncGenerator<Event> {
  let rest = ''
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (data) yield JSON.parse(data) as Event // safe because the stream carries events
    }
  }
}

// The stream opens before the question is sent, so that the reply cannot be missed.
let stream = await call('/events')
const sent = await call('/chat/messages', { text: question })
const { message, waiting } = (await sent.json()) as { message: Message; waiting: { message: string } | null } // safe because the reference says so
if (waiting) {
  console.error(waiting.message)
  process.exit(1)
}
let last = ''
for (;;) {
  for await (const { id, type, data } of eventsOf(stream)) {
    last = id
    if (type !== 'message.sent' || data.message.inReplyTo !== message.id) continue
    console.log(data.message.text)
    process.exit(0)
  }
  // A stream ends after a while. The next one continues after the last event.
  stream = await call('/events', undefined, { 'last-event-id': last })
}
