import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Measurement } from '../../domain/instance/metrics.ts'
import { summarize } from '../volume/files.ts'
import type { SupervisorSettings } from './environment.ts'

/** Interval of measuring the volume, which reads every file's entry. */
const diskEveryMs = 60 * 60_000

/** Usage of a container, or else of a process, since its start. */
export interface GroupUsage {
  cpuMs: number
  memoryBytes: number
}

/** `memoryBytes` is the host's grant for both containers; null without a limit. */
type Machine = Pick<SupervisorSettings, 'volume' | 'container' | 'memoryBytes'>

/** Measures both containers or, without containers, the two programs. */
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

  /** Measures since the last call; the volume's size is from the last walk. */
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

  /** Walks the volume, at most once an hour. @throws what the volume throws */
  measureDisk(): Promise<void> {
    if (Date.now() - this.#walkedMs < diskEveryMs) return this.#walk
    this.#walkedMs = Number.POSITIVE_INFINITY
    this.#walk = summarize(this.#machine.volume)
      .then(({ bytes }) => {
        // Sparse files may add up to more than a report can hold.
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

/** Processes of this container that were killed for lack of memory, with either version of control groups. */
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

/** Only a container sees its own control group; elsewhere these are the host's. */
const readGroup = async (container: boolean, name: string): Promise<string | null> =>
  container ? readFile(join(groups, name), 'utf8').catch(() => null) : null

const ownCpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
