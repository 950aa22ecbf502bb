import { notFound } from '../errors.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import type { ApiFormat } from './api-format.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'

/** Every API format of the proxy. */
export const apiFormats: readonly ApiFormat[] = [openaiChat, openaiResponses, anthropicMessages]

/** The format that a path accepts. @throws not-found */
export function formatAt(target: string): ApiFormat {
  const called = target.split('?', 1)[0]
  const found = apiFormats.find(({ paths }) => paths.some((path) => path === called))
  if (!found) throw notFound('format')
  return found
}
