import * as z from 'zod'
import type { CallPorts, CallRequest } from '../../app/models/billed-call.ts'
import { findEmbeddingModel, holdCall } from '../../app/models/hold-call.ts'
import { vendorPaths } from '../../domain/models/api-formats.ts'
import { openaiEmbeddings as format } from '../../domain/models/openai-embeddings.ts'
import { passedBeside } from '../../domain/models/request.ts'
import { operation, type RequestFacts, type StreamedResponse } from '../kit/operation.ts'
import { bodyUses, machineSpender, readTurn, withBody } from './machine-call.ts'
import { callErrors, callUses, respond } from './model-call.ts'

const [path, ...aliases] = vendorPaths(format.path)

const embeddings = z
  .object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        object: z.literal('embedding'),
        index: z.int(),
        embedding: z
          .union([z.array(z.number()), z.string()])
          .meta({ description: 'Numbers, or with `encoding_format: base64` their bytes.' }),
      }),
    ),
    model: z.string().meta({ description: 'As its provider calls it.' }),
    usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
  })
  .meta({ id: 'Embeddings' })

export const createEmbeddings = operation({
  id: 'createEmbeddings',
  summary: 'Embeddings of texts, paid from the wallet',
  description:
    'As OpenAI’s SDKs ask for them: `input` is a text, a list of texts, or tokens. Model: one whose formats have ' +
    '`openai-embeddings`; `default` is the first of them. Only the input has a price.',
  http: { method: 'POST', path, aliases, stream: true, rawBody: true },
  auth: 'llm',
  limit: 'llm',
  admission: 'wallet',
  input: z.looseObject({}),
  output: embeddings,
  exampleInput: { model: 'default', input: 'The tide is at nine.' },
  errors: [...callErrors, 'not-found'],
  errorAs: (error, status) => format.showError(error, status),
  uses: { ...callUses, ...bodyUses },
  run: async (context) => {
    const { actor, deps, now, setRateWindow } = context
    const request = await withBody(deps, context)
    const turn = await readTurn(deps, actor, request.headers, now)
    return embed(deps, { ...machineSpender(actor), trigger: turn.trigger, turn, now }, request, setRateWindow)
  },
})

/** The embeddings that a request asks for, billed as every call is. Asking for the same ones again is no runaway. */
export async function embed(
  deps: CallPorts,
  caller: Pick<CallRequest, 'userId' | 'spender' | 'isAlive' | 'trigger' | 'turn' | 'now'>,
  { rawBody, headers, query }: Pick<RequestFacts, 'rawBody' | 'headers' | 'query'>,
  counted: Parameters<typeof holdCall>[2],
): Promise<StreamedResponse> {
  const call = format.parseRequest(rawBody)
  const beside = passedBeside(format.passedHeaders, headers, query)
  const model = await findEmbeddingModel(deps.models, call.model)
  return respond(await holdCall(deps, { ...caller, format, call, beside, model }, counted))
}
