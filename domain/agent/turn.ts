import * as z from 'zod'
import { isOn, placeOf, replacedBefore } from '../chat/branches.ts'
import { historyLength, type Message, message, type Prompt, prompt } from '../chat/message.ts'
import { agentLimits } from './observation.ts'

export const agentContext = z.object({
  prompt,
  history: z.array(message).meta({ description: 'The earlier conversation, oldest first.' }),
  replaced: z
    .array(
      z.object({
        from: z.string().meta({ example: 'msg_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
        before: z.string().meta({ example: 'msg_01KAHB2N3P4Q5R6S7T8V9WXYZ1' }),
      }),
    )
    .meta({
      description:
        'The parts of the conversation that newer versions of messages have replaced. `history` does not contain ' +
        'them. A memory of your own must leave out the messages with `from` ≤ id < `before` and the replies to them.',
    }),
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

/** The messages of a prompt's branch: those before it, and unsolicited ones. Later messages have their own prompts. */
export function turnOf(
  { messageId }: Pick<Prompt, 'messageId'>,
  messages: readonly Message[],
): Pick<AgentContext, 'history' | 'reply' | 'replaced'> {
  const replaced = replacedBefore(messages, messageId)
  const isSaidBefore = (message: Message): boolean => {
    const place = placeOf(message)
    const isUnsolicited = message.role === 'agent' && message.inReplyTo === undefined
    return (isUnsolicited || place < messageId) && isOn(replaced, place)
  }
  return {
    history: messages.filter(isSaidBefore).slice(-historyLength),
    reply: messages.find(({ inReplyTo }) => inReplyTo === messageId) ?? null,
    replaced,
  }
}
