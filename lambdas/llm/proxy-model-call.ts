import * as z from 'zod'
import { findModel, holdCall } from '../../app/models/hold-call.ts'
import { stopRepetition } from '../../app/models/stop-repetition.ts'
import { apiFormats, proxyPath, vendorPaths } from '../../domain/models/api-formats.ts'
import { exampleRefusals } from '../../domain/models/provider-refusal.ts'
import { type OperationContext, operation, type RequestFacts } from '../kit/operation.ts'
import { machineSpender, readTurn, refuseUploadedBody, turnUses } from './machine-call.ts'
import { callErrors, callUses, errorAsFormat, readCall, respond } from './model-call.ts'

const aliases = apiFormats.flatMap(({ path }) => vendorPaths(path))

/** The parts that `proxyModelCall` and `proxyLargeModelCall` share. */
export const modelProxying = {
  limit: 'llm',
  admission: 'wallet',
  input: z.looseObject({}),
  output: z.looseObject({}),
  errors: [...callErrors, 'not-found', 'repeated-calls'],
  errorAs: errorAsFormat,
  refusals: exampleRefusals,
} as const

export const proxyUses = { ...callUses, ...turnUses } as const

type ProxyContext = Pick<
  OperationContext<object, 'llm', keyof typeof proxyUses>,
  'actor' | 'deps' | 'now' | 'admit' | 'setRateWindow'
>

export async function proxyCall({ actor, deps, now, admit, setRateWindow }: ProxyContext, request: RequestFacts) {
  const parts = readCall(request)
  const { call } = parts
  const turn = await readTurn(deps, actor, request.headers, now)
  const countCall = await stopRepetition(deps, actor.userId, call, turn, now, admit)
  const model = await findModel(deps.models, call.model, request.headers['x-berth-model'])
  const paid = { ...parts, ...machineSpender(actor), model, trigger: turn.trigger, turn, now }
  const billed = await holdCall(deps, paid, [], setRateWindow)
  countCall()
  return respond(billed)
}

export const proxyModelCall = operation({
  ...modelProxying,
  id: 'proxyModelCall',
  summary: 'Call a model, paid from the wallet',
  description:
    'The call is passed to the provider as it is, or translated for a model with another format. Model: ' +
    '`provider/model`, or `default` for the model in `x-berth-model`, or else for the service’s default. ' +
    '`x-berth-turn` (from /agent/context) proves what started the turn; without it the call counts as a heartbeat. ' +
    '`x-berth-trigger` (chat, tool, schedule, heartbeat) may lower the trigger, and `x-berth-child` names the ' +
    'sub-agent that makes the call. Unknown fields go to the provider unchanged. At the addresses for the vendors’ ' +
    'SDKs (`/llm/proxy/v1/…`), errors have the vendor’s shape.',
  http: { method: 'POST', path: proxyPath, aliases, stream: true, rawBody: true },
  auth: 'llm',
  uses: proxyUses,
  run: async (context) => {
    refuseUploadedBody(context.request)
    return proxyCall(context, context.request)
  },
})
