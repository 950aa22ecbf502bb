import type { Message } from './message.ts'

/** A replaced message and everything that followed it: the places with `from` ≤ place < `before`. */
interface Replaced {
  from: string
  before: string
}

type Said = Pick<Message, 'id' | 'inReplyTo' | 'replaces'>

/** The id that decides on which branches a message is: a reply is where its question is, also when it comes late. */
export const placeOf = ({ id, inReplyTo }: Said): string => inReplyTo ?? id

/** Whether a branch has this place. */
export const isOn = (replaced: readonly Replaced[], place: string): boolean =>
  !replaced.some(({ from, before }) => from <= place && place < before)

/**
 * The parts of a conversation that are not on the branch that ends with `last`, newest first. A message that replaces
 * another continues the conversation before that one. Any other message continues the newest branch.
 * @param messages oldest first; `replaces` names a first version
 */
export function replacedBefore(messages: readonly Said[], last: string | null): Replaced[] {
  const replaced: Replaced[] = []
  let isBefore = (id: string) => last === null || id <= last
  for (const { id, replaces } of messages.toReversed()) {
    if (replaces === undefined || !isBefore(id)) continue
    replaced.push({ from: replaces, before: id })
    isBefore = (other) => other < replaces
  }
  return replaced
}

/** The messages of the branch that ends with `last` and its reply; without `last`, of the newest branch. */
export function branchOf<M extends Said>(messages: readonly M[], last: string | null): M[] {
  const replaced = replacedBefore(messages, last)
  return messages.filter((message) => {
    const place = placeOf(message)
    return (last === null || place <= last) && isOn(replaced, place)
  })
}

/** The versions of each message that was replaced, oldest first, by the id of each version. */
export function versionsOf(messages: readonly Said[]): ReadonlyMap<string, readonly string[]> {
  const versions = new Map<string, string[]>()
  for (const { id, replaces } of messages) {
    if (replaces === undefined) continue
    const all = versions.get(replaces) ?? [replaces]
    all.push(id)
    versions.set(replaces, all).set(id, all)
  }
  return versions
}

/** The last message, other than a reply, of the newest branch that has this message. */
export function lastWith(messages: readonly Said[], id: string): string {
  /** Each place until now, and whether the branch that it ends has the message. */
  const known: { id: string; has: boolean }[] = []
  for (const message of messages) {
    if (message.inReplyTo !== undefined) continue
    const { replaces } = message
    const before = replaces === undefined ? known.at(-1) : known.findLast((each) => each.id < replaces)
    known.push({ id: message.id, has: message.id === id || (before?.has ?? false) })
  }
  return known.findLast(({ has }) => has)?.id ?? id
}
