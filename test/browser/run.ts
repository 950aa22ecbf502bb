/** `npm run test:browser [job …]`: the jobs, or those named, against the service at `BERTH_URL`, or against one of its own on fresh data. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBerth } from '../../local/main.ts'

const jobs = [
  'main',
  'account',
  'wallet',
  'files',
  'catalogue',
  'attachments',
  'oauth',
  'outside',
  'conversations',
  'hostile',
  'hostile-pages',
  'chat',
  'connect',
  'clients',
  'step-up',
  'telegram',
  'operator',
  'trial',
  'notifications',
  'tour',
]
const asked = process.argv.slice(2)

const dataDir = mkdtempSync(join(tmpdir(), 'berth-browser-'))
process.env.BERTH_OPERATORS ??= 'operator@example.com'
const own = process.env.BERTH_URL ? null : await startBerth({ port: 0, dataDir, quiet: true })
try {
  const env = { ...process.env, ...(own && { BERTH_URL: own.url, BERTH_DATA_DIR: dataDir }) }
  for (const name of asked.length > 0 ? asked : jobs) {
    const job = spawn(process.execPath, [join(import.meta.dirname, `${name}-job.ts`)], { env, stdio: 'inherit' })
    const [code] = await once(job, 'exit')
    process.exitCode ||= code ?? 1
  }
} finally {
  await own?.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
