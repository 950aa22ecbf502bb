import { asList, asNumber, asObject, asText } from '../shapes.ts'

export interface Line {
  id: string
  role: 'user' | 'agent'
  text: string
  at: string
}

/** What /agent/context tells of one prompt. */
export interface TurnContext {
  promptId: string
  /** The message that asked. */
  asked: Line
  history: Line[]
  /** Id of the reply that is written already, if one is. */
  reply: Line | null
  persona: { path: string; text: string }[]
  skills: { id: string; name: string; description: string }[]
  /** The instance's model, `default` when it has no choice of its own. */
  model: string
  /** What started the turn, for the receipt. */
  trigger: string
  /** Proves the trigger to the model proxy. */
  turn: string
  replyCharacters: number
  progressCharacters: number
}

export function readContext(body: unknown): TurnContext {
  const context = asObject(body)
  const prompt = asObject(context.prompt)
  const limits = asObject(context.limits)
  return {
    promptId: asText(prompt.id),
    asked: { id: asText(prompt.messageId), role: 'user', text: asText(prompt.text), at: asText(prompt.at) },
    history: asList(context.history).map(readLine),
    reply: context.reply ? readLine(context.reply) : null,
    persona: asList(asObject(context.persona).files).map((one) => {
      const { path, text } = asObject(one)
      return { path: asText(path), text: asText(text) }
    }),
    skills: asList(context.skills).map((one) => {
      const { id, name, description } = asObject(one)
      return { id: asText(id), name: asText(name), description: asText(description) }
    }),
    model: asText(context.model) || 'default',
    trigger: asText(prompt.trigger) || 'chat',
    turn: asText(context.turn),
    replyCharacters: asNumber(limits.replyCharacters, 32_000),
    progressCharacters: asNumber(limits.progressCharacters, 8_000),
  }
}

export function readLine(value: unknown): Line {
  const { id, role, text, at } = asObject(value)
  return { id: asText(id), role: role === 'agent' ? 'agent' : 'user', text: asText(text), at: asText(at) }
}
