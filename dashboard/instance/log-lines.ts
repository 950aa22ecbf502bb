import type { LogLine } from '../../domain/instance/logs.ts'
import { cut } from '../../domain/text.ts'

const levels = ['error', 'warn', 'info', 'debug'] as const
type Level = (typeof levels)[number]

export const maxShownLines = 2_000

const words: [Level, RegExp][] = [
  ['error', /\b(error|fatal|panic|exception|traceback|failed)\b/i],
  ['warn', /\b(warn|warning|deprecated)\b/i],
  ['debug', /\b(debug|trace)\b/i],
]

/** By the field `level` of a JSON line, else by a word in the line; default: `info`. */
export function levelOf(message: string): Level {
  const named = /"(?:level|severity)"\s*:\s*"(\w+)"/i.exec(message)?.[1]?.toLowerCase()
  const text = named ?? cut(message, 200)
  return words.find(([, pattern]) => pattern.test(text))?.[0] ?? 'info'
}

const keyOf = ({ at, machine, message }: LogLine): string => `${at} ${machine} ${message}`

/** Merges lines by time, each once, and drops the oldest beyond the bound. */
export function mergeLines(before: readonly LogLine[], came: readonly LogLine[]): LogLine[] {
  const lines = new Map([...before, ...came].map((line) => [keyOf(line), line]))
  return [...lines.values()].sort((a, b) => a.at.localeCompare(b.at)).slice(-maxShownLines)
}

/** The message and other facts of a JSON line; any other line as it is. */
export function readLine(message: string): { text: string; facts: string } {
  const parsed = parse(message)
  if (typeof parsed?.message !== 'string') return { text: message, facts: '' }
  const facts = Object.entries(parsed).filter(([name]) => name !== 'message' && name !== 'at' && name !== 'timestamp')
  const show = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  return { text: parsed.message, facts: facts.map(([name, value]) => `${name}=${show(value)}`).join(' ') }
}

function parse(text: string): Record<string, unknown> | null {
  if (!text.startsWith('{')) return null
  try {
    // safe because text that begins with a brace is an object, if it is JSON
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return null
  }
}

const names: readonly string[] = levels

/** Whether a line has at least this level, and all the words. */
export function fitsFilter({ message }: LogLine, { filter, level }: { filter: string; level: string }): boolean {
  const least = names.indexOf(level)
  if (least >= 0 && levels.indexOf(levelOf(message)) > least) return false
  const text = message.toLowerCase()
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
