import { type Plan, planById } from '../billing/plans.ts'
import { conflict } from '../errors.ts'

/** Counted per user: tokens, sessions, chats and hooks share it. */
export type MessageLimits = Plan['messages']

export const messageLimits = (plan: string): MessageLimits => planById(plan).messages

export const maxOpenTasks = 50

/** Not a 429, because waiting alone does not always help. */
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
