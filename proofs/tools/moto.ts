import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../local/kit/child-process.ts'
import { pythonWith } from './python.ts'

/** A third-party emulator of AWS: moto's server, from PyPI. */
export async function startMoto(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = pythonWith('moto', ['moto[all,server]==5.2.5'])
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(join(folder, 'bin/moto_server'), ['-H', '127.0.0.1', '-p', `${port}`], { stdio: 'ignore' })
  for (let tried = 0; !(await answers(url)); tried++) {
    if (child.exitCode !== null) throw new Error(`moto server ended with ${child.exitCode}`)
    if (tried === 300) throw new Error('moto server did not answer within a minute')
    await sleep(200)
  }
  return {
    url,
    async stop() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/moto-api/`).then(
    ({ ok }) => ok,
    () => false,
  )
