import * as z from 'zod'
import { attachmentIds } from '../chat/attachment.ts'
import { conversationRef, conversationTitle } from '../chat/conversation.ts'
import { historyLength, leaseMs, message, outcome, replyEnd, replyText } from '../chat/message.ts'
import { maxArgumentBytes, newQuestion, question, questionSeconds } from '../chat/question.ts'
import { maxReplyCharacters } from '../chat/text-limits.ts'
import { idPattern } from '../ids.ts'
import { cannotStartReason } from '../instance/cannot-start.ts'
import { maxSamples, measurement, sample } from '../instance/metrics.ts'
import { text } from '../text-schema.ts'
import { secondMs } from '../time.ts'
import { explainIssue } from '../validation.ts'
import { activity, maxActivitiesAtOnce } from './activity.ts'
import { taskFailure, taskResult } from './task.ts'

/** Longest long poll for a prompt, seconds, and interval of its reads of the store, ms. */
export const maxWaitSeconds = 20
export const pollMs = 500

export const maxProgressCharacters = 8_000

const maxNoteCharacters = 1_000

export const taskId = z.string().regex(idPattern('tsk'), 'Expected a task id, tsk_…')

export const promptId = z.string().regex(idPattern('prm'), 'Expected a prompt id, prm_…')

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

/** A runtime's idempotency key for its own messages, questions and schedules. */
export const ownKey = z.string().regex(/^[\w.:-]{1,64}$/, 'Use 1–64 letters, digits and . _ : -')

const startConversation = z.strictObject({ title: conversationTitle })

const activities = z.array(activity).min(1).max(maxActivitiesAtOnce)

const attachments = attachmentIds.optional()

const expiresInSeconds = z.int().min(questionSeconds.least).max(questionSeconds.most)

export const observation = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('reply'), promptId, text: replyText, attachments, ...replyEnd }),
  z.strictObject({
    kind: z.literal('progress'),
    promptId,
    text: text().max(maxProgressCharacters).optional(),
    from: z.int().min(0).max(maxReplyCharacters).default(0),
  }),
  /** The whole beginning of a reply to another platform's chat, as it is to be shown there now. */
  z.strictObject({ kind: z.literal('draft'), promptId, text: text().max(maxProgressCharacters) }),
  z.strictObject({
    kind: z.literal('heartbeat'),
    busy: z.boolean(),
    promptId: promptId.optional(),
    measured: measurement.optional(),
    samples: z.array(sample).max(maxSamples).optional(),
  }),
  z.strictObject({ kind: z.literal('activity'), promptId, activities }),
  /** Unsolicited. */
  z
    .strictObject({
      kind: z.literal('message'),
      key: ownKey,
      text: replyText,
      attachments,
      conversation: conversationRef.optional(),
      startConversation: startConversation.optional(),
    })
    .refine(({ conversation, startConversation }) => !conversation || !startConversation, {
      path: ['startConversation'],
      message: 'Send it or conversation, not both.',
    }),
  z
    .strictObject({
      ...newQuestion.shape,
      kind: z.literal('question'),
      key: ownKey,
      promptId: promptId.optional(),
      expiresInSeconds: expiresInSeconds.default(questionSeconds.usual),
    })
    .refine(({ answer, choices }) => (answer === 'choose') === (choices !== undefined), {
      path: ['choices'],
      message: 'Send choices with answer "choose", and only then.',
    })
    .refine((asked) => JSON.stringify(asked.arguments ?? {}).length <= maxArgumentBytes, {
      path: ['arguments'],
      message: `They take at most ${maxArgumentBytes} characters as JSON.`,
    }),
  z.strictObject({ kind: z.literal('ready') }),
  z.strictObject({ kind: z.literal('cannot-start'), reason: cannotStartReason }),
  z.strictObject({ kind: z.literal('draining') }),
  /** The runtime died: its leases are free. */
  z.strictObject({ kind: z.literal('crashed') }),
  z.strictObject({ kind: z.literal('restore-point') }),
  /** Progress of a task: only its id while it runs, its result, or its failure. */
  z.strictObject({
    kind: z.literal('task'),
    taskId,
    result: taskResult.optional(),
    failure: taskFailure.optional(),
  }),
  z.strictObject({ kind: z.literal('volume-erased') }),
])
export type Observation = z.infer<typeof observation>
export type SentObservation = z.input<typeof observation>

/** One flat object, because a request body is one; each kind's own fields are checked with `observation`. */
export const observationBody = z
  .strictObject({
    kind: z.enum(observation.options.map(({ shape }) => shape.kind.value)),
    promptId: z
      .string()
      .optional()
      .meta({ description: 'With reply, progress, draft and activity; with heartbeat and question if there is one.' }),
    text: text()
      .optional()
      .meta({ description: 'The whole reply, message or question; of progress and draft, the text so far.' }),
    from: z.int().optional().meta({ description: 'With progress: at which character of the reply `text` begins; 0.' }),
    busy: z.boolean().optional().meta({ description: 'With heartbeat: whether the agent works.' }),
    measured: measurement.optional().meta({ description: 'With heartbeat: the machine’s usage.' }),
    samples: z
      .array(sample)
      .optional()
      .meta({ description: 'With heartbeat: the measurements since the last heartbeat, one per minute.' }),
    reason: cannotStartReason
      .optional()
      .meta({ description: 'With cannot-start: the reason why the agent does not start.' }),
    taskId: z.string().optional().meta({ description: 'With task.' }),
    activities: activities.optional().meta({ description: 'With activity.' }),
    key: z
      .string()
      .optional()
      .meta({ description: 'With message and question: repeating it with the same key has no effect.' }),
    conversation: z.string().optional().meta({ description: 'With message: its conversation. Default: "main".' }),
    startConversation: startConversation.optional().meta({ description: 'With message: starts a new conversation.' }),
    answer: newQuestion.shape.answer.optional().meta({ description: 'With question: the kind of answer.' }),
    attachments: attachments.meta({ description: 'With reply and message: the uploaded files.' }),
    outcome: replyEnd.outcome.meta({ description: 'With reply: how it ended, if not `completed`.' }),
    refusal: replyEnd.refusal.meta({ description: 'With reply: the code of the error that it tells the user.' }),
    choices: z.array(text()).optional().meta({ description: 'With question: the answers to choose from.' }),
    tool: text().optional().meta({ description: 'With question: the tool that would be called.' }),
    arguments: newQuestion.shape.arguments.meta({
      description: 'With question: the arguments of that call.',
    }),
    expiresInSeconds: z.int().optional().meta({ description: 'With question: the time until it expires.' }),
    result: taskResult.optional().meta({ description: 'With task, once it is done.' }),
    failure: taskFailure.optional().meta({ description: 'With task, when it cannot be done.' }),
  })
  .superRefine((body, context) => {
    for (const issue of observation.safeParse(body, { error: explainIssue }).error?.issues ?? []) {
      const path = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : issue.path
      context.addIssue({ code: 'custom', path: [...path], message: issue.message })
    }
  })

/** `work`: a task waits for a report with samples. `stopped`: the user cancelled the prompt. `message`: of a reply. */
export const observed = z.object({
  accepted: z.literal(true),
  message: message.optional(),
  question: question.optional(),
  work: z.boolean().optional(),
  stopped: z.literal(true).optional(),
})
export type Observed = z.infer<typeof observed>

export const feedback = z.strictObject({ promptId, outcome, note: text().max(maxNoteCharacters).optional() })
export type Feedback = z.infer<typeof feedback>
