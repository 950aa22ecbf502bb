import * as z from 'zod'
import { personaAndSkills } from '../../app/catalogue/persona-and-skills.ts'
import { withAddresses } from '../../app/chat/attachments.ts'
import { readTurn } from '../../app/chat/read-turn.ts'
import { findReplyModel } from '../../app/models/check-model.ts'
import { activePersona } from '../../domain/agent/files.ts'
import { limits, promptId } from '../../domain/agent/observation.ts'
import { agentContext } from '../../domain/agent/turn.ts'
import { notFound } from '../../domain/errors.ts'
import { turnClaims } from '../../domain/tokens/machine-token.ts'
import { operation } from '../kit/operation.ts'

export const getAgentContext = operation({
  id: 'getAgentContext',
  summary: 'Get the context for answering a prompt',
  http: { method: 'GET', path: '/agent/context' },
  auth: 'agent',
  limit: 'agent',
  input: z.strictObject({ prompt: promptId.meta({ description: 'Id of the open prompt.' }) }),
  output: agentContext,
  errors: ['not-found'],
  uses: {
    attachmentFiles: 'read',
    conversations: 'read',
    instances: 'read',
    catalogue: 'read',
    machineTokens: 'read',
    models: 'read',
  },
  run: async ({ input, actor, deps, now }) => {
    const { userId } = actor
    const open = await deps.conversations.openPrompt(userId, input.prompt)
    if (!open) throw notFound('open prompt')
    const [talk, instance, { personas, skills }, chosen] = await Promise.all([
      readTurn(deps.conversations, userId, open),
      deps.instances.find(userId),
      personaAndSkills(deps, userId),
      deps.conversations.modelOf(userId, open.conversation),
    ])
    if (!instance) throw notFound('open prompt')
    const { id, name, files } = activePersona(personas, instance.persona) ?? { id: '', name: '', files: [] }
    const listed = skills.map((skill) => ({ id: skill.id, name: skill.name, description: skill.description }))
    const persona = { id, name, files }
    const turn = await deps.machineTokens.sign(turnClaims(actor, open, now))
    const prompt = await withAddresses(deps, actor.instanceId, open)
    // A removed model does not keep the agent from replying: the dashboard names the model that replies instead.
    const model = (chosen && (await findReplyModel(deps.models, chosen))?.id) ?? instance.model
    return { prompt, ...talk, persona, skills: listed, model, turn, limits }
  },
})
