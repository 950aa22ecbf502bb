/**
 * `npm run prove [name …]`: the proofs and measurements that take too long, or need too many tools, to run for every
 * change. `proofs/proofs.ts` lists them. Each is a program that prints its observations and exits with 1 when a claim
 * does not hold; a successful run is recorded in `bench/runs`, and the documents that quote it are rewritten.
 * `name:part` runs a single part, which is not recorded. `--list` lists all proofs, `--stale` those that must run
 * again; `--nightly` runs the short ones; `--page` writes the tables of `proofs/README.md`.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { readInputs, root } from './kit/inputs.ts'
import { writePage } from './kit/page.ts'
import { writeQuotes } from './kit/quotes.ts'
import type { Report } from './kit/record.ts'
import { writeRun } from './kit/runs.ts'
import { missedRuns, staleRuns } from './kit/stale.ts'
import { type Proof, proofs } from './proofs.ts'

interface Choice {
  name: string
  proof: Proof
  /** Passed to the program after its own arguments: a part of the proof, or options. */
  part: string[]
}

/** A name of the list, the beginning of several names, or a name with a part after it. */
function choicesOf(asked: string, options: string[]): Choice[] {
  const group = Object.entries(proofs).filter(([name]) => name === asked || name.startsWith(`${asked}:`))
  if (group.length > 0) return group.map(([name, proof]) => ({ name, proof, part: options }))
  const whole = Object.entries(proofs).find(([name]) => asked.startsWith(`${name}:`))
  return whole
    ? [{ name: whole[0], proof: whole[1], part: [...asked.slice(whole[0].length + 1).split(':'), ...options] }]
    : []
}

/** Runs a proof. @returns true when it holds */
async function run({ name, proof, part }: Choice): Promise<boolean> {
  const isWhole = part.length === 0
  const folder = mkdtempSync(join(tmpdir(), 'berth-prove-'))
  const report = join(folder, 'report.json')
  // Read before the run, so that an edit during the run makes the record stale at once.
  const inputs = isWhole ? await readInputs(proof) : {}
  const [date, began] = [new Date().toISOString(), performance.now()]
  const { variables, flags } = settingsOf(proof)
  const args = [...flags, join(root, proof.program), ...(proof.args ?? []), ...part]
  const { status } = spawnSync(process.execPath, args, {
    stdio: 'inherit',
    env: { ...process.env, ...variables, ...(isWhole && { BERTH_RUN_REPORT: report, BERTH_RUN_NAME: name }) },
  })
  const seconds = Math.round((performance.now() - began) / 1_000)
  const said: Report | undefined = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined
  rmSync(folder, { recursive: true })
  if (isWhole && (status === 0 || said?.holds === false)) {
    const quotes = Object.entries(said?.quotes ?? {}).map(([quote, text]) => [quote, asLines(`${text}`)])
    writeRun(name, {
      date,
      commit: execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim(),
      seconds,
      cores: availableParallelism(),
      holds: status === 0,
      inputs,
      quotes: Object.fromEntries(quotes),
    })
    console.log(
      `Recorded${writeQuotes(name)
        .map((path) => `, and written to ${path}`)
        .join('')}`,
    )
  }
  return status === 0
}

/** The variables and Node options of the script as which the proof runs. */
function settingsOf({ asScript }: Proof): { variables: Record<string, string>; flags: string[] } {
  if (!asScript) return { variables: {}, flags: [] }
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const words: string[] = scripts[asScript].split(' ')
  const variables = words.slice(0, words.indexOf('node')).map((word) => word.split('='))
  return { variables: Object.fromEntries(variables), flags: words.filter((word) => word.startsWith('--')) }
}

const asLines = (text: string): string | string[] => (text.includes('\n') ? text.trim().split('\n') : text)

function list(): void {
  for (const [name, { about, minutes, needs, nightly }] of Object.entries(proofs)) {
    const also = [nightly && 'nightly', needs && `needs ${needs}`].filter(Boolean).join('; ')
    console.log(`${name.padEnd(18)}${`${minutes} min`.padStart(7)}  ${about}${also && ` (${also})`}`)
  }
}

async function listStale(): Promise<void> {
  const stale = await staleRuns()
  for (const { name, why } of stale)
    console.log(`${name.padEnd(18)}${`${proofs[name]?.minutes} min`.padStart(7)}  ${why}`)
  console.log(
    stale.length === 0 ? 'No run is stale.' : `${stale.length} of ${Object.keys(proofs).length} must run again.`,
  )
  if (missedRuns().length > 0) console.log(`Missed an aim in their recorded runs: ${missedRuns().join(', ')}`)
  process.exitCode = stale.length === 0 ? 0 : 1
}

async function runAll(choices: Choice[]): Promise<void> {
  const failed: string[] = []
  for (const choice of choices) {
    const title = [choice.name, ...choice.part].join(':')
    console.log(`== ${title}`)
    if (!(await run(choice))) failed.push(title)
  }
  if (failed.length > 0) console.log(`Did not hold: ${failed.join(', ')}`)
  console.log(`${choices.length - failed.length} passed, ${failed.length} failed`)
  process.exitCode = failed.length > 0 ? 1 : 0
}

const asked = process.argv.slice(2)
const names = asked.filter((word) => !word.startsWith('-'))
const options = asked.filter((word) => word.startsWith('-') && word !== '--nightly')
const unknown = names.filter((name) => choicesOf(name, []).length === 0)
if (unknown.length > 0) {
  console.error(`There is no proof ${unknown.join(', ')}. There are: ${Object.keys(proofs).join(', ')}`)
  process.exitCode = 2
} else if (asked.includes('--list')) list()
else if (asked.includes('--page')) writePage()
else if (asked.includes('--stale')) await listStale()
else {
  const isWanted = ({ nightly }: Proof) => nightly === true || !asked.includes('--nightly')
  const all = Object.entries(proofs).flatMap(([name, proof]) => (isWanted(proof) ? [name] : []))
  await runAll((names.length > 0 ? names : all).flatMap((name) => choicesOf(name, options)))
}
