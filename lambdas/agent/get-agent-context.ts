import * as z from 'zod'
import { activePersona } from '../../domain/agent/files.ts'
import { agentLimits, limits, promptId } from '../../domain/agent/observation.ts'
import { turnOf } from '../../domain/agent/turn.ts'
import { equipmentOf } from '../../domain/catalogue/equipment.ts'
import { historyLength, message, prompt } from '../../domain/chat/message.ts'
import { notFound } from '../../domain/errors.ts'
import { turnClaims } from '../../domain/tokens/machine-token.ts'
import { operation } from '../kit/operation.ts'

export const getAgentContext = operation({
  id: 'getAgentContext',
  summary: 'What an agent needs to answer a prompt',
  http: { method: 'GET', path: '/agent/context' },
  auth: 'agent',
  limit: 'agent',
  input: z.strictObject({ prompt: promptId }),
  output: z.object({
    prompt,
    history: z.array(message).meta({ description: 'What was said before, oldest first.' }),
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
  }),
  errors: ['not-found'],
  uses: ['conversations', 'instances', 'catalogue', 'machineTokens'],
  run: async ({ input, actor, deps, now }) => {
    const { userId } = actor
    const [open, page, instance, { personas, skills }] = await Promise.all([
      deps.conversations.openPrompt(userId, input.prompt),
      deps.conversations.messages(userId, { after: null, limit: historyLength }),
      deps.instances.find(userId),
      equipmentOf(deps, userId),
    ])
    if (!open || !instance) throw notFound('open prompt')
    const { id, name, files } = activePersona(personas, instance.persona) ?? { id: '', name: '', files: [] }
    const listed = skills.map((skill) => ({ id: skill.id, name: skill.name, description: skill.description }))
    const persona = { id, name, files }
    const turn = await deps.machineTokens.sign(turnClaims(actor, open, now))
    return { prompt: open, ...turnOf(open, page.items), persona, skills: listed, model: instance.model, turn, limits }
  },
})
