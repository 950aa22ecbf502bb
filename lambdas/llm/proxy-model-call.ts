import * as z from 'zod'
import type { BilledCall } from '../../app/models/billed-call.ts'
import { findModel, holdCall } from '../../app/models/hold-call.ts'
import { stopRepetition } from '../../app/models/stop-repetition.ts'
import { startResponse } from '../../app/models/stream-response.ts'
import type { Ports } from '../../app/ports.ts'
import type { MachineActor } from '../../domain/actor.ts'
import { type Trigger, trigger } from '../../domain/chat/message.ts'
import { invalid } from '../../domain/errors.ts'
import { apiFormats, formatAt, isContractPath, proxyPath, vendorPaths } from '../../domain/models/api-formats.ts'
import { passedBeside } from '../../domain/models/request.ts'
import { type Turn, turnOf } from '../../domain/models/trigger.ts'
import { operation, type StreamedResponse } from '../kit/operation.ts'

const aliases = apiFormats.flatMap(({ path }) => vendorPaths(path))

export const proxyModelCall = operation({
  id: 'proxyModelCall',
  summary:
    'A model call, paid from the wallet and passed through as it comes, or translated for a model of another format',
  description:
    'Model: `provider/model`, or `default` for the model named in `x-berth-model`, else the service’s own default. ' +
    'What started the turn is proven by `x-berth-turn` (from /agent/context), else it counts as a heartbeat; the header ' +
    '`x-berth-trigger` (chat, tool, schedule, heartbeat) may lower it. Fields that are not known here go to the provider as ' +
    'they came. At the addresses of the vendors’ SDKs (`/llm/proxy/v1/…`) errors have the vendor’s own shape.',
  http: { method: 'POST', path: proxyPath, aliases, stream: true, rawBody: true },
  auth: 'llm',
  limit: 'llm',
  admission: 'wallet',
  input: z.looseObject({}),
  output: z.looseObject({}),
  errors: [
    'invalid-json',
    'wallet-empty',
    'spending-limit',
    'wallet-suspended',
    'repeated-calls',
    'provider-error',
    'too-large',
  ],
  errorAs: (error, status, { target }) => (isContractPath(target) ? null : formatAt(target).showError(error, status)),
  uses: {
    models: 'write',
    deniedFields: 'read',
    wallets: 'write',
    instances: 'write',
    events: 'write',
    machineTokens: 'read',
    conversations: 'read',
  },
  run: async ({ actor, deps, now, request, admit, setRateWindow }) => {
    const format = formatAt(request.target)
    const call = format.parseRequest(request.rawBody, request.headers)
    const beside = passedBeside(format.passedHeaders, request.headers, request.query)
    const turn = await readTurn(deps, actor, request.headers, now)
    const countCall = await stopRepetition(deps, actor.userId, call, turn, now, admit)
    const model = await findModel(deps.models, call.model, request.headers['x-berth-model'])
    const asked = { actor, format, call, beside, model, trigger: turn.trigger, now }
    const billed = await holdCall(deps, asked, setRateWindow)
    countCall()
    return respond(billed)
  },
})

/** Nothing of the provider's headers goes out. */
export async function respond(billed: BilledCall): Promise<StreamedResponse> {
  const { headers, write } = await startResponse(billed)
  const ours = {
    'Cache-Control': 'no-cache, no-transform',
    'X-Berth-Call': billed.facts.callId,
    'X-Berth-Model': billed.model.id,
  }
  return { status: 200, headers: { ...headers, ...ours }, body: write }
}

/** A turn ends when its prompt is closed: what proves it then proves nothing more. */
export async function readTurn(
  { machineTokens, conversations }: Pick<Ports, 'machineTokens' | 'conversations'>,
  actor: MachineActor,
  headers: Readonly<Record<string, string>>,
  now: number,
): Promise<Turn> {
  const token = headers['x-berth-turn']
  const claims = token === undefined ? null : await machineTokens.verify(token, 'turn', now)
  const open = claims?.userId === actor.userId && (await conversations.openPrompt(actor.userId, claims.promptId ?? ''))
  return turnOf(actor, open ? claims : null, readTrigger(headers['x-berth-trigger']))
}

function readTrigger(header: string | undefined): Trigger | null {
  if (header === undefined) return null
  const read = trigger.safeParse(header)
  if (!read.success) throw invalid('x-berth-trigger', `Use one of ${trigger.options.join(', ')}.`)
  return read.data
}
