import * as z from 'zod'
import type { CallRequest } from '../../app/models/billed-call.ts'
import { findEmbeddingModel, holdCall } from '../../app/models/hold-call.ts'
import type { Models } from '../../app/ports/models.ts'
import type { DomainError } from '../../domain/errors.ts'
import { vendorPaths } from '../../domain/models/api-formats.ts'
import { openaiEmbeddings as format } from '../../domain/models/openai-embeddings.ts'
import { exampleRefusals } from '../../domain/models/provider-refusal.ts'
import { passedBeside } from '../../domain/models/request.ts'
import { type OperationContext, operation, type RequestFacts } from '../kit/operation.ts'
import { machineSpender, readTurn, refuseUploadedBody, turnUses } from './machine-call.ts'
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
    model: z.string().meta({ description: 'The provider’s name for it.' }),
    usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
  })
  .meta({ id: 'Embeddings' })

/** The parts that `createEmbeddings` and `createApiEmbeddings` share. */
export const embeddingCreation = {
  description:
    'In the format of OpenAI’s SDKs: `input` is a text, a list of texts, or tokens. Model: one with ' +
    '`openai-embeddings` in its formats; `default` is the first of them. Only the input is charged.',
  limit: 'llm',
  input: z.looseObject({}),
  output: embeddings,
  exampleInput: { model: 'default', input: 'The tide is at nine.' },
  errorAs: (error: DomainError, status: number) => format.showError(error, status),
  refusals: exampleRefusals,
} as const

export const embeddingUses = { ...callUses, ...turnUses } as const

type EmbeddingContext = Pick<
  OperationContext<object, 'llm', keyof typeof embeddingUses>,
  'actor' | 'deps' | 'now' | 'setRateWindow'
>

export async function embed({ actor, deps, now, setRateWindow }: EmbeddingContext, request: RequestFacts) {
  const turn = await readTurn(deps, actor, request.headers, now)
  const parts = await readEmbeddings(deps.models, request)
  const call = { ...parts, ...machineSpender(actor), trigger: turn.trigger, turn, now }
  return respond(await holdCall(deps, call, [], setRateWindow))
}

export const createEmbeddings = operation({
  ...embeddingCreation,
  id: 'createEmbeddings',
  summary: 'Create embeddings of texts, paid from the wallet',
  http: { method: 'POST', path, aliases, stream: true, rawBody: true },
  auth: 'llm',
  admission: 'wallet',
  errors: [...callErrors, 'not-found'],
  uses: embeddingUses,
  run: async (context) => {
    refuseUploadedBody(context.request)
    return embed(context, context.request)
  },
})

/** Repeated embeddings do not count as a runaway agent. @throws invalid-json, validation */
export async function readEmbeddings(
  models: Models,
  { rawBody, headers, query }: Pick<RequestFacts, 'rawBody' | 'headers' | 'query'>,
): Promise<Pick<CallRequest, 'format' | 'call' | 'beside' | 'model'>> {
  const call = format.parseRequest(rawBody)
  const beside = passedBeside(format.passedHeaders, headers, query)
  return { format, call, beside, model: await findEmbeddingModel(models, call.model) }
}
