/**
 * Every runtime that ships, installed as published and hosted in a local service one after another, with a scripted
 * model. `npm run prove agents:pi` tries a single runtime. docs/works-with.md quotes it.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { leastPlanFor } from '../domain/instance/runtime.ts'
import { type Manifest, manifests } from './agents/manifests.ts'
import { openPrograms } from './clients/programs.ts'
import type { Seen } from './clients/works-with.ts'
import { recordRun } from './kit/record.ts'

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
const rows = list.map((manifest) => `| ${rowOf(manifest).join(' | ')} |`)
const table = [...[head, head.map(() => '---')].map((cells) => `| ${cells.join(' | ')} |`), ...rows].join('\n')
const expected = list.length * checks.length
const holding = seen.filter(({ holds }) => holds).length
console.log(`${holding} of ${expected} hold`)
recordRun('agents', { table }, holding === expected)
process.exit(holding === expected ? 0 : 1)
