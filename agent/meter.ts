import { readFile } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { files, noCensus } from './volume/walk.ts'

/** What a machine says of itself: percent, bytes, seconds. */
export interface Measured {
  cpuPercent: number
  memoryBytes: number
  memoryLimitBytes: number
  diskBytes: number
  uptimeSeconds: number
}

/** The volume is measured this often: it means looking at every file. */
const diskEveryMs = 60 * 60_000

/** Measures since the last time it was asked. In a container all of it counts, elsewhere the supervisor alone. */
export function makeMeter(volume: string, inContainer: boolean): () => Promise<Measured> {
  const startedMs = Date.now()
  const group = groupReader(inContainer)
  let last = { atMs: startedMs, cpuMs: ownCpuMs() }
  let disk = { bytes: 0, atMs: Number.NEGATIVE_INFINITY }
  let measuring = false

  async function measureDisk(): Promise<void> {
    if (measuring || Date.now() - disk.atMs < diskEveryMs) return
    measuring = true
    try {
      disk = { bytes: await usage(volume), atMs: Date.now() }
    } catch {
      disk.atMs = Date.now()
    } finally {
      measuring = false
    }
  }

  void measureDisk()
  return async () => {
    void measureDisk()
    const [cpuMs, memory, limit, cpus] = await Promise.all([group.cpuMs(), group.memory(), group.limit(), group.cpus()])
    const now = { atMs: Date.now(), cpuMs: cpuMs ?? ownCpuMs() }
    const share = (now.cpuMs - last.cpuMs) / Math.max(now.atMs - last.atMs, 1) / cpus
    last = now
    return {
      cpuPercent: Math.round(Math.min(Math.max(share, 0), 1) * 1000) / 10,
      memoryBytes: memory ?? process.memoryUsage.rss(),
      memoryLimitBytes: limit ?? totalmem(),
      diskBytes: disk.bytes,
      uptimeSeconds: Math.floor((Date.now() - startedMs) / 1000),
    }
  }
}

/** What a machine that is about to end says of itself: mostly, what its volume holds now. */
export const measureOnce = async (volume: string): Promise<Measured> => ({
  cpuPercent: 0,
  memoryBytes: process.memoryUsage.rss(),
  memoryLimitBytes: totalmem(),
  diskBytes: await usage(volume),
  uptimeSeconds: Math.floor(process.uptime()),
})

/** Bytes of all regular files of the volume. */
async function usage(volume: string): Promise<number> {
  const census = noCensus()
  for await (const _ of files(volume, census));
  return census.bytes
}

const ownCpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** A container sees only its own control group; on any other host these would be the host's. */
function groupReader(inContainer: boolean) {
  const read = async (name: string): Promise<string | null> =>
    inContainer ? readFile(`/sys/fs/cgroup/${name}`, 'utf8').catch(() => null) : null
  return {
    async cpuMs() {
      const used = /usage_usec (\d+)/.exec((await read('cpu.stat')) ?? '')?.[1]
      return used ? Number(used) / 1000 : null
    },
    async memory() {
      const used = await read('memory.current')
      return used ? Number(used) : null
    },
    async limit() {
      const limit = Number(await read('memory.max'))
      return Number.isFinite(limit) && limit > 0 ? limit : null
    },
    async cpus() {
      const [quota, period] = ((await read('cpu.max')) ?? '').split(' ').map(Number)
      return quota && period ? quota / period : availableParallelism()
    },
  }
}
