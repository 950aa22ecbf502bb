import type { StartFailureCode } from '../../domain/instance/machine.ts'

/** The machine that a task of ECS is. */
interface TaskOwner {
  userId: string
  generation: number
}

/** Letters, digits, `-`, `_` and `/` are what a task's `startedBy` may hold, 128 characters at most. */
export const startedBy = ({ userId, generation }: TaskOwner): string => `${userId}/${generation}`

/** Null for a task that is not one of our machines. */
export function readStartedBy(text: string | undefined): TaskOwner | null {
  const [, userId, generation] = /^(usr_[0-9A-HJKMNP-TV-Z]{26})\/(\d{1,15})$/.exec(text ?? '') ?? []
  return userId && generation ? { userId, generation: Number(generation) } : null
}

/** The obstacle, from ECS's reason of a start or a stop; null if the reason is unknown. */
export function startFailureCode(text: string): StartFailureCode | null {
  if (/CannotPull|pull image|image .*not found|manifest unknown/i.test(text)) return 'image'
  if (/capacity|RESOURCE:/i.test(text)) return 'capacity'
  if (/limit|quota|throttl|rate exceeded/i.test(text)) return 'quota'
  return null
}

/**
 * ECS's stop codes for a program that ended or did not start by itself; all others are its host's or an operator's
 * doing.
 */
const ownFault = new Set(['EssentialContainerExited', 'TaskFailedToStart'])

/**
 * `crash` counts towards giving up, `host` does not. A task without a code is taken for a crash, so that no loop is
 * endless.
 */
export const stopCause = (stopCode: string | undefined): 'crash' | 'host' =>
  stopCode === undefined || ownFault.has(stopCode) ? 'crash' : 'host'
