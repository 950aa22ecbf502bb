import type { Activity } from './activity.ts'

/** Merges later reports: the latest state of each activity, in the order of their beginning. */
export function withActivities(before: readonly Activity[], told: readonly Activity[]): Activity[] {
  const byId = new Map(before.map((activity) => [activity.id, activity]))
  for (const activity of told) byId.set(activity.id, { ...byId.get(activity.id), ...activity })
  return [...byId.values()]
}
