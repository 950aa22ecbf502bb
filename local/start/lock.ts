/** A lock file with the holder's pid. A killed holder loses the lock. */
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hasCode } from '../kit/problem.ts'

export interface Lock {
  release(): void
}

/** Takes the lock, or returns the pid of its living holder. @throws if the file cannot be written */
export function takeLock(path: string): Lock | { heldBy: number } {
  const own = `${path}.${process.pid}`
  writeFileSync(own, `${process.pid} ${birthOf(process.pid)}`)
  try {
    for (;;) {
      if (linked(own, path)) return { release: () => rmSync(path, { force: true }) }
      const holder = readHolder(path)
      if (holder !== undefined) return { heldBy: holder }
      rmSync(path, { force: true })
    }
  } finally {
    rmSync(own, { force: true })
  }
}

/** A link is atomic, so nobody reads a lock without its pid. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

function readHolder(path: string): number | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
  const [pid = '', birth = ''] = text.split(' ')
  return isAlive(Number(pid)) && birthOf(Number(pid)) === birth ? Number(pid) : undefined
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/** Start time in clock ticks since boot: pids are reused, this pair is not. Empty off Linux, and for a zombie. */
function birthOf(pid: number): string {
  try {
    const [state, ...rest] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop()?.split(' ') ?? []
    return state === 'Z' || state === 'X' ? '' : (rest[18] ?? '')
  } catch {
    return ''
  }
}
