import * as z from 'zod'
import { historyLength, leaseMs, message, outcome, replyText } from '../chat/message.ts'
import { maxReplyCharacters } from '../chat/text-limits.ts'
import { idPattern } from '../ids.ts'
import { maxSamples, measurement, sample } from '../instance/metrics.ts'
import { secondMs } from '../time.ts'
import { explainIssue } from '../validation.ts'
import { taskFailure, taskResult } from './task.ts'

/** Longest long poll for a prompt, seconds, and how often the store is asked meanwhile, ms. */
export const maxWaitSeconds = 20
export const pollMs = 500

/** Longest text one progress report carries; `from` says where in the reply it stands. */
export const maxProgressCharacters = 8_000

/** Longest note that closes a prompt. */
export const maxNoteCharacters = 1_000

export const taskId = z.string().regex(idPattern('tsk'), 'Expected a task id, tsk_…')

export const promptId = z.string().regex(idPattern('prm'), 'Expected a prompt id, prm_…')

/** What a machine is told it must keep to. */
export const agentLimits = z
  .object({
    replyCharacters: z.int(),
    progressCharacters: z.int(),
    noteCharacters: z.int(),
    historyMessages: z.int(),
    leaseSeconds: z.int(),
    waitSeconds: z.int(),
  })
  .meta({ id: 'AgentLimits' })

export const limits: z.infer<typeof agentLimits> = {
  replyCharacters: maxReplyCharacters,
  progressCharacters: maxProgressCharacters,
  noteCharacters: maxNoteCharacters,
  historyMessages: historyLength,
  leaseSeconds: leaseMs / secondMs,
  waitSeconds: maxWaitSeconds,
}

/** What an agent or its supervisor reports. */
export const observation = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('reply'), promptId, text: replyText }),
  z.strictObject({
    kind: z.literal('progress'),
    promptId,
    text: z.string().max(maxProgressCharacters).optional(),
    from: z.int().min(0).max(maxReplyCharacters).default(0),
  }),
  z.strictObject({
    kind: z.literal('heartbeat'),
    busy: z.boolean(),
    promptId: promptId.optional(),
    measured: measurement.optional(),
    samples: z.array(sample).max(maxSamples).optional(),
  }),
  z.strictObject({ kind: z.literal('ready') }),
  z.strictObject({ kind: z.literal('draining') }),
  /** The runtime died and is started again: what it held is free. */
  z.strictObject({ kind: z.literal('crashed') }),
  /** The daily restore point is due. */
  z.strictObject({ kind: z.literal('restore-point') }),
  /** How a task goes: no more than its id while it is done, its result, or why it failed. */
  z.strictObject({
    kind: z.literal('task'),
    taskId,
    result: taskResult.optional(),
    failure: taskFailure.optional(),
  }),
  /** Nothing is left on the volume of an instance that is deleted. */
  z.strictObject({ kind: z.literal('volume-erased') }),
])
export type Observation = z.infer<typeof observation>
/** The same as it is sent. */
export type SentObservation = z.input<typeof observation>

/** The same as one flat object, which is what a request body is; each kind's own fields are checked with it. */
export const observationBody = z
  .strictObject({
    kind: z.enum(observation.options.map(({ shape }) => shape.kind.value)),
    promptId: z.string().optional().meta({ description: 'With reply and progress; with heartbeat if there is one.' }),
    text: z.string().optional().meta({ description: 'The whole reply; of progress, the text so far.' }),
    from: z.int().optional().meta({ description: 'With progress: at which character of the reply `text` begins; 0.' }),
    busy: z.boolean().optional().meta({ description: 'With heartbeat: whether something is under way.' }),
    measured: measurement.optional().meta({ description: 'With heartbeat: what the machine uses.' }),
    samples: z
      .array(sample)
      .optional()
      .meta({ description: 'With heartbeat: what was measured since the last one, a sample a minute.' }),
    taskId: z.string().optional().meta({ description: 'With task.' }),
    result: taskResult.optional().meta({ description: 'With task, once it is done.' }),
    failure: taskFailure.optional().meta({ description: 'With task, when it cannot be done.' }),
  })
  .superRefine((body, context) => {
    for (const issue of observation.safeParse(body, { error: explainIssue }).error?.issues ?? []) {
      const path = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : issue.path
      context.addIssue({ code: 'custom', path: [...path], message: issue.message })
    }
  })

/** What a report is answered: of a reply the message it became, of samples whether something waits to be taken. */
export const observed = z.object({
  accepted: z.literal(true),
  message: message.optional(),
  work: z.boolean().optional(),
})
export type Observed = z.infer<typeof observed>

/** Closes a prompt. */
export const feedback = z.strictObject({ promptId, outcome, note: z.string().max(maxNoteCharacters).optional() })
export type Feedback = z.infer<typeof feedback>
