import * as z from 'zod'
import { type Message, message, type Prompt, prompt } from '../chat/message.ts'
import { agentLimits } from './observation.ts'

export const agentContext = z.object({
  prompt,
  history: z.array(message).meta({ description: 'The earlier conversation, oldest first.' }),
  reply: message.nullable().meta({ description: 'The reply already written for this prompt: only close it.' }),
  persona: z.object({
    id: z.string(),
    name: z.string(),
    files: z.array(z.object({ path: z.string(), text: z.string() })),
  }),
  skills: z.array(z.object({ id: z.string(), name: z.string(), description: z.string() })),
  model: z.string(),
  turn: z
    .string()
    .meta({ description: 'Send it with model calls as `x-berth-turn`: it proves what started the turn.' }),
  limits: agentLimits,
})
export type AgentContext = z.infer<typeof agentContext>

/** Splits the newest messages around a prompt, without later ones of the user: they have prompts of their own. */
export function turnOf(
  prompt: Pick<Prompt, 'messageId'>,
  messages: Message[],
): Pick<AgentContext, 'history' | 'reply'> {
  const isReply = (message: Message) => message.role === 'agent' && message.inReplyTo === prompt.messageId
  return {
    history: messages.filter(
      (message) => !isReply(message) && (message.role === 'agent' || message.id < prompt.messageId),
    ),
    reply: messages.find(isReply) ?? null,
  }
}
