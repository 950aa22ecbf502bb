/**
 * The agents' side: they take prompts, stream their replies, reply, fail, die, are stopped, ask and send unrequested
 * messages.
 */
import type { Ports } from '../../../../adapters/ports.ts'
import type { Prompt } from '../../../../domain/chat/message.ts'
import { secondMs } from '../../../../domain/time.ts'
import { giveAgentFeedback } from '../../../../lambdas/agent/give-agent-feedback.ts'
import { observeAgent } from '../../../../lambdas/agent/observe-agent.ts'
import type { VirtualClock } from './clock.ts'
import type { Functions } from './functions.ts'
import type { Account } from './people.ts'
import { pick, type Random, replyText } from './texts.ts'

type Operation = typeof observeAgent | typeof giveAgentFeedback

export class Agent {
  accounts: readonly Account[] = []
  readonly #deps: Ports
  readonly #clock: VirtualClock
  readonly #functions: Functions
  readonly #random: Random
  /** The number of open prompts of each user. */
  readonly #open = new Map<string, number>()
  readonly #ended = new Set<string>()
  #keys = 0

  constructor(deps: Ports, clock: VirtualClock, functions: Functions, random: Random) {
    this.#deps = deps
    this.#clock = clock
    this.#functions = functions
    this.#random = random
  }

  get hasWork(): boolean {
    return [...this.#open.values()].some((count) => count > 0)
  }

  prompted(userId: string): void {
    this.#open.set(userId, (this.#open.get(userId) ?? 0) + 1)
    this.#clock.after(this.#random(4 * secondMs), () => this.#take(userId))
  }

  ended(userId: string, promptId: string): void {
    if (this.#ended.has(promptId)) return
    this.#ended.add(promptId)
    this.#open.set(userId, (this.#open.get(userId) ?? 0) - 1)
  }

  /** Looks for prompts that were returned to the queue. */
  look(): void {
    for (const [userId, count] of this.#open) if (count > 0) this.#take(userId)
  }

  /** Sends an unrequested message. */
  speak({ userId, instanceId }: Account): void {
    const key = `key-${this.#keys++}`
    const input = { kind: 'message', key, text: replyText(this.#random, `re:unasked:${userId}`) }
    void this.#call(observeAgent, { userId, instanceId }, input)
  }

  #take(userId: string): void {
    const found: (Prompt | null)[] = []
    const wanted = { prompts: true, tasks: false }
    const act = async () => {
      const { prompt } = await this.#deps.conversations.next(userId, 1, this.#clock.nowMs, wanted)
      found.push(prompt)
    }
    void this.#functions.run('next', act).then(() => {
      const account = this.accounts.find((candidate) => candidate.userId === userId)
      if (found[0] && account) void this.#answer(account, found[0])
    })
  }

  async #answer(account: Account, prompt: Prompt): Promise<void> {
    const random = this.#random
    const promptId = prompt.id
    const chance = random(100)
    if (chance < 4) return
    const text = replyText(random, `re:${promptId}:${account.userId}`)
    const drafts = random(3) === 0 ? 0 : random(7)
    for (let i = 1; i <= drafts; i++) {
      await this.#clock.sleep(200 + random(3_000))
      const beginning = text.slice(0, Math.floor((text.length * i) / (drafts + 1))).slice(0, 8_000)
      const told = await this.#call(observeAgent, account, { kind: 'draft', promptId, text: beginning })
      if (told === null) return
      if (told.stopped) return this.#close(account, promptId, 'stopped')
    }
    if (random(15) === 0) await this.#ask(account, promptId)
    await this.#clock.sleep(random(3_000))
    if (chance < 9) return this.#close(account, promptId, pick(random, ['failed', 'needs_input', 'completed']))
    const attachments = random(12) === 0 ? [await this.#attachment(account)] : []
    const reply = { kind: 'reply', promptId, text, ...(attachments[0] && { attachments }) }
    await this.#call(observeAgent, account, reply)
    if (random(12) === 0) await this.#call(observeAgent, account, { ...reply, text: `${text} again` })
    if (random(30) === 0) return
    await this.#close(account, promptId, 'completed')
  }

  async #ask(account: Account, promptId: string): Promise<void> {
    const question = { answer: 'approve', text: `re:${promptId}:${account.userId} May I?`, expiresInSeconds: 600 }
    await this.#call(observeAgent, account, { ...question, kind: 'question', promptId, key: `key-${this.#keys++}` })
  }

  async #attachment({ userId, instanceId }: Account): Promise<string | null> {
    const { ids, attachments, attachmentFiles, clock } = this.#deps
    const content = new TextEncoder().encode('file')
    const sha256 = '3b9c358f36f0a31b6ad3e14f309c7cf198ac9246e8316f9ce543d5b19ac02b80'
    const createdAt = new Date(clock.now()).toISOString()
    const file = {
      id: ids.next('att'),
      instanceId,
      role: 'agent' as const,
      name: 'a.txt',
      type: 'text/plain',
      bytes: content.length,
      sha256,
      createdAt,
    }
    await attachments.add(userId, file, { files: 1_000, bytes: 1e9 }, clock.now())
    await attachmentFiles.put(file, content)
    return file.id
  }

  async #close(account: Account, promptId: string, outcome: string): Promise<void> {
    await this.#call(giveAgentFeedback, account, { promptId, outcome })
  }

  /** Calls the service, with retries after failures; null when the service refuses. */
  async #call(
    operation: Operation,
    { userId, instanceId }: Pick<Account, 'userId' | 'instanceId'>,
    input: Record<string, unknown>,
  ): Promise<{ stopped?: boolean } | null> {
    const actor = { kind: 'agent', userId, instanceId, generation: 1 }
    for (let tries = 0; tries < 5; tries++) {
      const answers: { stopped?: boolean }[] = []
      const refusals: unknown[] = []
      const act = async () => {
        const context = { input, actor, deps: this.#deps, now: this.#clock.nowMs }
        // safe because the operations use only what these contexts have
        answers.push((await operation.run(context as never)) as { stopped?: boolean })
      }
      const ended = await this.#functions.run('observe', act, (error) => refusals.push(error))
      if (answers[0]) return answers[0]
      const [refusal] = refusals
      if (ended === 'failed' && refusal instanceof Error && refusal.name === 'DomainError') return null
      await this.#clock.sleep(secondMs * 2 ** tries)
    }
    return null
  }
}
