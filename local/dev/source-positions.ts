/** Replaces positions in bundles with positions in sources, in functions' output. */
import { readFileSync, statSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, relative, resolve } from 'node:path'

/** `/…/index.js:12:5`, as in stack traces. */
const positionPattern = /(\/[^\s():"'\\]+\/index\.js):(\d+):(\d+)/g

/** Rewrites only positions in bundles with an inline source map. */
export function sourcePositions(repo: string): (text: string) => string {
  const maps = new Map<string, { changedMs: number; map: SourceMap | undefined }>()
  const mapOf = (file: string) => {
    const changedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
    const known = maps.get(file)
    if (known?.changedMs === changedMs) return known.map
    const map = changedMs ? readMap(file) : undefined
    maps.set(file, { changedMs, map })
    return map
  }
  return (text) =>
    text.replace(positionPattern, (place, file: string, line: string, column: string) => {
      const origin = mapOf(file)?.findOrigin(Number(line), Number(column))
      if (!origin || !('fileName' in origin)) return place
      const source = relative(repo, resolve(dirname(file), origin.fileName))
      return `${source}:${origin.lineNumber}:${origin.columnNumber}`
    })
}

function readMap(file: string): SourceMap | undefined {
  const [, inline] =
    /\n\/\/# sourceMappingURL=data:application\/json;base64,(\S+)\s*$/.exec(readFileSync(file, 'utf8')) ?? []
  return inline ? new SourceMap(JSON.parse(Buffer.from(inline, 'base64').toString())) : undefined
}

/** Terminal output for errors in the log: request and stack. Empty for other lines. */
export const errorLines = (text: string): string[] =>
  text.split('\n').flatMap((line) => {
    if (!line.includes('"ERROR"')) return []
    try {
      const { level, requestId, method, resource, job, stack, trace, errorMessage, message } = JSON.parse(line)
      if (level !== 'ERROR') return []
      const where = job ? `Job ${job}` : [method, resource].filter(Boolean).join(' ')
      const request = requestId ? `request ${requestId}` : ''
      const what = stack ?? trace?.join('\n') ?? errorMessage ?? message
      return [`${[where, request].filter(Boolean).join(', ')}\n${what}`]
    } catch {
      return []
    }
  })
