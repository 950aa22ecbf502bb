import { notFound } from '../errors.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import type { Dialect } from './dialect.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'

/** Every request format of the proxy. */
export const dialects: readonly Dialect[] = [openaiChat, openaiResponses, anthropicMessages]

/** The format a path speaks. @throws not-found */
export function dialectOf(target: string): Dialect {
  const path = target.split('?', 1)[0] ?? ''
  const found = dialects.find(({ paths }) => paths.some((one) => one === path))
  if (!found) throw notFound('format')
  return found
}
