import { setTimeout as sleep } from 'node:timers/promises'
import type { StackResource } from '../../adapters/aws/deployment/removal.ts'
import {
  deleteTable,
  describeTable,
  restorableWindow,
  restoreTable,
} from '../../adapters/aws/deployment/table-restores.ts'
import { type TableName, tables } from '../../adapters/dynamo/tables.ts'
import { iso } from '../../domain/time.ts'
import { Stop } from '../deploy/stop.ts'

export interface SideTable {
  table: TableName
  source: string
  target: string
}

const betweenMs = 2_000
const patienceMs = 6 * 60 * 60_000

const names = Object.keys(tables) as TableName[] // safe because tables is a closed record of its own keys

/** Never compared as a prefix: a stage called `prod-drill` has tables that begin like the drill's of `prod`. */
export const sideName = (stage: string, table: TableName): string => `berth-${stage}-drill-${table}`

/** @throws Stop when a table of the service is missing in the stage's stack */
export function sideTables(stage: string, state: readonly StackResource[]): SideTable[] {
  const deployed = state.filter(({ type }) => type === 'AWS::DynamoDB::Table')
  return names.map((table) => {
    const source = deployed.find(({ id }) => new RegExp(`^Tables${table}[0-9A-F]{8}$`).test(id))?.name
    if (!source)
      throw new Stop(`The stage ${stage} has no table ${table}: it runs an older release. Deploy, then run this again.`)
    return { table, source, target: sideName(stage, table) }
  })
}

/**
 * Answers `wantedMs`, or the newest instant that all tables can be restored to: one instant keeps transactions over
 * several tables whole.
 * @throws Stop when a table cannot be restored to it
 */
export async function commonInstant(all: readonly SideTable[], wantedMs: number | null): Promise<number> {
  const windows = await Promise.all(
    all.map(async ({ source }) => {
      const window = await restorableWindow(source)
      if (!window) throw new Stop(`${source} has no point-in-time recovery. Deploy again: the template turns it on.`)
      return window
    }),
  )
  const fromMs = Math.max(...windows.map((window) => window.fromMs))
  const untilMs = Math.min(...windows.map((window) => window.untilMs))
  const atMs = wantedMs ?? untilMs
  if (atMs < fromMs || atMs > untilMs)
    throw new Stop(`All tables can be restored to any instant from ${iso(fromMs)} to ${iso(untilMs)}.`)
  return atMs
}

/** Restores all tables in parallel and waits until they are ready. @throws Stop */
export async function restoreAll(all: readonly SideTable[], atMs: number, say: (line: string) => void): Promise<void> {
  for (const { source, target } of all)
    await restoreTable(source, target, atMs).catch((error: Error) => {
      throw new Stop(`${source} could not be restored: ${error.message}`)
    })
  await until(
    all,
    async ({ target }) => (await describeTable(target))?.isReady ?? false,
    (left) => say(`  ${all.length - left} of ${all.length} tables are restored`),
  )
}

/** Deletes the drill's tables, also those of an earlier drill. @returns their number */
export async function deleteAll(all: readonly SideTable[]): Promise<number> {
  const there: SideTable[] = []
  for (const each of all) if (await describeTable(each.target)) there.push(each)
  for (const { target } of there) await deleteTable(target)
  await until(
    there,
    async ({ target }) => (await describeTable(target)) === null,
    () => {},
  )
  return there.length
}

/** @throws Stop when it takes too long */
async function until(
  all: readonly SideTable[],
  isSo: (table: SideTable) => Promise<boolean>,
  progress: (left: number) => void,
): Promise<void> {
  const begun = Date.now()
  for (let [left, shown] = [[...all], all.length]; ; await sleep(betweenMs)) {
    const waiting: SideTable[] = []
    for (const each of left) if (!(await isSo(each))) waiting.push(each)
    left = waiting
    if (left.length !== shown) progress(left.length)
    shown = left.length
    if (left.length === 0) return
    if (Date.now() - begun > patienceMs)
      throw new Stop(`${left.map(({ target }) => target).join(', ')}: AWS has not finished. Run this again.`)
  }
}
