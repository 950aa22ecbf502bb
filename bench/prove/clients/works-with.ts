import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** One thing that one program was asked to do, and what it said. */
export interface Seen {
  client: string
  version: string
  check: string
  said: string
  holds: boolean
  /** What the table says of it; without it yes or no. */
  cell?: string
}

/** What stands in a client's row beside what was seen of it. */
export interface Told {
  /** To connect it. */
  line: string
  /** Why a check was not made, by its name. */
  lacks?: Record<string, string>
}

/** A row for each client with a column for each check. */
export function table(seen: Seen[], checks: string[], told: (client: string) => Told): string {
  const cell = (client: string, check: string) => {
    const found = seen.filter((result) => result.client === client && result.check === check)
    if (found.some(({ holds }) => !holds)) return '**no**'
    if (found[0]) return found[0].cell ?? 'yes'
    const reason = told(client).lacks?.[check]
    return reason ? `– ${reason}` : ''
  }
  const clients = [...new Set(seen.map(({ client }) => client))]
  const rows = clients.map((client) => [
    client,
    seen.find((result) => result.client === client)?.version,
    ...checks.map((check) => cell(client, check)),
    `\`${told(client).line.replaceAll('|', '\\|')}\``,
  ])
  const head = ['client', 'version', ...checks, 'line to paste']
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

export const today = (): string => new Date().toISOString().slice(0, 10)

/** Puts a section of a page of docs/ in place of the one of its name. */
export function writeSection(title: string, text: string, page = 'works-with.md'): void {
  const path = join(import.meta.dirname, '../../../docs', page)
  const before = readFileSync(path, 'utf8')
  const [start, end] = [before.indexOf(`## ${title}\n`), before.indexOf('\n## ', before.indexOf(`## ${title}\n`) + 1)]
  const kept =
    start < 0 ? [`${before.trimEnd()}\n\n`, ''] : [before.slice(0, start), end < 0 ? '' : before.slice(end + 1)]
  writeFileSync(path, `${kept[0]}## ${title}\n\n${text}\n${kept[1] ? `\n${kept[1]}` : ''}`)
}
