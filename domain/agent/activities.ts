import type { Activity } from './activity.ts'

/** What was known, with what was told since: of each what it came to, in the order in which they began. */
export function withActivities(before: readonly Activity[], told: readonly Activity[]): Activity[] {
  const byId = new Map(before.map((one) => [one.id, one]))
  for (const one of told) byId.set(one.id, { ...byId.get(one.id), ...one })
  return [...byId.values()]
}
