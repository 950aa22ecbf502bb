import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

export default async function stop() {
  const { child, dataDir } = globalThis.berth
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
  const leaked = await leaks(dataDir)
  await rm(dataDir, { recursive: true, force: true })
  if (leaked.length > 0) throw new Error(`secrets of this run are in its logs: ${leaked.join(', ')}`)
}

/** The logs that hold a secret which the tests sent or were given (see contract.ts). */
async function leaks(dataDir) {
  const noted = await readFile(join(dataDir, 'canaries.txt'), 'utf8').catch(() => '')
  const secrets = new Set(noted.split('\n').filter(Boolean))
  const entries = await readdir(join(dataDir, 'logs'), { recursive: true, withFileTypes: true })
  const found = []
  for (const entry of entries.filter((one) => one.isFile())) {
    const words = new Set((await readFile(join(entry.parentPath, entry.name), 'utf8')).split(/[^\w.~+/-]+/))
    for (const secret of secrets) if (words.has(secret)) found.push(`${entry.name}: ${secret.slice(0, 8)}…`)
  }
  return found
}
