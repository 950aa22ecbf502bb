import type { Activity } from './activity.ts'

/** The known activities merged with later reports: the latest state of each, in the order of their beginning. */
export function withActivities(before: readonly Activity[], told: readonly Activity[]): Activity[] {
  const byId = new Map(before.map((activity) => [activity.id, activity]))
  for (const activity of told) byId.set(activity.id, { ...byId.get(activity.id), ...activity })
  return [...byId.values()]
}
