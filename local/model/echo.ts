import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type * as z from 'zod'
import { close, listen } from '../../emulators/kit/server.ts'
import { answerTo, type Reply } from './answer.ts'
import { type ChatRequest, chatRequest, countTokens, ModelError } from './chat.ts'
import { embed, embeddingRequest } from './embed.ts'

export interface Echo {
  /** Base URL of an OpenAI-compatible upstream; ends with `/v1`. */
  url: string
  close(): Promise<void>
}

/** Interval of chunks, ms. */
const defaultPace = 4
/** Characters per chunk; four are a token. */
const chunkSize = 8

/** The model `echo`: OpenAI Chat Completions as JSON and SSE, always with correct usage. */
export async function startEcho(): Promise<Echo> {
  let count = 0
  const server = createServer((request, response) => {
    count += 1
    serve(request, response, `chatcmpl-echo-${Date.now().toString(36)}-${count}`).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) response.destroy()
      else fail(response, error)
    })
  })
  return { url: `${await listen(server)}/v1`, close: () => close(server) }
}

const echoModel = { id: 'echo', object: 'model', created: 1_767_225_600, owned_by: 'berth' }
const echoEmbedding = { ...echoModel, id: 'echo-embedding' }

async function serve(request: IncomingMessage, response: ServerResponse, id: string): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
  const body = await buffer(request)
  if (!request.headers.authorization?.startsWith('Bearer '))
    throw new ModelError(401, 'You did not provide an API key.', { code: 'invalid_api_key' })
  switch (`${request.method} ${pathname}`) {
    case 'GET /v1/models':
      return json(response, { object: 'list', data: [echoModel, echoEmbedding] })
    case 'GET /v1/models/echo':
      return json(response, echoModel)
    case 'POST /v1/chat/completions': {
      const chat = read(body, chatRequest)
      const reply = answerTo(chat)
      return chat.stream ? stream(response, chat, reply, id) : whole(response, chat, reply, id)
    }
    case 'POST /v1/embeddings':
      return json(response, embed(read(body, embeddingRequest)))
    default:
      throw new ModelError(404, `Invalid URL (${request.method} ${pathname})`)
  }
}

function read<T extends z.ZodType<object>>(body: Buffer, schema: T): z.output<T> {
  const parsed = schema.safeParse(parseJson(body))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const param = issue?.path.join('.')
  if (param === 'model') throw new ModelError(404, 'The model does not exist.', { code: 'model_not_found', param })
  throw new ModelError(400, issue?.message ?? 'invalid', { param })
}

/**
 * Real providers refuse half of a surrogate pair, even escaped, like invalid JSON:
 * https://github.com/anomalyco/opencode/pull/17758.
 */
function parseJson(body: Buffer): unknown {
  try {
    const text = body.toString('utf8')
    return JSON.parse(text, (_, value) => {
      if (typeof value === 'string' && !value.isWellFormed()) throw new SyntaxError('surrogates not allowed')
      return value
    })
  } catch {
    throw new ModelError(400, 'We could not parse the JSON body of your request.')
  }
}

async function whole(response: ServerResponse, chat: ChatRequest, reply: Reply, id: string): Promise<void> {
  await delay(response, reply.pace)
  if (reply.cut) {
    response.destroy()
    return
  }
  const choices = Array.from({ length: chat.n }, (_, index) => ({
    index,
    message: {
      role: 'assistant',
      content: reply.toolCall ? null : reply.text,
      refusal: null,
      ...(reply.toolCall ? { tool_calls: [reply.toolCall] } : {}),
    },
    logprobs: null,
    finish_reason: reply.finish,
  }))
  json(response, { ...head(id, 'chat.completion'), choices, usage: usage(chat, reply) })
}

async function stream(response: ServerResponse, chat: ChatRequest, reply: Reply, id: string): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  const withUsage = chat.stream_options?.include_usage === true
  const write = (choices: object[], used: object | null = null) =>
    response.write(
      `data: ${JSON.stringify({ ...head(id, 'chat.completion.chunk'), choices, ...(withUsage ? { usage: used } : {}) })}\n\n`,
    )
  const each = (delta: object, finish_reason: string | null = null) =>
    write(Array.from({ length: chat.n }, (_, index) => ({ index, delta, logprobs: null, finish_reason })))

  each({ role: 'assistant', content: reply.toolCall ? null : '', refusal: null })
  const parts = split(reply)
  for (const [index, part] of parts.entries()) {
    await delay(response, reply.pace)
    if (response.destroyed) return
    if (reply.cut && index >= parts.length / 2) {
      response.destroy()
      return
    }
    each(part)
  }
  each({}, reply.finish)
  if (withUsage) write([], usage(chat, reply))
  response.end('data: [DONE]\n\n')
}

/** The deltas of a reply; a tool's name comes before its arguments. */
function split({ text, toolCall }: Reply): object[] {
  if (!toolCall) return pieces(text).map((content) => ({ content }))
  const { name, arguments: args } = toolCall.function
  const begin = { index: 0, id: toolCall.id, type: 'function', function: { name, arguments: '' } }
  return [begin, ...pieces(args).map((piece) => ({ index: 0, function: { arguments: piece } }))].map((call) => ({
    tool_calls: [call],
  }))
}

/** Never splits a character. */
function pieces(text: string): string[] {
  const characters = Array.from(text)
  return Array.from({ length: Math.ceil(characters.length / chunkSize) }, (_, index) =>
    characters.slice(index * chunkSize, (index + 1) * chunkSize).join(''),
  )
}

/** Does not wait for a client that has left. */
async function delay(response: ServerResponse, pace: number | undefined): Promise<void> {
  if (response.destroyed) return
  const gone = new AbortController()
  const leave = () => gone.abort()
  response.once('close', leave)
  await sleep(pace ?? defaultPace, undefined, { signal: gone.signal }).catch(() => {})
  response.off('close', leave)
}

function usage(chat: ChatRequest, reply: Reply) {
  const prompt_tokens = countTokens(chat.messages, chat.tools)
  const completion_tokens = reply.tokens * chat.n
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  }
}

const head = (id: string, object: string) => ({
  id,
  object,
  created: Math.floor(Date.now() / 1000),
  model: 'echo',
  service_tier: 'default',
  system_fingerprint: 'fp_echo',
})

function json(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function fail(response: ServerResponse, error: unknown): void {
  const known = error instanceof ModelError ? error : new ModelError(500, 'The server had an error.')
  response
    .writeHead(known.status, {
      'content-type': 'application/json',
      ...(known.status === 429 ? { 'retry-after': '1' } : {}),
    })
    .end(JSON.stringify({ error: known.body }))
}
