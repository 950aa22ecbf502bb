import * as z from 'zod'
import { trigger } from '../../domain/chat/message.ts'
import { invalid, rateLimited, unauthorized } from '../../domain/errors.ts'
import { dialectOf, dialects } from '../../domain/models/dialects.ts'
import type { PricedModel } from '../../domain/models/model.ts'
import type { Models } from '../../domain/models/ports.ts'
import { clampOutput, quoteOf } from '../../domain/models/settlement.ts'
import { readWindow } from '../../domain/tokens/window.ts'
import type { HoldResult } from '../../domain/wallet/ports.ts'
import { operation } from '../kit/operation.ts'
import { answer } from './answer.ts'
import { OpenCall } from './open-call.ts'

const [path = '/llm/proxy', ...aliases] = dialects.flatMap((one) => one.paths)

export const proxyModelCall = operation({
  id: 'proxyModelCall',
  summary: 'A model call, paid from the wallet and passed through as it comes',
  description:
    'Model: `provider/model`, or `default` for the model named in `x-berth-model`, else the service’s own default. ' +
    'The header `x-berth-trigger` (chat, schedule, heartbeat, tool) says what started the turn.',
  http: { method: 'POST', path, aliases, stream: true, rawBody: true },
  auth: 'llm',
  limit: 'llm',
  admission: 'wallet',
  input: z.strictObject({}),
  output: z.looseObject({}),
  errors: ['invalid-json', 'wallet-empty', 'provider-error'],
  uses: ['models', 'wallets', 'instances', 'events'],
  run: async ({ actor, deps, now, request, counted }) => {
    const dialect = dialectOf(request.target)
    const call = dialect.parse(request.rawBody)
    const started = readTrigger(request.headers['x-berth-trigger'])
    const model = await modelFor(call.model, request.headers['x-berth-model'], deps.models)
    const quote = quoteOf(call, model)
    const callId = deps.ids.next('call')
    const ask = { ...quote, generation: actor.generation, trigger: started }
    const result = await deps.wallets.hold(actor.userId, callId, ask, now)
    counted(result.counts)
    const held = admitted(result, now)
    const limits = { quote, held, outputTokens: clampOutput(quote, held.micros) }
    const facts = { userId: actor.userId, callId, dialect, call, model, trigger: started, now, ...limits }
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
  if (result.because === 'unknown') throw unauthorized('This machine token is no longer valid.')
  throw rateLimited(readWindow('llm', result.counts, nowMs).resetSeconds)
}

function readTrigger(header: string | undefined) {
  const read = trigger.safeParse(header ?? 'chat')
  if (!read.success) throw invalid('x-berth-trigger', `Use one of ${trigger.options.join(', ')}.`)
  return read.data
}
