import * as z from 'zod'
import type { MachineActor } from '../../domain/actor.ts'
import { type Trigger, trigger } from '../../domain/chat/message.ts'
import { invalid, rateLimited } from '../../domain/errors.ts'
import { dialectOf, dialects } from '../../domain/models/dialects.ts'
import type { PricedModel } from '../../domain/models/model.ts'
import type { Models } from '../../domain/models/ports.ts'
import { clampOutput, quoteOf } from '../../domain/models/settlement.ts'
import { type Turn, turnOf } from '../../domain/models/trigger.ts'
import type { MachineTokens } from '../../domain/tokens/ports.ts'
import { readWindow } from '../../domain/tokens/window.ts'
import { staleMachine } from '../../domain/wallet/moves.ts'
import type { HoldResult } from '../../domain/wallet/ports.ts'
import { operation } from '../kit/operation.ts'
import { answer } from './answer.ts'
import { OpenCall } from './open-call.ts'
import { stopRunaway } from './stop-runaway.ts'

const [path = '/llm/proxy', ...aliases] = dialects.flatMap((one) => one.paths)

export const proxyModelCall = operation({
  id: 'proxyModelCall',
  summary: 'A model call, paid from the wallet and passed through as it comes',
  description:
    'Model: `provider/model`, or `default` for the model named in `x-berth-model`, else the service’s own default. ' +
    'What started the turn is proven by `x-berth-turn` (from /agent/context), else it counts as a heartbeat; the header ' +
    '`x-berth-trigger` (chat, tool, schedule, heartbeat) may lower it.',
  http: { method: 'POST', path, aliases, stream: true, rawBody: true },
  auth: 'llm',
  limit: 'llm',
  admission: 'wallet',
  input: z.strictObject({}),
  output: z.looseObject({}),
  errors: ['invalid-json', 'wallet-empty', 'provider-error'],
  uses: ['models', 'wallets', 'instances', 'events', 'machineTokens'],
  run: async ({ actor, deps, now, request, counted }) => {
    const dialect = dialectOf(request.target)
    const call = dialect.parse(request.rawBody)
    const turn = await readTurn(actor, request.headers, deps.machineTokens, now)
    await stopRunaway(deps, actor.userId, call, turn, now)
    const model = await modelFor(call.model, request.headers['x-berth-model'], deps.models)
    const quote = quoteOf(call, model)
    const callId = deps.ids.next('call')
    const ask = { ...quote, generation: actor.generation, trigger: turn.trigger }
    const result = await deps.wallets.hold(actor.userId, callId, ask, now)
    counted(result.counts)
    const held = admitted(result, now)
    const limits = { quote, held, outputTokens: clampOutput(quote, held.micros) }
    const facts = { ...actor, callId, dialect, call, model, trigger: turn.trigger, now, ...limits }
    return answer(new OpenCall(deps, facts))
  },
})

/** The model asked for; `default` is the instance's own, which its machine sends along so that nothing need be read. */
async function modelFor(asked: string, own: string | undefined, models: Models): Promise<PricedModel> {
  const id = asked === 'default' ? (own ?? 'default') : asked
  const found = id === 'default' ? await models.defaultModel() : await models.find(id)
  if (!found) throw invalid('model', `${id} is not offered here. GET /llm/proxy/v1/models lists the models.`)
  return found
}

function admitted(result: HoldResult, nowMs: number): { micros: number; total: number } {
  if (result.held) return result
  if (result.because === 'unknown') throw staleMachine()
  throw rateLimited(readWindow('llm', result.counts, nowMs).resetSeconds)
}

async function readTurn(
  actor: MachineActor,
  headers: Readonly<Record<string, string>>,
  tokens: MachineTokens,
  now: number,
): Promise<Turn> {
  const shown = headers['x-berth-turn']
  const claims = shown === undefined ? null : await tokens.verify(shown, 'llm', now)
  return turnOf(actor, claims, readTrigger(headers['x-berth-trigger']))
}

function readTrigger(header: string | undefined): Trigger | null {
  if (header === undefined) return null
  const read = trigger.safeParse(header)
  if (!read.success) throw invalid('x-berth-trigger', `Use one of ${trigger.options.join(', ')}.`)
  return read.data
}
