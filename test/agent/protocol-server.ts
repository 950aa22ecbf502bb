import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import { parseObject } from '../../agent/kit/json.ts'
import { newSchedule, showSchedule } from '../../app/instance/schedules.ts'
import type { Audience } from '../../domain/actor.ts'
import { limits } from '../../domain/agent/observation.ts'
import { type AgentContext, turnOf } from '../../domain/agent/turn.ts'
import type { Attachment, AttachmentPlace } from '../../domain/chat/attachment.ts'
import type { Message, Prompt as SentPrompt } from '../../domain/chat/message.ts'
import { canonicalJson, type Question } from '../../domain/chat/question.ts'
import type { DomainError } from '../../domain/errors.ts'
import { type ShownSchedule, scheduleInput } from '../../domain/instance/schedules.ts'
import type { UsableSecret } from '../../domain/instance/secrets.ts'
import { clientMessages, type MachineMessage, type TextPiece } from '../../domain/socket/message.ts'
import { errorOf, refuseCall } from './refuse-call.ts'

/** The model's behaviour on one call. */
type Behaviour =
  | { text: string; everyMs?: number; cut?: boolean }
  | { call: { name: string; arguments: object } }
  /** 500 or 502, or a rate limit with this many seconds to wait. */
  | { status: number; retryAfter?: number }
  | { refusal: DomainError }

/** A received model call. */
export interface ModelRequest {
  method: string
  /** The path below the API's root, with its query. */
  target: string
  headers: IncomingHttpHeaders
  raw: string
}

interface Prompt {
  stoppedAt?: string
  id: string
  messageId: string
  conversation: string
  text: string
  attempt: number
  leaseUntil: number
  leasedBy: string
  closed: string[]
  attachments: NonNullable<SentPrompt['attachments']>
}

/** A file that is sent with a message. */
export interface GivenFile {
  name: string
  type: string
  content: Buffer
}

interface TaskItem {
  id: string
  job: Record<string, unknown>
  attempt: number
  leaseUntil: number
  /** The generation that holds its lease. */
  leasedBy: string
  /** Reports about it, except renewals. */
  ends: Record<string, unknown>[]
}

interface Seen {
  method: string
  path: string
  query: string
  audience: Audience
  token: string
  status: number
  body: Record<string, unknown>
}

/** Size of the pieces in which objects are sent, bytes. */
export const pieceBytes = 64 * 1024

const ulid = (n: number) => String(n).padStart(26, '0')

/** The service's side of the machine protocol, as docs/agent-protocol.md describes it, with a scripted model. */
export class ProtocolServer {
  readonly seen: Seen[] = []
  readonly prompts: Prompt[] = []
  readonly tasks: TaskItem[] = []
  readonly questions: Question[] = []
  /** The agent's schedules, and the results of its keyed requests. */
  schedules: ShownSchedule[] = []
  readonly #kept = new Map<string, object>()
  /** Files that machines announced, by id. */
  readonly places = new Map<string, Attachment>()
  /** The answer to the announcement of a file, if it is refused. */
  refuseFiles: { status: number; error: string; message: string } | null = null
  /** Objects that tasks stored, by name. */
  readonly objects = new Map<string, Buffer>()
  /** Names of all uploads, one for each upload. */
  readonly stored: string[] = []
  /** Called before an object is stored, which `false` prevents, and after. */
  onStore: (name: string, step: 'before' | 'after') => boolean = () => true
  /**
   * Called before each piece of an object that is fetched, with the number of bytes before it; `false` cuts the
   * connection.
   */
  onFetch: (name: string, sentBytes: number) => Promise<boolean> | boolean = () => true
  /** Called before the end of a task is accepted; `false` loses the report. */
  onEnd: () => boolean = () => true
  /** The status of the answer to a reply, by its text; undefined for an accepted reply. */
  refuseReply: (text: string) => number | undefined = () => undefined
  /** The number of upload addresses to refuse with a rate limit. */
  busyTimes = 0
  messages: Message[] = []
  /** The number of messages that it reads for a context. */
  read = 200
  files: Record<string, string> = { 'persona/SOUL.md': 'You are called Anchor.' }
  variables: Record<string, string> = {}
  /** The instance's model. */
  model = 'local/echo'
  secrets: UsableSecret[] = []
  script: Behaviour[] = []
  /** Handles model calls in place of the script's own server. */
  proxy: ((call: ModelRequest, response: ServerResponse) => Promise<void>) | null = null
  /** The rest of the wallet, as the costs of a turn report it. */
  availableMicros = 3_000_000
  modelCalls: Record<string, unknown>[] = []
  modelHeaders: IncomingHttpHeaders[] = []
  /** The lifetime of a token, ms; a token in its second half is replaced, or one that is older than `replaceMs`. */
  tokenMs = 3_600_000
  replaceMs: number | undefined
  refuseAll = false
  /** Handshakes, accepted and refused; connections that ended; and messages received over connections. */
  readonly handshakes: { status: 101 | 401 | 503; token: string }[] = []
  disconnects = 0
  readonly pieces: (TextPiece & { to?: string | undefined; atMs: number })[] = []
  readonly otherMessages: unknown[] = []
  /** Whether the server pushes a notice when work waits. */
  pushes = true
  refuseSockets = false
  /** Called after a request has had its effect and before it is answered. */
  onEffect: (step: string) => void = () => {}
  #generation = 1
  #count = 0
  readonly #born = new Map<string, number>()
  readonly #server = createServer((request, response) => void this.#serve(request, response))

