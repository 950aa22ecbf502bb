import * as z from 'zod'
import { withAddresses } from '../../app/chat/attachments.ts'
import { maxWaitSeconds } from '../../domain/agent/observation.ts'
import { polledWork } from '../../domain/agent/task.ts'
import { isUserStopped } from '../../domain/operator/stops.ts'
import { secondMs } from '../../domain/time.ts'
import { turnClaims } from '../../domain/tokens/machine-token.ts'
import { operation } from '../kit/operation.ts'
import { pollOnce, singlePoll } from './single-poll.ts'

const nothing = { prompt: null, task: null }

export const getAgentPrompt = operation({
  id: 'getAgentPrompt',
  summary: 'Take the oldest open prompt, or wait for one',
  description:
    'A prompt is leased. If it is not closed by `leaseExpiresAt`, it is handed out again. The same applies to a task.',
  http: { method: 'GET', path: '/agent/prompt' },
  auth: 'agent',
  limit: 'agent',
  input: z.strictObject({
    wait: z.coerce.number().int().min(0).max(maxWaitSeconds).default(0).meta({ description: 'Seconds.' }),
    tasks: z
      .enum(['no', 'too', 'only'])
      .default('no')
      .meta({ description: 'Whether to take tasks too. `only` takes no prompts.' }),
  }),
  output: polledWork,
  errors: [],
  uses: {
    attachmentFiles: 'read',
    conversations: 'write',
    denials: 'read',
    instances: 'write',
    leases: 'write',
    machineTokens: 'read',
  },
  run: async ({ input, actor, deps, now }) => {
    const kinds = { prompts: input.tasks !== 'only', tasks: input.tasks !== 'no' }
    const what = kinds.prompts ? 'prompts' : 'tasks'
    const times = { fromMs: now, untilMs: now + input.wait * secondMs }
    const work = await singlePoll(deps, actor, { what, waitSeconds: input.wait }, () =>
      pollOnce(deps, actor, times, async (nowMs) => {
        // A blocked user's prompts stay queued.
        const prompts = kinds.prompts && !isUserStopped((await deps.denials.current()).stops, actor.userId)
        const open = { ...kinds, prompts }
        const work =
          prompts || kinds.tasks ? await deps.conversations.next(actor.userId, actor.generation, nowMs, open) : nothing
        return { there: work.prompt !== null || work.task !== null, work }
      }),
    )
    const turn = work.prompt && (await deps.machineTokens.sign(turnClaims(actor, work.prompt, deps.clock.now())))
    const prompt = work.prompt && (await withAddresses(deps, actor.instanceId, work.prompt))
    return { ...work, prompt, turn }
  },
})
