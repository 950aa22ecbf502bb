import type { Turn } from './host.ts'

/** Argument names that usually hold a call's target. */
const targets = ['file_path', 'filePath', 'path', 'command', 'url', 'pattern', 'query', 'description']

export function showToolCalls({ activity }: Pick<Turn, 'activity'>) {
  const begun = new Map<string, { tool: string; startedMs: number }>()
  return {
    started(id: string, tool: string, input: unknown): void {
      if (begun.has(id)) return
      begun.set(id, { tool, startedMs: Date.now() })
      const target = targetOf(input)
      activity({ id, tool, state: 'started', ...(target !== undefined && { target }) })
    },
    /** @param durationMs if the program reports it */
    ended(id: string, isOk: boolean, result?: unknown, durationMs?: number): void {
      const call = begun.get(id)
      if (!call) return
      begun.delete(id)
      const ms = durationMs ?? Date.now() - call.startedMs
      const bytes = result === undefined ? {} : { bytes: Buffer.byteLength(textOf(result)) }
      activity({
        id,
        tool: call.tool,
        state: isOk ? 'finished' : 'failed',
        durationMs: Math.max(0, Math.round(ms)),
        ...bytes,
      })
    },
  }
}

const textOf = (result: unknown): string => (typeof result === 'string' ? result : (JSON.stringify(result) ?? ''))

function targetOf(input: unknown): string | undefined {
  if (typeof input === 'string') return input
  if (typeof input !== 'object' || input === null) return undefined
  const found = new Map<string, unknown>(Object.entries(input))
  for (const name of targets) {
    const value = found.get(name)
    if (typeof value === 'string' && value) return value
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(' ')
  }
  return undefined
}
