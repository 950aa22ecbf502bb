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

/** A table of a stage, and the restored table next to it. */
export interface SideTable {
  table: TableName
  source: string
  target: string
}

/** How often AWS is asked how far it is, and how long that may take, ms. */
const betweenMs = 2_000
const patienceMs = 6 * 60 * 60_000

const names = Object.keys(tables) as TableName[] // safe because tables is a closed record of its own keys

/**
 * The whole name, never a beginning: a stage called `prod-drill` has tables of its own that begin like those of the
 * drill of `prod`.
 */
export const sideName = (stage: string, table: TableName): string => `berth-${stage}-drill-${table}`

/** @throws Stop when a table of the service is not in the stage's stack */
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
 * The newest instant to which all tables can go back, so that what was written to several of them at once is whole;
 * `wantedMs` when all can go back to that.
 * @throws Stop when one cannot
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
    throw new Stop(`All tables can go back to any instant from ${iso(fromMs)} until ${iso(untilMs)}.`)
  return atMs
}

/** Restores all of them, at once, and waits until they answer. @throws Stop */
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

/** Deletes what an earlier drill left, or this one made. @returns how many there were */
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

/** Asks after each until it is so. @throws Stop when it takes too long */
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
