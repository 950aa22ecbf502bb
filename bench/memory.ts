/** The memory of the service: the resident size of a process and all its descendants. */
import { readdirSync, readFileSync } from 'node:fs'

interface Footprint {
  /** Bytes; a shared page counts in each process that maps it. */
  totalBytes: number
  processes: { pid: number; command: string; bytes: number }[]
}

/** Measures `root` and all its descendants. Linux only: throws on other systems. */
export function measureFootprint(root: number = process.pid): Footprint {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    const parent = Number.isInteger(pid) ? field(pid, 'PPid') : undefined
    if (parent !== undefined) parents.set(pid, Number(parent))
  }
  const processes = [...parents.keys()].filter((pid) => descendsFrom(pid, root, parents)).map(describe)
  return { totalBytes: processes.reduce((sum, { bytes }) => sum + bytes, 0), processes }
}

function descendsFrom(pid: number, root: number, parents: Map<number, number>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 0; at = parents.get(at)) if (at === root) return true
  return false
}

function describe(pid: number) {
  return { pid, command: field(pid, 'Name') ?? '', bytes: Number.parseInt(field(pid, 'VmRSS') ?? '0', 10) * 1024 }
}

/** One line of /proc/…/status; undefined once the process is gone. */
function field(pid: number, name: string): string | undefined {
  try {
    return new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  } catch {
    return undefined
  }
}
