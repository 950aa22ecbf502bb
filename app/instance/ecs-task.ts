import type { StartFailureCode } from '../../domain/instance/machine.ts'

interface TaskOwner {
  userId: string
  generation: number
}

/** ECS limits `startedBy` to 128 letters, digits, `-`, `_` and `/`. */
export const startedBy = ({ userId, generation }: TaskOwner): string => `${userId}/${generation}`

export function readStartedBy(text: string | undefined): TaskOwner | null {
  const [, userId, generation] = /^(usr_[0-9A-HJKMNP-TV-Z]{26})\/(\d{1,15})$/.exec(text ?? '') ?? []
  return userId && generation ? { userId, generation: Number(generation) } : null
}

export function startFailureCode(text: string): StartFailureCode | null {
  if (/CannotPull|pull image|image .*not found|manifest unknown/i.test(text)) return 'image'
  if (/capacity|RESOURCE:/i.test(text)) return 'capacity'
  if (/limit|quota|throttl|rate exceeded/i.test(text)) return 'quota'
  return null
}

/** Stop codes of a program that ended or did not start by itself; the host or an operator causes all others. */
const ownFault = new Set(['EssentialContainerExited', 'TaskFailedToStart'])

/** `crash` counts towards giving up, `host` does not. No code counts as a crash, so that no loop is endless. */
export const stopCause = (stopCode: string | undefined): 'crash' | 'host' =>
  stopCode === undefined || ownFault.has(stopCode) ? 'crash' : 'host'
