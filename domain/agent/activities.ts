import type { Activity } from './activity.ts'

/** What was known, with what was told since: of each what it came to, in the order in which they began. */
export function withActivities(before: readonly Activity[], told: readonly Activity[]): Activity[] {
  const byId = new Map(before.map((activity) => [activity.id, activity]))
  for (const activity of told) byId.set(activity.id, { ...byId.get(activity.id), ...activity })
  return [...byId.values()]
}
