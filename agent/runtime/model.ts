import type { RuntimeSettings } from '../kit/environment.ts'
import { wellFormed } from '../kit/text.ts'
import { chatCompletions } from './chat-completions.ts'
import { messages } from './messages.ts'
import { request, ServiceError } from './service.ts'
import type { Completion, ModelCall, WireFormat } from './wire-format.ts'

/** Claude's own format can mark what to cache; the other format cannot. */
const formatOf = (model: string): WireFormat => (/claude/i.test(model) ? messages : chatCompletions)

/** A stream that is silent for longer counts as broken. */
const silenceMs = 120_000

/**
 * One streamed model call through the loopback. `onText` receives the text so far.
 * @throws ServiceError; a stream that breaks or reports an error counts as 502
 */
export async function complete(
  settings: RuntimeSettings,
  call: ModelCall,
  onText: (text: string) => void,
): Promise<Completion> {
  const format = formatOf(call.model)
  const reader = format.reader()
  const silence = new AbortController()
  using timer = setTimeout(() => silence.abort(), silenceMs)
  try {
    const response = await request(format.address(settings), {
      headers: {
        ...format.headers(settings),
        accept: 'text/event-stream',
        'x-berth-trigger': call.trigger,
        'x-berth-turn': call.turn,
      },
      // Providers refuse half a surrogate pair, which a tool, a page or a file may contain.
      body: wellFormed(format.body(call)),
      signal: call.stop ? AbortSignal.any([silence.signal, call.stop]) : silence.signal,
    })
    for await (const data of events(response.setEncoding('utf8'))) {
      timer.refresh()
      const text = reader.read(data)
      if (text === null) break
      onText(text)
    }
  } catch (thrown) {
    if (thrown instanceof ServiceError) throw thrown
  }
  const completion = reader.end()
  if (!completion) throw new ServiceError(502, 'stream-broken')
  return completion
}

async function* events(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  let data: string[] = []
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '' && data.length > 0) {
        yield data.join('\n')
        data = []
      } else if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5))
    }
  }
}
