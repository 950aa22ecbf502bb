import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startBerth } from '../local/main.ts'
import { recordRun } from '../proofs/kit/record.ts'
import { measureFootprint } from './memory.ts'

/**
 * The resident memory of the whole idle service with one running instance, compared with its limit. The first
 * process does the same and measures nothing: a process that compiles a module also holds Node's TypeScript parser, 20 MB.
 */
const steps = ['compile', 'measure']
const [, program = '', step] = process.argv
if (step === undefined) {
  const run = (each: string) => spawnSync(process.execPath, [...process.execArgv, program, each], { stdio: 'inherit' })
  process.exit(Math.max(...steps.map((each) => run(each).status ?? 1)))
}

const boundMiB = 450
const mib = (bytes: number) => Math.round(bytes / 1_048_576)

const dataDir = await mkdtemp(join(tmpdir(), 'berth-footprint-'))
const berth = await startBerth({ dataDir, port: 0 })
const post = async (path: string, body: object, cookie = '') => {
  const answer = await fetch(`${berth.url}/api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: berth.url, cookie },
    body: JSON.stringify(body),
  })
  return { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '', body: await answer.json() }
}

async function measure(): Promise<void> {
  const email = 'footprint@example.com'
  const asked = await post('/auth/login', { email })
  const { mails } = await (await fetch(`${berth.url}/local/mail?to=${email}`)).json()
  const { cookie } = await post('/auth/verify', { email, code: /\d{6}/.exec(mails[0].subject)?.[0] }, asked.cookie)
  const { body } = await post('/checkout', { plan: 'starter' }, cookie)
  await fetch(`${body.url}/pay`, { method: 'POST' })
  await sleep(15_000)
  if (step !== 'measure') return
  const { totalBytes, processes } = measureFootprint()
  for (const { pid, command, bytes } of processes)
    console.log(`${String(mib(bytes)).padStart(5)} MiB  ${command} (${pid})`)
  console.log(`${String(mib(totalBytes)).padStart(5)} MiB  in all, bound ${boundMiB} MiB`)
  const holds = mib(totalBytes) <= boundMiB
  recordRun('footprint', { mib: mib(totalBytes) }, holds)
  process.exitCode = holds ? 0 : 1
}

try {
  await measure()
} finally {
  await berth.stop()
  await rm(dataDir, { recursive: true, force: true })
}
