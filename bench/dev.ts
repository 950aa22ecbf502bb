/**
 * `npm run prove dev`: the time from an edit until `npm run dev` shows it, on a copy of the project with its own data.
 */
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { recordRun } from '../proofs/kit/record.ts'
import { hotUpdates, startDevCopy, until } from '../test/local/dev-copy.ts'

const rounds = 5
const startedMs = performance.now()
const dev = await startDevCopy()
console.log(`started in ${seconds(performance.now() - startedMs)} s`)

const bodyOf = async (path: string, init?: RequestInit) => (await fetch(`${dev.url}/api${path}`, init)).text()
/** API Gateway itself refuses this body, with a text of the template. */
const refusedBody = () => bodyOf('/tokens', { method: 'POST', headers: { 'Content-Encoding': 'br' }, body: '{}' })
const page = await hotUpdates(dev.url)
// A page is open and the function has been called, so that only the edit is measured.
await fetch(`${dev.url}/layout.tsx`)
await bodyOf('/health')

interface Kind {
  name: string
  file: string
  /** The edited text; round `n` replaces `text(n - 1)` by `text(n)`. */
  text(round: number): string
  isLive(round: number): boolean | Promise<boolean>
  boundMs: number
}

const kinds: Kind[] = [
  {
    name: 'an operation',
    file: 'lambdas/public/get-health.ts',
    text: (round) => (round === 0 ? 'iso(now)' : `iso(${round}000)`),
    isLive: async (round) => (await bodyOf('/health')).includes(`00:00:0${round}.000Z`),
    boundMs: 2_000,
  },
  {
    name: 'the domain',
    file: 'domain/billing/plans.ts',
    text: (round) => (round === 0 ? "name: 'Starter'" : `name: 'Starter ${round}'`),
    isLive: async (round) => (await bodyOf('/plans')).includes(`Starter ${round}`),
    boundMs: 2_000,
  },
  {
    name: 'the dashboard',
    file: 'dashboard/layout.tsx',
    text: (round) => (round === 0 ? 'export function Layout(' : `export /* ${round} */ function Shell(`),
    isLive: async (round) => {
      if (page.heard.filter((text) => text.includes('/layout.tsx')).length < round) return false
      return (await (await fetch(`${dev.url}/layout.tsx?t=${Date.now()}`)).text()).includes(`/* ${round} */`)
    },
    boundMs: 2_000,
  },
  {
    name: 'the CDK app',
    file: 'lib/api/gateway-responses.ts',
    text: (round) => (round === 0 ? 'of this body is not taken' : `of this body (${round}) is not taken`),
    isLive: async (round) => (await refusedBody()).includes(`of this body (${round}) is not taken`),
    boundMs: 10_000,
  },
]

const rows: string[] = []
try {
  for (const { name, file, text, isLive, boundMs } of kinds) {
    const took: number[] = []
    for (let round = 1; round <= rounds; round++) {
      dev.edit(file, text(round - 1), text(round))
      took.push(await until(() => isLive(round)))
      // Watchers combine edits within a second into one, so the edits are further apart.
      await sleep(1_000)
    }
    const worst = Math.max(...took)
    if (worst > boundMs) process.exitCode = 1
    rows.push(`| ${name} | ${took.map(seconds).join(', ')} | ≤ ${boundMs / 1_000} |`)
    console.log(
      `${name}: ${took.map(seconds).join(', ')} s (wanted: ≤ ${seconds(boundMs)}; load ${loadavg()[0]?.toFixed(1)})`,
    )
  }
  const table = ['| an edit of | s | wanted |', '|---|---|---|', ...rows].join('\n')
  recordRun('dev', { load: (loadavg()[0] ?? 0).toFixed(1), table }, !process.exitCode)
} finally {
  page.close()
  await dev.stop()
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2)
}
