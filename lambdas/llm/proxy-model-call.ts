import * as z from 'zod'
import { findModel, holdCall } from '../../app/models/hold-call.ts'
import { stopRepetition } from '../../app/models/stop-repetition.ts'
import type { Ports } from '../../app/ports.ts'
import type { MachineActor } from '../../domain/actor.ts'
import { type TurnTrigger, turnTrigger } from '../../domain/chat/message.ts'
import { invalid } from '../../domain/errors.ts'
import { apiFormats, proxyPath, vendorPaths } from '../../domain/models/api-formats.ts'
import { type Turn, turnOf } from '../../domain/models/trigger.ts'
import type { WalletState } from '../../domain/wallet/state.ts'
import { operation } from '../kit/operation.ts'
import { callErrors, errorAsFormat, readCall, respond } from './model-call.ts'

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
  errors: [...callErrors, 'repeated-calls'],
  errorAs: errorAsFormat,
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
    const asked = readCall(request)
    const { call } = asked
    const turn = await readTurn(deps, actor, request.headers, now)
    const countCall = await stopRepetition(deps, actor.userId, call, turn, now, admit)
    const model = await findModel(deps.models, call.model, request.headers['x-berth-model'])
    const paid = { ...asked, ...machineSpender(actor), model, trigger: turn.trigger, now }
    const billed = await holdCall(deps, paid, setRateWindow)
    countCall()
    return respond(billed)
  },
})

/** A machine spends for as long as its generation is the one that runs. */
export const machineSpender = ({ userId, generation }: Pick<MachineActor, 'userId' | 'generation'>) => ({
  userId,
  spender: { generation },
  isAlive: (wallet: WalletState) => wallet.generation === generation,
})

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

function readTrigger(header: string | undefined): TurnTrigger | null {
  if (header === undefined) return null
  const read = turnTrigger.safeParse(header)
  if (!read.success) throw invalid('x-berth-trigger', `Use one of ${turnTrigger.options.join(', ')}.`)
  return read.data
}
