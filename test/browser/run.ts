/** `npm run test:browser`: the jobs against the service at `BERTH_URL`, or against one of its own on fresh data. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBerth } from '../../local/main.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'berth-browser-'))
const own = process.env.BERTH_URL ? null : await startBerth({ port: 0, dataDir, quiet: true })
try {
  const env = { ...process.env, ...(own && { BERTH_URL: own.url }) }
  for (const name of [
    'main-job.ts',
    'account-job.ts',
    'wallet-job.ts',
    'files-job.ts',
    'attachments-job.ts',
    'oauth-job.ts',
    'outside-job.ts',
    'conversations-job.ts',
    'connect-job.ts',
    'telegram-job.ts',
  ]) {
    const job = spawn(process.execPath, [join(import.meta.dirname, name)], { env, stdio: 'inherit' })
    const [code] = await once(job, 'exit')
    process.exitCode ||= code ?? 1
  }
} finally {
  await own?.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
