import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Seen {
  path: string
  headers: IncomingMessage['headers']
  body: Record<string, unknown>
}

export type Script = (response: ServerResponse, seen: Seen, times: number) => void | Promise<void>

/** A provider over real HTTP that responds by a script and records its requests. */
export async function startUpstream() {
  const seen: Seen[] = []
  const state: { script: Script; open: number } = { script: (response) => void response.end(), open: 0 }
  const server = createServer(async (request, response) => {
    let raw = ''
    for await (const part of request) raw += part
    const call = { path: request.url ?? '', headers: request.headers, body: JSON.parse(raw || '{}') }
    seen.push(call)
    state.open++
    response.on('close', () => state.open--)
    await state.script(response, call, seen.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // safe because it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    state,
    use(script: Script) {
      seen.length = 0
      state.script = script
    },
    /** Closes the open connections, including the kept-alive ones. */
    drop: () => server.closeAllConnections(),
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

export const sse = (...data: (object | string)[]): string =>
  data.map((item) => `data: ${typeof item === 'string' ? item : JSON.stringify(item)}\n\n`).join('')

export const delta = (content: string, usage: null | undefined = null) => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'echo',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
  usage,
})

export const stop = { ...delta(''), choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }

export const usage = (prompt: number, completion: number, cached = 0) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: 0 },
})

export const usageChunk = (reported: object) => ({ ...delta(''), choices: [], usage: reported })

/** Writes the parts one by one, each in its own packet, then ends. */
export const streaming =
  (pieces: readonly (string | Uint8Array)[], gapMs = 0): Script =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const piece of pieces) {
      if (response.destroyed) return
      response.write(piece)
      await new Promise((resolve) => setTimeout(resolve, gapMs))
    }
    response.end()
  }

export const answering =
  (status: number, body: object): Script =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }
