/**
 * Numbers in documents that come from a run: `<!-- run: NAME QUOTE -->…<!-- /run -->` holds a quote from the record of
 * that run. `npm run prove` writes them; `test/shape/quotes.test.ts` compares them.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './inputs.ts'
import { type Run, readRun } from './runs.ts'

const mark = /<!-- run: (\S+) (\S+) -->([\s\S]*?)<!-- \/run -->/g

export const documents = (): string[] =>
  globSync(['*.md', '{agent,bench,clients,docs}/**/*.md'], {
    cwd: root,
    exclude: ['**/node_modules/**', 'proofs/README.md'],
  })

const duration = (seconds: number): string =>
  seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} minutes`

/** The text of a quote: `when` exists for every run, the others are recorded by its program. */
export function textOf(run: Run, quote: string): string | undefined {
  if (quote === 'when') return `${run.date.slice(0, 10)}, ${run.cores} cores, ${duration(run.seconds)}`
  const found = run.quotes[quote]
  return Array.isArray(found) ? `\n${found.join('\n')}\n` : found
}

interface Quote {
  path: string
  name: string
  quote: string
  text: string
}

/** Every quote of a run in the documents, in its present form. */
export const quotes = (): Quote[] =>
  documents().flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(mark)].map(([, name = '', quote = '', text = '']) => ({
      path,
      name,
      quote,
      text,
    })),
  )

/** Writes the recorded run's texts into the documents that quote it. @returns the documents that changed */
export function writeQuotes(name: string): string[] {
  const run = readRun(name)
  if (!run) return []
  return documents().filter((path) => {
    const before = readFileSync(join(root, path), 'utf8')
    const after = before.replace(mark, (all, of: string, quote: string) => {
      const text = of === name ? textOf(run, quote) : undefined
      return text === undefined ? all : `<!-- run: ${of} ${quote} -->${text}<!-- /run -->`
    })
    if (after !== before) writeFileSync(join(root, path), after)
    return after !== before
  })
}
