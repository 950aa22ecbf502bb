import { runId, type StoredRun } from '../../domain/instance/run.ts'
import { openRun } from '../../domain/instance/run-changes.ts'
import type { Page } from '../../domain/page.ts'
import type { Instances, Runs } from '../ports/instance.ts'

/** Newest first. The first page starts with the current run, if there is one. */
export async function listRuns(
  { instances, runs }: { instances: Instances; runs: Runs },
  userId: string,
  { after, limit }: { after: string | null; limit: number },
  nowMs: number,
): Promise<Page<StoredRun>> {
  if (after !== null) return runs.ended(userId, { after, limit }, nowMs)
  // The instance is read first: a run that ends between the two reads is then in both, and otherwise in none.
  const instance = await instances.find(userId)
  const open = instance && openRun(instance)
  const page = await runs.ended(userId, { after, limit }, nowMs)
  if (!open || page.items.some(({ generation }) => generation === open.generation)) return page
  const items = [open, ...page.items.slice(0, limit - 1)]
  return { items, next: page.items.length < limit ? null : runId(items.at(-1) ?? open) }
}
