import { readFile } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import type { Measurement } from '../domain/instance/metrics.ts'
import { summarize } from './volume/files.ts'

/** The volume is measured this often: it means looking at every file. */
const diskEveryMs = 60 * 60_000

/** What the machine uses. In a container all of it counts, elsewhere the supervisor alone. */
export class UsageMeter {
  readonly #volume: string
  readonly #container: boolean
  #last = { atMs: Date.now(), cpuMs: ownCpuMs() }
  #diskBytes = 0
  #walk = Promise.resolve()
  #walkedMs = Number.NEGATIVE_INFINITY

  constructor(volume: string, container: boolean) {
    this.#volume = volume
    this.#container = container
    this.measureDisk().catch(() => {})
  }

  /** Measures since the last time it was asked; of the volume, what it held when it was last walked through. */
  async measure(): Promise<Measurement> {
    this.measureDisk().catch(() => {})
    const [stat, memory, limit, quota] = await Promise.all(
      ['cpu.stat', 'memory.current', 'memory.max', 'cpu.max'].map((name) => this.#readGroup(name)),
    )
    const groupCpu = /usage_usec (\d+)/.exec(stat ?? '')?.[1]
    const now = { atMs: Date.now(), cpuMs: groupCpu ? Number(groupCpu) / 1000 : ownCpuMs() }
    const [share = 0, period = 0] = (quota ?? '').split(' ').map(Number)
    const cpus = share && period ? share / period : availableParallelism()
    const used = (now.cpuMs - this.#last.cpuMs) / Math.max(now.atMs - this.#last.atMs, 1) / cpus
    this.#last = now
    return {
      cpuPercent: Math.round(Math.min(Math.max(used, 0), 1) * 1000) / 10,
      memoryBytes: Number(memory) || process.memoryUsage.rss(),
      // "max" where there is no limit.
      memoryLimitBytes: Number(limit) || totalmem(),
      diskBytes: this.#diskBytes,
      uptimeSeconds: Math.floor(process.uptime()),
    }
  }

  /** Walks through the volume unless that was done within the hour or is under way. @throws what the volume throws */
  measureDisk(): Promise<void> {
    if (Date.now() - this.#walkedMs < diskEveryMs) return this.#walk
    this.#walkedMs = Number.POSITIVE_INFINITY
    this.#walk = summarize(this.#volume)
      .then(({ bytes }) => {
        this.#diskBytes = bytes
      })
      .finally(() => {
        this.#walkedMs = Date.now()
      })
    return this.#walk
  }

  /** A container sees only its own control group; on any other host these would be the host's. */
  async #readGroup(name: string): Promise<string | null> {
    return this.#container ? readFile(`/sys/fs/cgroup/${name}`, 'utf8').catch(() => null) : null
  }
}

const ownCpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
