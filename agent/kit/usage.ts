import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Usage of a container, or else of a process, since its start. */
export interface GroupUsage {
  cpuMs: number
  memoryBytes: number
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
export const readGroup = async (container: boolean, name: string): Promise<string | null> =>
  container ? readFile(join(groups, name), 'utf8').catch(() => null) : null

export const ownCpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
