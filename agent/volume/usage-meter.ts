import { availableParallelism, totalmem } from 'node:os'
import type { Measurement } from '../../domain/instance/metrics.ts'
import type { SupervisorSettings } from '../kit/environment.ts'
import { type GroupUsage, groupUsage, ownCpuMs, readGroup } from '../kit/usage.ts'
import { summarize } from './files.ts'

/** Interval of measuring the volume, which reads every file's entry. */
const diskEveryMs = 60 * 60_000

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
