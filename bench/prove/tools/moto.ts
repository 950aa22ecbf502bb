import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** An emulator of AWS that is not ours: `moto_server` as it is found, or from PyPI in a virtual environment of its own. */
export async function startMoto(): Promise<{ url: string; stop(): Promise<void> }> {
  const url = `http://127.0.0.1:${await freePort()}`
  const child = spawn(program(), ['-H', '127.0.0.1', '-p', new URL(url).port], { stdio: 'ignore' })
  for (let tried = 0; tried < 300; tried++) {
    if (child.exitCode !== null) throw new Error(`moto server ended with ${child.exitCode}`)
    if ((await fetch(`${url}/moto-api/`).catch(() => undefined))?.ok) break
    if (tried === 299) throw new Error('moto server did not answer within 30 s')
    await sleep(100)
  }
  return {
    url,
    async stop() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

function program(): string {
  if (spawnSync('moto_server', ['--help']).status === 0) return 'moto_server'
  const folder = join(tmpdir(), 'berth-prove-moto')
  const found = join(folder, 'bin', 'moto_server')
  if (!existsSync(found)) {
    const done = [
      spawnSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' }),
      spawnSync(join(folder, 'bin', 'pip'), ['install', '--quiet', 'moto[all,server]'], { stdio: 'inherit' }),
    ]
    if (done.some(({ status }) => status !== 0))
      throw new Error('moto server could not be installed: python3 and PyPI are needed')
  }
  return found
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (!address || typeof address === 'string') throw new Error('no port is free')
  return address.port
}
