import { createContext, Script } from 'node:vm'
import { cut } from '../kit/text.ts'
import { ToolError } from './tool.ts'

const maxLine = 300
const maxMs = 1_000

/** A glob with `*`, `**` and `?`; one without a slash matches in every folder. */
export function globOf(pattern: string): RegExp {
  const whole = pattern.includes('/') || pattern === '**' ? pattern : `**/${pattern}`
  const parts = whole.replace(/^\.\//, '').split(/(\*\*\/|\*\*|\*|\?)/)
  const written = parts.map((part) => {
    if (part === '**/') return '(?:[^/]+/)*'
    if (part === '**') return '.*'
    if (part === '*') return '[^/]*'
    return part === '?' ? '[^/]' : part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  })
  return new RegExp(`^${written.join('')}$`)
}

// A pattern can take years on a short line; only code in its own context can be ended.
const script = new Script(`
  lines.split('\\n').flatMap((line, index) => (pattern.test(line) ? [index] : []))
`)

/** @throws ToolError for a pattern that is invalid or takes too long */
export function findInLines(pattern: string, ignoreCase: boolean): (text: string) => { line: number; shown: string }[] {
  const context = createContext({ pattern: regexOf(pattern, ignoreCase), lines: '' })
  return (text) => {
    context.lines = text
    const lines = text.split('\n')
    return matchesIn(script, context).map((index) => ({ line: index + 1, shown: cut(lines[index] ?? '', maxLine) }))
  }
}

function regexOf(pattern: string, ignoreCase: boolean): RegExp {
  try {
    return new RegExp(pattern, ignoreCase ? 'i' : '')
  } catch {
    throw new ToolError('the pattern is not a regular expression')
  }
}

function matchesIn(script: Script, context: object): number[] {
  try {
    return Array.from(script.runInContext(context, { timeout: maxMs }))
  } catch {
    throw new ToolError(`the pattern takes longer than ${maxMs / 1000} s on a file; make it simpler`)
  }
}
