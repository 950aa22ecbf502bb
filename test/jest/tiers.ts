/** The suites of `npm test`, and those of the full tier. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tier } from '../counts.ts'

const root = join(import.meta.dirname, '../..')

/** Suites with many processes or long simulations: only the full tier runs them. */
export const slowPaths = [
  'adapters/dynamo/(channels/episodes|unpaid-bills|usage-counts|wallet-outage)',
  'agent/(attachments|command|conformance|launcher|obstacles)',
  'agent/loopback/large-bodies',
  'agent/runtime/(journal|tasks|turn)',
  'agent/runtimes/host',
  'agent/supervisor/(runtime-process|socket|start-trouble)',
  'agent/volume/(edit|edit-killed|edit-raced|hostile-journal|jobs|restore-point-edits|take-restore-point|turn-journal|uploads-killed|worker|writes-killed)',
  'bench/proxy',
  'bin/admin-cloud',
  'dashboard/bundle',
  'gateway/listener',
  'lambdas/auth/sign-in-under-attack',
  'lambdas/channels/(moved-groups|refusals)',
  'lambdas/kit/(answer-size|half-characters|openapi-generators|operation-costs|silent-store)',
  'lambdas/llm/(answer-forms|money-simulation)',
  'lambdas/operator/day-sums',
  'lambdas/reconciler/(quiet|volume-worker)',
  'lambdas/trial/interleavings',
  'lambdas/webhooks/(crashes|sending)',
  'lib/(build/bundle|cold)',
  'local/(hostile-runtime|restart|store-down)',
  'proofs/inputs',
  // `npm test` runs only these five suites over the service.
  'service/(?!(fuzz|main-job|mcp|public|typescript-client)\\.)[^/]+',
]

/** Only nightly.yml runs this suite, by its name, because stale proofs take minutes or hours to run again. */
const byNameAlone = ['shape/stale-runs']

/** A pattern of suites by their paths from the root, without `.test.ts`. */
const pattern = (paths: readonly string[]) => `/(${paths.join('|')})\\.test\\.ts$`
const below = (folder: string) => (path: string) => `${folder}/${path}`
const matches = (path: string, paths: readonly string[]) =>
  new RegExp(pattern(paths.map(below('test')))).test(`/${path}`)

/** The import of a suite whose number of cases depends on the tier. */
export const countsImport = /^import \{[^}]*\b(cases|full|most|seeded|some)\b[^}]*\} from '[./]+\/counts\.ts'/m
const isCounted = (path: string) => countsImport.test(readFileSync(join(root, path), 'utf8'))

const suites = globSync('{test,emulators}/**/*.test.ts', { cwd: root }).filter((path) => !matches(path, byNameAlone))

/** Suites that `npm test` leaves out. */
export const slowSuites = suites.filter((path) => matches(path, slowPaths))
const short = suites.filter((path) => !matches(path, slowPaths))
/** Suites that `npm test` runs with few cases: the full tier runs them again. */
export const suitesWithCounts = short.filter(isCounted)
/** Suites that the full tier does not repeat. It repeats those over the service, because only a run of all shows unused rights. */
export const suitesOfNpmTestOnly = short.filter(
  (path) => !suitesWithCounts.includes(path) && !path.startsWith('test/service/'),
)

/** Patterns of the suites that a run skips. Suites that the command names always run. */
export function skippedPatterns(named: boolean, asked = tier): string[] {
  if (named) return []
  const others = {
    nightly: [],
    full: suitesOfNpmTestOnly.map((path) => path.slice(0, -'.test.ts'.length)),
    few: slowPaths.map(below('test')),
  }
  return [pattern([...byNameAlone.map(below('test')), ...others[asked]])]
}
