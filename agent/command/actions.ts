import { createHash } from 'node:crypto'
import type { Observed, SentObservation } from '../../domain/agent/observation.ts'
import type { NewQuestion, Question } from '../../domain/chat/question.ts'
import type { ShownSchedule } from '../../domain/instance/schedules.ts'
import type { TurnCost } from '../../domain/wallet/turn-cost.ts'
import type { UsageSum } from '../../domain/wallet/usage.ts'
import { maxWaitSeconds, questionSeconds } from '../kit/limits.ts'
import type { Service } from '../runtime/service.ts'
import { readWhen } from './when.ts'

/** An agent's own initiative, shared by the command `berth` and the reference agent's tools. */
export type Caller = Pick<Service, 'call' | 'retried'>

export type TimedQuestion = NewQuestion & { waitSeconds?: number }

/**
 * Asks the owner. The same question in the same turn is one question, so a killed command can be repeated.
 * @returns the question, answered or expired @throws ServiceError, Stopped
 */
export async function ask(
  service: Caller,
  promptId: string | null,
  { waitSeconds = questionSeconds.usual, ...content }: TimedQuestion,
  left?: AbortSignal,
): Promise<Question> {
  const key = keyOf({ promptId, ...content })
  const expiresInSeconds = Math.max(waitSeconds, questionSeconds.least)
  const report: SentObservation = { kind: 'question', key, ...(promptId && { promptId }), ...content, expiresInSeconds }
  const { question: first } = await service.retried(() => service.call<Observed>('/agent/observe', report, left))
  if (!first) throw new Error('the service answered no question')
  for (let question = first; ; ) {
    if (question.state !== 'open') return bound(question, content)
    const target = `/agent/question?id=${question.id}&wait=${maxWaitSeconds}`
    ;({ question } = await service.retried(() => service.call<{ question: Question }>(target, undefined, left)))
  }
}

function bound(question: Question, content: Omit<TimedQuestion, 'waitSeconds'>): Question {
  const expected = content.arguments ? sha256(sortedJson(content.arguments)) : null
  if (question.argumentsSha256 !== expected) throw new Error('the answer is for other arguments than these')
  return question
}

export interface NewMessage {
  text: string
  /** Attachments, by their paths on the volume. */
  attachments?: { path: string }[]
  /** `main` or `cnv_…`; default: `main`. */
  conversation?: string
  startConversation?: { title: string }
}

/** Sends an unprompted message; a repetition in the same turn is sent once. */
export const tell = (service: Caller, promptId: string | null, message: NewMessage): Promise<Observed> =>
  service.retried(() =>
    service.call('/agent/observe', { kind: 'message', key: keyOf({ promptId, ...message }), ...message }),
  )

/** @throws WhenError for a time that is not understood */
export async function later(
  service: Caller,
  promptId: string | null,
  { when, text, zone }: { when: string; text: string; zone?: string },
  nowMs: number,
): Promise<ShownSchedule> {
  const time = readWhen(when, nowMs)
  const body = { key: keyOf({ promptId, when, text }), ...time, text, ...(zone && { timeZone: zone }) }
  return (await service.retried(() => service.call<{ schedule: ShownSchedule }>('/agent/schedules', body))).schedule
}

interface Listed {
  schedules: ShownSchedule[]
  most: number
  leastMinutes: number
}

export const listLater = (service: Caller): Promise<Listed> => service.retried(() => service.call('/agent/schedules'))

export const deleteLater = (service: Caller, id: string): Promise<{ schedule: ShownSchedule }> =>
  service.retried(() => service.call(`/agent/schedules/${encodeURIComponent(id)}`, undefined, undefined, 'DELETE'))

interface Secret {
  name: string
  hosts: string[]
  header: string
}

export const secrets = async (service: Caller): Promise<Secret[]> =>
  (await service.retried(() => service.call<{ secrets: Secret[] }>('/secrets'))).secrets

interface Cost {
  turn: TurnCost | null
  month: UsageSum
  availableMicros: number
}

export const cost = (service: Caller, promptId: string | null): Promise<Cost> =>
  service.retried(() => service.call(`${promptId ? `/turns/${promptId}` : ''}/llm/proxy/cost`))

/** One line of text for each object, for a model or a person. */
export const shown = {
  schedule: ({ id, cron, timeZone, at, text, nextRunAt, lastRun }: ShownSchedule): string => {
    const when = at ? `once, ${at}` : `${cron} ${timeZone}`
    const last = lastRun ? `; last ${lastRun.at}: ${lastRun.outcome}` : ''
    return `${id}  ${when}${nextRunAt ? `; next ${nextRunAt}` : ''}${last}  ${text}`
  },
  secret: ({ name, hosts }: Secret, loopback: string): string =>
    hosts.map((host) => `${name}  ${loopback}/secrets/${name}/https/${host}/`).join('\n'),
  cost: ({ turn, month, availableMicros }: Cost): string =>
    [
      turn ? `this turn: ${dollars(turn.amountMicros)} for ${turn.calls} model calls` : 'this turn: not known',
      `this month: ${dollars(month.amountMicros)} for ${month.calls} model calls`,
      `left in the wallet: ${dollars(availableMicros)}`,
    ].join('\n'),
}

const dollars = (micros: number): string => `$${(micros / 1e6).toFixed(6)}`

/** Equal calls of one turn have equal keys, so a repeated call has one effect. */
const keyOf = (what: object): string => sha256(sortedJson(what)).slice(0, 40)

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** JSON with sorted keys and no spaces, as the service hashes arguments. */
export function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${sortedJson(field)}`).join(',')}}`
}