  readonly #sockets = new WebSocketServer({ noServer: true })

  constructor() {
    this.#server.on('upgrade', (request, stream, head) => {
      const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
      const status = this.refuseSockets ? 503 : this.#isAlive(token, 'agent') ? 101 : 401
      this.handshakes.push({ status, token })
      if (status !== 101) return void stream.end(`HTTP/1.1 ${status} No\r\nconnection: close\r\n\r\n`)
      // As in the service: before the new connection is open.
      this.cut()
      this.#sockets.handleUpgrade(request, stream, head, (socket) => this.#opened(socket))
    })
  }

  get socket(): string {
    return this.api.replace(/^http/, 'ws').replace(/api$/, 'socket')
  }

  get connections(): number {
    return this.#sockets.clients.size
  }

  /** Ends every connection. */
  cut(): void {
    for (const socket of this.#sockets.clients) socket.close(1001)
  }

  push(message: MachineMessage): void {
    for (const socket of this.#sockets.clients) socket.send(JSON.stringify(message))
  }

  #opened(socket: WebSocket): void {
    socket.on('message', (data) => {
      const { action, ...message } = JSON.parse(String(data))
      const piece = action === 'text' ? clientMessages.text.safeParse(message).data : undefined
      if (piece) this.pieces.push({ ...piece, atMs: Date.now() })
      else this.otherMessages.push({ action, ...message })
    })
    socket.on('close', () => this.disconnects++)
  }

  get api(): string {
    const bound = this.#server.address()
    if (bound === null || typeof bound === 'string') throw new Error('not listening')
    return `http://127.0.0.1:${bound.port}/api`
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate()
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  /** First tokens of a new generation; tokens of older generations stop working. */
  newGeneration(): Record<Audience, string> {
    this.#generation++
    return { llm: this.#token('llm'), files: this.#token('files'), agent: this.#token('agent') }
  }

  /** @param files the user's attachments @param replaces the first version of the message */
  say(text: string, conversation = 'main', files: readonly GivenFile[] = [], replaces?: string): Prompt {
    const attachments = files.map((file) => this.#attached(file))
    const about = { conversation, ...shown(attachments), ...(replaces && { replaces }) }
    const message = this.#message('user', text, about)
    const prompt = {
      id: `prm_${ulid(++this.#count)}`,
      messageId: message.id,
      conversation,
      text,
      attempt: 0,
      leaseUntil: 0,
      leasedBy: '',
      closed: [],
      attachments,
    }
    this.prompts.push(prompt)
    if (this.pushes) this.push({ type: 'work' })
    return prompt
  }

  order(job: Record<string, unknown>): TaskItem {
    const task = { id: `tsk_${ulid(++this.#count)}`, job, attempt: 0, leaseUntil: 0, leasedBy: '', ends: [] }
    this.tasks.push(task)
    if (this.pushes) this.push({ type: 'work' })
    return task
  }

  replies(prompt: Prompt): Message[] {
    return this.messages.filter(({ inReplyTo }) => inReplyTo === prompt.messageId)
  }

  observed(kind: string): Record<string, unknown>[] {
    return this.seen.filter(({ path, body }) => path === '/agent/observe' && body.kind === kind).map(({ body }) => body)
  }

  /** The number of different tokens of an audience among all requests. */
  tokensUsed(audience: Audience): number {
    return new Set(this.seen.filter((seen) => seen.audience === audience).map(({ token }) => token)).size
  }

  #attached({ name, type, content }: GivenFile) {
    const id = `att_${ulid(++this.#count)}`
    this.objects.set(id, content)
    const sha256 = createHash('sha256').update(content).digest('hex')
    return { id, name, type, bytes: content.length, sha256, url: this.#addressOf(id) }
  }

  /** An upload address for a file that a machine sends with a message. */
  #place({ name, type, bytes }: Record<string, unknown>): AttachmentPlace {
    const attachment = {
      id: `att_${ulid(++this.#count)}`,
      name: String(name),
      type: String(type),
      bytes: Number(bytes),
    }
    this.places.set(attachment.id, attachment)
    const expiresAt = new Date(Date.now() + 900_000).toISOString()
    return { attachment, upload: { url: this.#addressOf(attachment.id), headers: {}, expiresAt } }
  }

  #addressOf = (name: string): string => `${this.api.replace('/api', '')}/store/${name}`

  /** The uploaded files among those that a report names. */
  #putOf({ attachments = [] }: Record<string, unknown>): Attachment[] {
    const ids = Array.isArray(attachments) ? attachments : []
    return ids.flatMap((id) => (this.objects.has(id) ? (this.places.get(id) ?? []) : []))
  }

  #message(role: 'user' | 'agent', text: string, more: Pick<Message, 'conversation'> & Partial<Message>): Message {
    const id = `msg_${ulid(++this.#count)}`
    const message = { id, role, text, channel: 'web' as const, at: new Date().toISOString(), ...more }
    this.messages.push(message)
    return message
  }

  #token(audience: Audience): string {
    const token = `bmt_${audience}.${this.#generation}.${this.#born.size}`
    this.#born.set(token, Date.now())
    return token
  }

  #isAlive(token: string, audience: Audience): boolean {
    const age = Date.now() - (this.#born.get(token) ?? 0)
    return !this.refuseAll && token.startsWith(`bmt_${audience}.${this.#generation}.`) && age < this.tokenMs
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://service')
    const path = url.pathname.replace(/^\/api/, '')
    const audience: Audience = path.startsWith('/llm')
      ? 'llm'
      : /^\/agent\/(files|secrets)$/.test(path)
        ? 'files'
        : 'agent'
    const parts: Buffer[] = []
    for await (const part of request) parts.push(Buffer.from(part))
    if (url.pathname.startsWith('/store/'))
      return await this.#store(request, url.pathname.slice(7), Buffer.concat(parts), response)
    const text = Buffer.concat(parts).toString('utf8')
    const body: Record<string, unknown> = parseObject(text)
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const seen: Seen = { method: request.method ?? '', path, query: url.search, audience, token, status: 0, body }
    this.seen.push(seen)
    response.once('close', () => {
      seen.status = response.statusCode
    })
    const age = Date.now() - (this.#born.get(token) ?? 0)
    if (!this.#isAlive(token, audience)) return json(response, 401, { error: 'unauthorized', message: 'dead' })
    if (age >= (this.replaceMs ?? this.tokenMs / 2)) response.setHeader('X-Machine-Token', this.#token(audience))
    const refusal = body.kind === 'reply' ? this.refuseReply(String(body.text)) : undefined
    if (refusal !== undefined) return json(response, refusal, { error: 'validation', message: 'No.' })
    if (path === '/agent/observe' && (body.result || body.failure) && !this.onEnd()) return void response.destroy()
    if (audience === 'llm') this.modelHeaders.push(request.headers)
    if (audience === 'llm' && this.proxy)
      return this.proxy(
        { method: seen.method, target: path + url.search, headers: request.headers, raw: text },
        response,
      )
    if (audience === 'llm') return this.playModel(path, body, response)
    if (audience === 'files' && request.method === 'POST' && this.busyTimes-- > 0) {
      response.setHeader('Retry-After', '0.01')
      return json(response, 429, { error: 'rate-limited', message: 'later' })
    }
    if (audience === 'files' && request.method === 'POST') return json(response, 200, this.#addresses(body))
    if (path === '/agent/secrets') return json(response, 200, { secrets: this.secrets })
    if (audience === 'files') return json(response, 200, this.#files(request.headers['if-none-match']))
    if (path === '/agent/attachments') {
      const { status, ...refusal } = this.refuseFiles ?? { status: 200 }
      return json(response, status, status === 200 ? this.#place(body) : refusal)
    }
    const answer = path.startsWith('/agent/schedules')
      ? this.#plan(seen.method, path, body)
      : await this.#agent(path, url.searchParams, body, token, response)
    if (answer === null) return json(response, 404, { error: 'not-found', message: 'There is no such open prompt.' })
    this.onEffect(path === '/agent/observe' ? `${path} ${body.kind}` : path)
    json(response, 200, answer)
  }

  #addresses({ put = [], get = [] }: { put?: { name: string; size: number }[]; get?: string[] }): object {
    const at = (name: string): [string, string] => [name, this.#addressOf(name)]
    const wanted = put.filter(({ name }) => name.length < 64 || !this.objects.has(name))
    return { put: Object.fromEntries(wanted.map(({ name }) => at(name))), get: Object.fromEntries(get.map(at)) }
  }

  async #store(request: IncomingMessage, name: string, bytes: Buffer, response: ServerResponse): Promise<void> {
    if (request.method === 'PUT') {
      if (!this.onStore(name, 'before')) return void response.destroy()
      this.objects.set(name, bytes)
      this.stored.push(name)
      this.onStore(name, 'after')
    }
    const found = this.objects.get(name)
    response.writeHead(found ? 200 : 404)
    if (found && request.method === 'GET')
      for (let sent = 0; sent < found.length; sent += pieceBytes) {
        if (!(await this.onFetch(name, sent))) return void response.destroy()
        response.write(found.subarray(sent, sent + pieceBytes))
      }
    response.end()
  }

  #files(known: string | undefined): object {
    const files = Object.entries(this.files).map(([path, text]) => ({
      path,
      text,
      size: text.length,
      sha256: sha256(text),
    }))
    const etag = sha256(JSON.stringify(files))
    if (known === `"${etag}"`) return { etag, unchanged: true }
    return {
      etag,
      unchanged: false,
      config: { instanceId: 'ins_1', model: 'local/echo', persona: 'default' },
      files,
      variables: this.variables,
    }
  }

  async #agent(
    path: string,
    query: URLSearchParams,
    body: Record<string, unknown>,
    token: string,
    response: ServerResponse,
  ): Promise<object | null> {
    if (path === '/agent/prompt')
      return this.#lease(Number(query.get('wait')), query.get('tasks') ?? 'no', token, response)
    if (path === '/agent/observe' && body.kind === 'task') return this.#report(body)
    if (path === '/agent/observe' && body.kind === 'crashed') for (const prompt of this.prompts) prompt.leaseUntil = 0
    const id = query.get('prompt') ?? body.promptId
    const prompt = this.prompts.find((candidate) => candidate.id === id)
    const open = prompt && prompt.closed.length === 0 ? prompt : undefined
    if (path === '/agent/question') return this.#question(query.get('id'))
    if (path === '/agent/context') return open ? this.#context(open) : null
    if (path === '/agent/feedback' && prompt) {
      prompt.closed.push(String(body.outcome))
      return { promptId: prompt.id, closed: true }
    }
    if (path !== '/agent/observe') return null
    if (body.kind === 'reply') {
      if (!open) return null
      const [first] = this.replies(open)
      const about = { conversation: open.conversation, inReplyTo: open.messageId, ...shown(this.#putOf(body)) }
      return { accepted: true, message: first ?? this.#message('agent', String(body.text), about) }
    }
    if (body.kind === 'question') return this.#once(body, () => ({ accepted: true, question: this.#ask(body) }))
    if (body.kind === 'message')
      return this.#once(body, () => {
        const started = body.startConversation ? `cnv_${ulid(++this.#count)}` : 'main'
        const about = { conversation: String(body.conversation ?? started), ...shown(this.#putOf(body)) }
        return { accepted: true, message: this.#message('agent', String(body.text), about) }
      })
    if (body.kind === 'heartbeat') return { accepted: true, ...(body.samples !== undefined && { work: this.#waits() }) }
    if ((body.kind === 'progress' || body.kind === 'activity') && !open) return null
    return { accepted: true, ...(open?.stoppedAt && { stopped: true }) }
  }

  /** The result of the first request with a key. */
  #once({ kind, key }: Record<string, unknown>, act: () => object): object {
    const kept = this.#kept.get(`${kind} ${key}`) ?? act()
    this.#kept.set(`${kind} ${key}`, kept)
    return kept
  }

  #plan(method: string, path: string, { key, ...asked }: Record<string, unknown>): object | null {
    if (method === 'GET') return { schedules: this.schedules, most: 2, leastMinutes: 60 }
    if (method === 'DELETE') {
      const schedule = this.schedules.find(({ id }) => path.endsWith(id))
      this.schedules = this.schedules.filter((each) => each !== schedule)
      return schedule ? { schedule } : null
    }
    return this.#once({ kind: 'schedule', key }, () => {
      const sent = scheduleInput.parse(asked)
      const now = Date.now()
      const made = newSchedule(sent, { id: `sch_${ulid(++this.#count)}`, by: 'agent', plan: 'starter' }, now)
      const schedule = showSchedule(made, now)
      this.schedules.push(schedule)
      return { schedule }
    })
  }

  #ask({ kind: _, key: __, expiresInSeconds = 600, promptId = null, ...asked }: Record<string, unknown>): Question {
    const nowMs = Date.now()
    const [askedAt, expiresAt] = [0, Number(expiresInSeconds)].map((s) => new Date(nowMs + s * 1000).toISOString())
    const fixed = { state: 'open', given: null, answeredAt: null } as const
    const argumentsSha256 = asked.arguments ? sha256(canonicalJson(asked.arguments)) : null
    const question = {
      ...asked,
      ...fixed,
      argumentsSha256,
      id: `qst_${ulid(++this.#count)}`,
      promptId,
      askedAt,
      expiresAt,
    } as Question // safe because tests ask only questions that the service accepts
    this.questions.push(question)
    return question
  }

  #question(id: string | null): object | null {
    const question = this.questions.find((each) => each.id === id)
    return question ? { question } : null
  }

  /** The user cancels the answer. */
  stopAnswer(prompt: Prompt, told = true): void {
    prompt.stoppedAt = new Date().toISOString()
    if (told) this.push({ type: 'stop', promptId: prompt.id })
  }

  answer(question: Question, given: NonNullable<Question['given']>, told = true): void {
    Object.assign(question, { state: 'answered', given, answeredAt: new Date().toISOString() })
    if (told) this.push({ type: 'answered', questionId: question.id })
  }

  #report(body: Record<string, unknown>): object | null {
    const task = this.tasks.find(({ id }) => id === body.taskId)
    if (!task) return null
    if (body.result || body.failure) task.ends.push(body)
    return { accepted: true }
  }

  async #lease(wait: number, tasks: string, token: string, response: ServerResponse): Promise<object> {
    const generation = token.split('.')[1] ?? ''
    for (const until = Date.now() + wait * 1000; !response.closed && this.#server.listening; await sleep(20)) {
      const now = Date.now()
      const task = this.tasks.find(
        ({ ends, leaseUntil, leasedBy }) => ends.length === 0 && (leaseUntil <= now || leasedBy !== generation),
      )
      if (task && tasks !== 'no') {
        Object.assign(task, { attempt: task.attempt + 1, leaseUntil: now + 60_000, leasedBy: generation })
        return {
          prompt: null,
          turn: null,
          task: { id: task.id, job: task.job, at: new Date().toISOString(), attempt: task.attempt },
        }
      }
      const free = this.prompts.find(
        (prompt) => prompt.closed.length === 0 && (prompt.leaseUntil <= now || prompt.leasedBy !== generation),
      )
      if (free && tasks !== 'only') {
        Object.assign(free, { attempt: free.attempt + 1, leaseUntil: now + 120_000, leasedBy: generation })
        return { prompt: this.#shown(free), turn: proofOf(free), task: null }
      }
      if (now >= until) break
    }
    return { prompt: null, turn: null, task: null }
  }

  #waits(): boolean {
    const now = Date.now()
    return (
      this.tasks.some((task) => task.ends.length === 0 && task.leaseUntil <= now) ||
      this.prompts.some((prompt) => prompt.closed.length === 0 && prompt.leaseUntil <= now)
    )
  }

  #shown({ id, messageId, conversation, text, attempt, leaseUntil, stoppedAt, attachments }: Prompt): SentPrompt {
    const at = this.messages.find((message) => message.id === messageId)?.at ?? new Date().toISOString()
    const fixed = { kind: 'message', conversation, channel: 'web', trigger: 'chat' } as const
    return {
      ...fixed,
      id,
      messageId,
      text,
      at,
      attempt,
      leaseExpiresAt: new Date(leaseUntil).toISOString(),
      ...(stoppedAt && { stoppedAt }),
      ...(attachments.length > 0 && { attachments }),
    }
  }

  #context(prompt: Prompt): AgentContext {
    const { conversation } = prompt
    const newest = this.messages.filter((message) => message.conversation === conversation).slice(-this.read)
    return {
      prompt: this.#shown(prompt),
      ...turnOf(prompt, newest),
      persona: {
        id: 'default',
        name: 'Anchor',
        files: [{ path: 'SOUL.md', text: this.files['persona/SOUL.md'] ?? '' }],
      },
      skills: [{ id: 'brief', name: 'Brief', description: 'Writes a morning brief.' }],
      model: this.model,
      turn: proofOf(prompt),
      limits,
    }
  }

  /** The model's next answer by the script. */
  async playModel(path: string, body: Record<string, unknown>, response: ServerResponse): Promise<void> {
    if (path.endsWith('/models')) return json(response, 200, { data: [] })
    if (path.endsWith('/cost')) return json(response, 200, { ...costSoFar, availableMicros: this.availableMicros })
    this.modelCalls.push(body)
    const now = this.script.shift() ?? { text: 'All is well.' }
    this.onEffect('/llm/proxy')
    if ('status' in now || 'refusal' in now) return refuseCall(response, path, errorOf(now))
    if (path.endsWith('/messages')) return json(response, 200, anthropicAnswer('text' in now ? now.text : ''))
    if (body.stream !== true)
      return json(response, 200, openaiAnswer('text' in now ? now.text : '', usageOf(body, now)))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const event = (delta: object, finish: string | null = null) =>
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`)
    if ('call' in now) {
      const given = JSON.stringify(now.call.arguments)
      event({
        tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: now.call.name, arguments: '' } }],
      })
      event({ tool_calls: [{ index: 0, function: { arguments: given.slice(0, 5) } }] })
      event({ tool_calls: [{ index: 0, function: { arguments: given.slice(5) } }] }, 'tool_calls')
    } else {
      for (const word of now.text.split(/(?<= )/)) {
        if (response.closed) return
        event({ content: word })
        await sleep(now.everyMs ?? 1)
      }
      if (now.cut) return void response.destroy()
      event({}, 'stop')
    }
    response.write(`data: ${JSON.stringify({ choices: [], usage: usageOf(body, now) })}\n\n`)
    response.end('data: [DONE]\n\n')
  }
}

/** The files in the fields of a message. */
const shown = (files: readonly Attachment[]): Pick<Message, 'attachments'> =>
  files.length > 0 ? { attachments: files.map(({ id, name, type, bytes }) => ({ id, name, type, bytes })) } : {}

/** The proof of a prompt's turn. */
export const proofOf = ({ id }: Pick<Prompt, 'id'>): string => `bmt_turn.${id}`

const sum = { calls: 2, amountMicros: 1_500, inputTokens: 10, outputTokens: 5 }
const costSoFar = {
  turn: { ...sum, models: [], children: [] },
  month: { ...sum, amountMicros: 2_000_000 },
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Four characters count as one token. */
function usageOf(body: object, answer: Behaviour) {
  const [prompt_tokens, completion_tokens] = [body, answer].map((each) => Math.ceil(JSON.stringify(each).length / 4))
  return { prompt_tokens, completion_tokens, total_tokens: Number(prompt_tokens) + Number(completion_tokens) }
}

const openaiAnswer = (content: string, usage: object) => ({
  ...{ id: 'c1', object: 'chat.completion', created: 1, model: 'local/echo' },
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
  usage,
})

const anthropicAnswer = (text: string) => ({
  ...{ id: 'm1', type: 'message', role: 'assistant', model: 'local/echo', stop_reason: 'end_turn' },
  content: [{ type: 'text', text }],
  usage: { input_tokens: 1, output_tokens: 1 },
})

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
