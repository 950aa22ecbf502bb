import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Measurement } from '../domain/instance/metrics.ts'
import type { SupervisorSettings } from './environment.ts'
import { summarize } from './volume/files.ts'

/** The volume is measured this often: it means looking at every file. */
const diskEveryMs = 60 * 60_000

/** The usage of a container since its start, or of a process where there is no container. */
export interface GroupUsage {
  cpuMs: number
  memoryBytes: number
}

/** The measurement: `memoryBytes` is the memory the host grants both containers, null if there is no limit. */
type Machine = Pick<SupervisorSettings, 'volume' | 'container' | 'memoryBytes'>

/** The machine's usage: both containers. Where there are none, the two programs of Berth's own in it. */
export class UsageMeter {
  readonly #machine: Machine
  readonly #others: () => Promise<GroupUsage | null>
  #last = { atMs: Date.now(), cpuMs: ownCpuMs() }
  #diskBytes = 0
  #walk = Promise.resolve()
  #walkedMs = Number.NEGATIVE_INFINITY

  /** `others` measures the runtime's container. */
  constructor(machine: Machine, others: () => Promise<GroupUsage | null> = async () => null) {
    this.#machine = machine
    this.#others = others
    this.measureDisk().catch(() => {})
  }

  /** Measures since the last time it was asked; of the volume, what it held when it was last walked through. */
  async measure(): Promise<Measurement> {
    this.measureDisk().catch(() => {})
    const [own, others, quota] = await Promise.all([
      groupUsage(this.#machine.container),
      this.#others(),
      readGroup(this.#machine.container, 'cpu.max'),
    ])
    const now = { atMs: Date.now(), cpuMs: own.cpuMs + (others?.cpuMs ?? 0) }
    const [share = 0, period = 0] = (quota ?? '').split(' ').map(Number)
    const cpus = share && period ? share / period : availableParallelism()
    const used = (now.cpuMs - this.#last.cpuMs) / Math.max(now.atMs - this.#last.atMs, 1) / cpus
    this.#last = now
    return {
      cpuPercent: Math.round(Math.min(Math.max(used, 0), 1) * 1000) / 10,
      memoryBytes: own.memoryBytes + (others?.memoryBytes ?? 0),
      memoryLimitBytes: this.#machine.memoryBytes ?? totalmem(),
      diskBytes: this.#diskBytes,
      uptimeSeconds: Math.floor(process.uptime()),
    }
  }

  /** Walks through the volume unless that was done within the hour or is under way. @throws what the volume throws */
  measureDisk(): Promise<void> {
    if (Date.now() - this.#walkedMs < diskEveryMs) return this.#walk
    this.#walkedMs = Number.POSITIVE_INFINITY
    this.#walk = summarize(this.#machine.volume)
      .then(({ bytes }) => {
        // Sparse files may add up to more than a report can say.
        this.#diskBytes = Math.min(bytes, Number.MAX_SAFE_INTEGER)
      })
      .finally(() => {
        this.#walkedMs = Date.now()
      })
    return this.#walk
  }
}

export async function groupUsage(container: boolean): Promise<GroupUsage> {
  const [stat, memory] = await Promise.all(['cpu.stat', 'memory.current'].map((name) => readGroup(container, name)))
  const cpu = /usage_usec (\d+)/.exec(stat ?? '')?.[1]
  return {
    cpuMs: cpu ? Number(cpu) / 1000 : ownCpuMs(),
    memoryBytes: Number(memory) || process.memoryUsage.rss(),
  }
}

/**
 * How many processes of this container were killed because its memory was used up; by either generation of control
 * groups.
 */
export function memoryKills(container: boolean): number {
  if (!container) return 0
  for (const name of ['memory.events', 'memory/memory.oom_control']) {
    try {
      return Number(/^oom_kill (\d+)/m.exec(readFileSync(join(groups, name), 'utf8'))?.[1] ?? 0)
    } catch {}
  }
  return 0
}

const groups = '/sys/fs/cgroup'

/** A container sees only its own control group; on any other host these would be the host's. */
const readGroup = async (container: boolean, name: string): Promise<string | null> =>
  container ? readFile(join(groups, name), 'utf8').catch(() => null) : null

const ownCpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
