/**
 * Every runtime that is shipped, installed as it is published and hosted in a local service one after another, against a model on a
 * script. `npm run prove agents:pi` tries one. Their rows in docs/works-with.md are written.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { leastPlanFor } from '../../domain/instance/runtime.ts'
import { type Manifest, manifests } from './agents/manifests.ts'
import { openPrograms } from './clients/programs.ts'
import { type Seen, today, writeSection } from './clients/works-with.ts'

const [, , only] = process.argv
const checks = [
  'answers',
  'knows its persona',
  'works',
  'receives an image',
  'remembers',
  'refreshed',
  'restored',
  'asks',
  'is stopped',
  'survives kill -9',
  'by schedule',
  'empty wallet',
  'peak memory',
]

function prove({ name, npm }: Manifest): Seen[] {
  const programs = openPrograms(`agents-${name}`)
  if (npm) programs.npm({ [npm.name]: npm.version })
  const script = join(import.meta.dirname, 'agents/one.ts')
  const run = spawnSync(process.execPath, [script, name, programs.inside()], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 20 * 60_000,
  })
  programs.close()
  const lines = run.stdout.split('\n').filter((line) => line.startsWith('{"client"'))
  const seen: Seen[] = lines.map((line) => JSON.parse(line))
  for (const { client, check, holds, cell, said } of seen)
    console.log(`  ${holds ? 'ok    ' : 'FAILED'} ${client}, ${check}${holds ? ` ${cell ?? ''}` : `: ${said}`}`)
  return seen
}

const list = manifests().filter(({ name }) => only === undefined || name === only)
const seen = list.flatMap(prove)
const cellOf = (title: string, check: string): string => {
  const found = seen.find((result) => result.client === title && result.check === check)
  return found ? (found.holds ? (found.cell ?? 'yes') : '**no**') : '**not seen**'
}
const head = ['runtime', 'version', 'licence', ...checks, 'smallest plan', 'model calls']
const rowOf = (manifest: Manifest): string[] => [
  manifest.title,
  manifest.npm ? `${manifest.npm.name} ${manifest.npm.version}` : 'of this tree',
  manifest.redistributed ? manifest.licence : `${manifest.licence}; added by the operator`,
  ...checks.map((check) => cellOf(manifest.title, check)),
  `${leastPlanFor(manifest)?.name ?? 'none'} (needs ${manifest.memoryMiB} MiB)`,
  manifest.formats.join(', '),
]
/** Of one that was not tried now, its row stays as it was. */
const written = readFileSync(join(import.meta.dirname, '../../docs/works-with.md'), 'utf8').split('\n')
const isTried = (manifest: Manifest) => list.some(({ name }) => name === manifest.name)
const rows = manifests().flatMap((manifest) => {
  const row = isTried(manifest)
    ? `| ${rowOf(manifest).join(' | ')} |`
    : written.find((line) => line.startsWith(`| ${manifest.title} | ${manifest.npm?.name ?? 'of this tree'} `))
  return row ? [row] : []
})
const table = [...[head, head.map(() => '---')].map((cells) => `| ${cells.join(' | ')} |`), ...rows].join('\n')
writeSection(
  'Agents that machines run',
  `Tried on ${today()} by \`npm run prove agents\`: each program as it is published, with its wrapper in [agent/runtimes](../agent/runtimes) and the real
supervisor, in the local service, against a model on a script. *answers*: from the message to the whole answer, the program's start included.
*knows its persona*: the model is told what the user's persona says. *works*: it uses a tool, which is seen in the user's event stream. *receives an image*: a PNG that the user
attaches is in the model's call, with the same bytes unless it says otherwise. *remembers*: what was
said before a pause, after the wake, from what it keeps on the volume; *refreshed* and *restored*: after a refresh, and after its volume was brought back from a restore
point. *asks*: it asks its user by the command \`berth\` (the reference agent by its tool), waits, and hears the answer. *is stopped*: from the user's stop in mid-turn to the prompt's close. *survives kill -9*: of the runtime in mid-turn; there is one answer. *by schedule*: it speaks
because a schedule is due. *empty wallet*: it says so, with what to do. *peak memory*: of all processes of the machine, supervisor included, shared
pages counted once (PSS, looked at every 200 ms).

${table}`,
)
const expected = list.length * checks.length
const holding = seen.filter(({ holds }) => holds).length
console.log(`${holding} of ${expected} hold`)
process.exit(holding === expected ? 0 : 1)
