import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AgentContext } from '../../domain/agent/turn.ts'
import { endToEnd } from '../kit/headers.ts'
import { maxWaitSeconds } from '../kit/limits.ts'
import type { Answer, Service } from '../kit/service.ts'
import { aborted } from '../kit/wait-for.ts'
import type { Inbox } from '../supervisor/inbox.ts'
import type { OpenQuestions } from '../supervisor/open-questions.ts'
import type { TaskPoller } from '../supervisor/task-poller.ts'
import type { Turns } from '../supervisor/turns.ts'

export interface PollOptions {
  service: Pick<Service, 'call'>
  poll: TaskPoller['poll']
  inbox: Pick<Inbox, 'place'>
  turns: Pick<Turns, 'prove' | 'stopOf' | 'refusalOf'>
  questions: Pick<OpenQuestions, 'find'>
}

/** Answers one of the runtime's polls; undefined when the runtime has left. */
export type Poll = (
  query: URLSearchParams,
  waitSeconds: number,
  left: AbortSignal,
) => Promise<Answer<unknown> | undefined>

/** Polls that the supervisor answers as soon as there is news or the wait is over, by their addresses. */
export const pollsOf = ({ service, poll, inbox, turns, questions }: PollOptions): Readonly<Record<string, Poll>> => ({
  '/agent/prompt': (_, waitSeconds, left) => poll(waitSeconds, left),
  '/agent/question': (query, waitSeconds, left) => questions.find(query.get('id') ?? '', waitSeconds * 1000, left),
  '/agent/context': async (query) => {
    const answer = await service.call<AgentContext>('agent', `/agent/context?${query}`)
    if (!answer.ok) return answer
    turns.prove(answer.body.prompt.id, answer.body.turn)
    return { ...answer, body: { ...answer.body, prompt: await inbox.place(answer.body.prompt) } }
  },
  '/agent/refusal': async (query) => ok({ refusal: turns.refusalOf(query.get('prompt') ?? '') }),
  '/agent/stopped': async (query, waitSeconds, left) => {
    const stop = turns.stopOf(query.get('prompt') ?? '')
    if (!stop) return unknownPrompt
    await aborted(AbortSignal.any([stop, left]), waitSeconds * 1000)
    return ok({ stopped: stop.aborted })
  },
})

/** @throws what `poll` throws */
export async function answerPoll(request: IncomingMessage, response: ServerResponse, poll: Poll): Promise<void> {
  const left = new AbortController()
  response.once('close', () => left.abort())
  const query = new URL(request.url ?? '', 'http://loopback').searchParams
  const wait = Number(query.get('wait'))
  const answer = await poll(query, Math.min(Math.max(Math.floor(wait) || 0, 0), maxWaitSeconds), left.signal)
  if (!answer || response.destroyed) return
  const { 'content-length': _, ...headers } = endToEnd(answer.headers)
  response.writeHead(answer.status, headers)
  response.end(answer.ok ? JSON.stringify(answer.body) : answer.text)
}

const headers = { 'content-type': 'application/json' }

const ok = (body: object): Answer<unknown> => ({ ok: true, status: 200, headers, body })

const unknownPrompt: Answer<unknown> = {
  ok: false,
  status: 404,
  headers,
  text: JSON.stringify({ error: 'not-found', message: 'There is no such prompt under way.' }),
}
