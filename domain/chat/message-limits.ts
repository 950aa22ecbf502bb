import { trialPlan } from '../billing/plans.ts'
import { conflict } from '../errors.ts'

/** The most that an account may have its agent do, counted per user: tokens, sessions, chats and hooks share it. */
export interface MessageLimits {
  /** Messages that wait for an answer at once, also those of hooks and schedules, and the bytes of their texts. */
  waiting: number
  waitingBytes: number
  /** Messages of people and their programs in a UTC day, and the bytes of their texts. Hooks and schedules have limits of their own. */
  aDay: number
  bytesADay: number
}

const paid: MessageLimits = { waiting: 500, waitingBytes: 2_000_000, aDay: 2_000, bytesADay: 8_000_000 }
const trial: MessageLimits = { waiting: 50, waitingBytes: 500_000, aDay: 200, bytesADay: 1_000_000 }

export const messageLimits = (plan: string): MessageLimits => (plan === trialPlan.id ? trial : paid)

/** Tasks on an account's files that are open at once. */
export const maxOpenTasks = 50

/** Text and counts of a refusal: they are no 429, for a wait alone does not always help. */
export const tooManyWaiting = ({ waiting, waitingBytes }: MessageLimits) =>
  conflict(
    `Too many messages wait for an answer: ${waiting}, or ${waitingBytes / 1_000_000} MB of text, at most. Resume the agent and top up its wallet so that it answers them, or stop some of them. Then send this one again.`,
  )

export const tooManyToday = ({ aDay, bytesADay }: MessageLimits) =>
  conflict(
    `An account sends ${aDay} messages or ${bytesADay / 1_000_000} MB of text in a day at most. Send this one after 00:00 UTC.`,
  )

export const tooManyTasks = () =>
  conflict(
    `${maxOpenTasks} tasks on the files of this account are open already. Wait until some of them have ended, or resume the instance, then ask again.`,
  )
