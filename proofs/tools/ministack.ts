import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../local/kit/child-process.ts'
import { pythonWith } from './python.ts'

interface Ministack {
  url: string
  /** Forgets all stacks and resources. */
  reset(): Promise<void>
  stop(): Promise<void>
}

/** A third-party emulator of AWS with CloudFormation: ministack, from PyPI. */
export async function startMinistack(account: string, region: string): Promise<Ministack> {
  const python = pythonWith('ministack', ['ministack==1.5.33'])
  const folder = mkdtempSync(join(tmpdir(), 'berth-ministack-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(join(python, 'bin/ministack'), [], {
    cwd: folder,
    stdio: 'ignore',
    env: {
      ...process.env,
      GATEWAY_PORT: `${port}`,
      BIND_HOST: '127.0.0.1',
      MINISTACK_ACCOUNT_ID: account,
      MINISTACK_REGION: region,
      S3_DATA_DIR: join(folder, 's3'),
      TMPDIR: folder,
    },
  })
  const ask = (path: string, method = 'GET') =>
    fetch(`${url}/_ministack/${path}`, { method }).then(
      ({ ok }) => ok,
      () => false,
    )
  for (let tried = 0; !(await ask('health')); tried++) {
    if (child.exitCode !== null) throw new Error(`ministack ended with ${child.exitCode}`)
    if (tried === 300) throw new Error('ministack did not answer within a minute')
    await sleep(200)
  }
  return {
    url,
    async reset() {
      if (!(await ask('reset', 'POST'))) throw new Error('ministack could not be reset')
    },
    async stop() {
      child.kill()
      await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
