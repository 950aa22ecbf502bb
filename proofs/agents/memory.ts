import { readdirSync, readFileSync } from 'node:fs'

const everyMs = 200

/** The maximum memory of a machine: its supervisor and all descendants, with shared pages counted once (PSS). */
export function watchMemory(supervisors: () => number[]) {
  let peak = 0
  const look = () => {
    const parents = parentsOf()
    const roots = new Set(supervisors())
    const below = (pid: number): boolean => pid > 1 && (roots.has(pid) || below(parents.get(pid) ?? 0))
    const kib = [...parents.keys()].filter(below).reduce((sum, pid) => sum + pssOf(pid), 0)
    peak = Math.max(peak, kib)
  }
  const timer = setInterval(look, everyMs)
  return {
    end() {
      clearInterval(timer)
      return { peakMiB: Math.ceil(peak / 1024) }
    },
  }
}

function parentsOf(): Map<number, number> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return new Map(pids.map((pid) => [Number(pid), Number(/\) \S (\d+)/.exec(read(`/proc/${pid}/stat`))?.[1] ?? 0)]))
}

const pssOf = (pid: number): number => Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0)

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // the process has ended
  }
}
