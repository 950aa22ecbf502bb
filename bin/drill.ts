/**
 * `npm run drill -- --stage <name>`: restores a stage's tables next to the originals, as of one instant. It checks
 * books, accounts, restore points and secrets. In the stage it changes only the date of the last drill.
 */
import { parseArgs } from 'node:util'
import { writeParameter } from '../adapters/aws/deployment/account.ts'
import { resourcesOf, type StackResource } from '../adapters/aws/deployment/removal.ts'
import { tableEnv } from '../adapters/dynamo/tables.ts'
import { type Env, readEnv } from '../adapters/env.ts'
import { iso } from '../domain/time.ts'
import { drillParameter } from '../lib/parameters.ts'
import { openStage } from './deploy/account.ts'
import { stacksOf } from './deploy/cdk.ts'
import { main, Stop, say } from './deploy/stop.ts'
import { type Examined, examineBooks, examineSecrets, examineTables, examineVolumes } from './drill/examine.ts'
import { commonInstant, deleteAll, restoreAll, type SideTable, sideTables } from './drill/side-tables.ts'

const usage = `npm run drill -- --stage <name>
  --at <instant>      restore this instant, such as 2026-11-20T09:30:00Z, at most 35 days ago; by default a few minutes ago
  --keep              keep the restored tables, to copy from them; the next drill deletes them`

async function drill(name: string, wantedMs: number | null, keep: boolean): Promise<void> {
  await openStage(name)
  const state = await resourcesOf(stacksOf(name).state)
  if (state.length === 0) throw new Stop(`The stage ${name} does not exist in this account and Region.`)
  const tables = sideTables(name, state)
  const left = await deleteAll(tables)
  if (left > 0) say(`Deleted ${left} tables of an earlier drill.`)
  const begunMs = Date.now()
  const atMs = await commonInstant(tables, wantedMs)
  say(`Restoring ${tables.length} tables as of ${iso(atMs)} …`)
  let problems: string[]
  try {
    await restoreAll(tables, atMs, say)
    const restoredMs = Date.now()
    problems = await examine(name, tables, state)
    say(`\nA disaster now would lose everything after ${iso(atMs)}: the last ${seconds(begunMs - atMs)}.`)
    say(`Restoring took ${seconds(restoredMs - begunMs)}, checking ${seconds(Date.now() - restoredMs)}.`)
  } catch (error) {
    await tidy(tables, false)
    throw new Stop(`${error instanceof Error ? error.message : error}\nThe stage is unchanged. Run this again.`)
  }
  await tidy(tables, keep)
  if (problems.length > 0)
    throw new Stop(
      `\n${problems.length} problems. The drill counts only without problems: fix them and run this again.`,
    )
  await writeParameter(drillParameter(name), iso(Date.now()))
  say('\nNothing is missing.')
}

/** Prints and returns the problems of the restored data. */
async function examine(name: string, tables: readonly SideTable[], state: readonly StackResource[]): Promise<string[]> {
  const bucket = state.find(({ type }) => type === 'AWS::S3::Bucket')?.name ?? ''
  const env = sideEnv(tables, bucket)
  const allProblems: string[] = []
  const tell = ({ seen, problems }: Examined): void => {
    say(`${problems.length > 0 ? 'wrong' : 'ok   '}  ${seen}`)
    for (const problem of problems) say(`         ${problem}`)
    allProblems.push(...problems)
  }
  tell(await examineTables(tables))
  const books = await examineBooks(env)
  tell(books)
  tell(await examineVolumes(env, books.owners))
  tell(await examineSecrets(name))
  return allProblems
}

/** An environment in which the service's adapters read the restored tables. */
function sideEnv(tables: readonly SideTable[], bucket: string): Env {
  const names = tables.map(({ table, target }): [string, string] => [tableEnv(table), target])
  return readEnv({ ...Object.fromEntries(names), FILES_BUCKET: bucket })
}

async function tidy(tables: readonly SideTable[], keep: boolean): Promise<void> {
  if (keep) return say(`\nThe restored tables stay: ${tables.map(({ target }) => target).join(', ')}`)
  await deleteAll(tables).catch((error: Error) =>
    say(`\nThe restored tables could not be deleted (${error.message}). Run this again; it deletes them first.`),
  )
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`

await main(async () => {
  const { values } = parseArgs({
    options: { stage: { type: 'string' }, at: { type: 'string' }, keep: { type: 'boolean', default: false } },
  })
  const atMs = values.at === undefined ? null : Date.parse(values.at)
  if (values.stage === undefined || Number.isNaN(atMs)) throw new Stop(usage)
  await drill(values.stage, atMs, values.keep)
})
