import { type ChatRequest, ModelError, type ToolCall, textOf, tokensOf } from './chat.ts'

export interface Reply {
  text: string
  toolCall?: ToolCall
  tokens: number
  finish: 'stop' | 'length' | 'tool_calls'
  /** Break the connection halfway. */
  cut: boolean
  /** Interval of chunks in ms, if not the default. */
  pace?: number
}

/** @throws ModelError if the message asks for one */
export function answerTo(chat: ChatRequest): Reply {
  const last = chat.messages.at(-1)
  if (last?.role === 'tool') return limit(`Tool result: ${textOf(last)}`, chat)
  const userTexts = chat.messages.filter(({ role }) => role === 'user').map(textOf)
  const text = userTexts.at(-1) ?? ''
  const [, command, rest = ''] = /^\/(fail|cut|slow|tool)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? []
  switch (command) {
    case 'fail':
      throw new ModelError(statusOf(rest), `Failed on demand with ${statusOf(rest)}.`)
    case 'cut':
      return { ...limit(echo(text, userTexts), chat), cut: true }
    case 'slow':
      return { ...limit(echo(text, userTexts), chat), pace: Math.min(Number.parseInt(rest, 10) || 0, 60_000) }
    case 'tool':
      return useTool(rest, chat) ?? limit(echo(text, userTexts), chat)
    default:
      return limit(echo(text, userTexts), chat)
  }
}

function statusOf(text: string): number {
  const status = Number.parseInt(text, 10)
  return status >= 400 && status <= 599 ? status : 500
}

const asksForMemory = /\bremember\b|\bwhat did i (say|tell)\b/i

function echo(text: string, userTexts: string[]): string {
  const earlier = userTexts.slice(0, -1)
  if (!asksForMemory.test(text)) return `You said: "${text}"`
  if (earlier.length === 0) return `You said: "${text}". You had not said anything before.`
  return `You said: "${text}". Before that you said: ${earlier.map((sentence) => `"${sentence}"`).join(', ')}.`
}

/** `<name> <json>` calls that tool, if it was offered. */
function useTool(text: string, chat: ChatRequest): Reply | undefined {
  const [, name = '', args = ''] = /^(\S+)\s*([\s\S]*)$/.exec(text) ?? []
  if (!chat.tools?.some((tool) => tool.function.name === name)) return undefined
  const call: ToolCall = {
    id: `call_echo_${chat.messages.length}`,
    type: 'function',
    function: { name, arguments: args.trim() || '{}' },
  }
  const tokens = tokensOf(call.function.name + call.function.arguments)
  return { text: '', toolCall: call, tokens, finish: 'tool_calls', cut: false }
}

/** Cuts a text to the requested tokens, and counts them. */
function limit(text: string, { max_completion_tokens, max_tokens }: ChatRequest): Reply {
  const most = max_completion_tokens ?? max_tokens ?? Number.POSITIVE_INFINITY
  const fits = tokensOf(text) <= most
  const kept = fits
    ? text
    : text
        .slice(0, most * 4)
        .toWellFormed()
        .replace(/\uFFFD$/, '')
  return { text: kept, tokens: tokensOf(kept), finish: fits ? 'stop' : 'length', cut: false }
}
