import * as z from 'zod'

const part = z.looseObject({ type: z.string(), text: z.string().optional() })
const toolCall = z.looseObject({
  id: z.string(),
  type: z.literal('function').default('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
})
const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(part)]).nullish(),
  tool_calls: z.array(toolCall).nullish(),
  tool_call_id: z.string().optional(),
})
const tool = z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) })

/** Fields of a Chat Completions request that the model reads; others are ignored. */
export const chatRequest = z.looseObject({
  model: z.literal('echo'),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  max_tokens: z.number().int().min(1).nullish(),
  max_completion_tokens: z.number().int().min(1).nullish(),
  n: z.number().int().min(1).max(8).default(1),
  tools: z.array(tool).nullish(),
})
export type ChatRequest = z.infer<typeof chatRequest>
type Message = z.infer<typeof message>
export type ToolCall = z.infer<typeof toolCall>

/** An error in OpenAI's shape. */
export class ModelError extends Error {
  readonly status: number
  readonly body: { message: string; type: string; param: string | null; code: string | null }

  constructor(status: number, text: string, more: { code?: string; param?: string } = {}) {
    super(text)
    this.status = status
    const type = status === 429 ? 'rate_limit_error' : status >= 500 ? 'server_error' : 'invalid_request_error'
    this.body = { message: text, type, param: more.param ?? null, code: more.code ?? null }
  }
}

/** From a text or a list of parts. */
export const textOf = ({ content }: Message): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('')

export const tokensOf = (text: string) => Math.ceil(text.length / 4)

/** Counts texts, tool calls and offered tools. */
export function countTokens(messages: Message[], tools: ChatRequest['tools']): number {
  const calls = (message: Message) =>
    (message.tool_calls ?? []).map((call) => call.function.name + call.function.arguments)
  const texts = messages.flatMap((message) => [textOf(message), ...calls(message)])
  return [...texts, ...(tools ?? []).map((offered) => JSON.stringify(offered))].reduce(
    (sum, text) => sum + tokensOf(text),
    0,
  )
}
