import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { full } from '../counts.ts'
import { unusedRights } from './rights.js'

/** Called by jest with its configuration, and by proofs without one. */
export default async function stop({ testPathPatterns, testNamePattern } = {}) {
  if (!globalThis.berth) return
  const { child, dataDir } = globalThis.berth
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
  const leaked = await leaks(dataDir)
  const denied = await denials(dataDir)
  const rights = JSON.parse(await readFile(join(dataDir, 'logs', 'rights.json'), 'utf8'))
  if (process.env.BERTH_RIGHTS) await writeFile(process.env.BERTH_RIGHTS, JSON.stringify(rights))
  // Only a whole run can find unused rights.
  const whole = full && !testNamePattern && testPathPatterns?.patterns.length === 0
  const unused = whole ? unusedRights(rights) : []
  await rm(dataDir, { recursive: true, force: true })
  if (leaked.length > 0) throw new Error(`secrets of this run are in its logs: ${leaked.join(', ')}`)
  if (denied.length > 0) throw new Error(`functions asked for what they may not do:\n${denied.join('\n')}`)
  if (unused.length > 0) throw new Error(`rights that no suite used (test/service/rights.js):\n${unused.join('\n')}`)
}

/** The refusals by the service's own policies during the run: a right is missing, or a call is superfluous. */
async function denials(dataDir) {
  const log = await readFile(join(dataDir, 'logs', 'berth.log'), 'utf8')
  return [...new Set(log.match(/Denied: .*/g))]
}

/** The logs that contain a secret which the tests sent or received (see contract.ts). */
async function leaks(dataDir) {
  const noted = await readFile(join(dataDir, 'canaries.txt'), 'utf8').catch(() => '')
  const secrets = new Set(noted.split('\n').filter(Boolean))
  const entries = await readdir(join(dataDir, 'logs'), { recursive: true, withFileTypes: true })
  const found = []
  for (const entry of entries.filter((entry) => entry.isFile())) {
    const words = new Set((await readFile(join(entry.parentPath, entry.name), 'utf8')).split(/[^\w.~+/-]+/))
    for (const secret of secrets) if (words.has(secret)) found.push(`${entry.name}: ${secret.slice(0, 8)}…`)
  }
  return found
}
