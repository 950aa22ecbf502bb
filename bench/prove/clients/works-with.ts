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

/** A row for each client with a column for each check. @param last what stands in a client's last column */
export function table(seen: Seen[], checks: string[], last?: { title: string; of(client: string): string }): string {
  const cell = (client: string, check: string) => {
    const found = seen.filter((one) => one.client === client && one.check === check)
    if (found.some(({ holds }) => !holds)) return '**no**'
    return found[0] ? (found[0].cell ?? 'yes') : ''
  }
  const clients = [...new Set(seen.map(({ client }) => client))]
  const rows = clients.map((client) => [
    client,
    seen.find((one) => one.client === client)?.version,
    ...checks.map((check) => cell(client, check)),
    ...(last ? [last.of(client)] : []),
  ])
  const head = ['client', 'version', ...checks, ...(last ? [last.title] : [])]
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

export const today = (): string => new Date().toISOString().slice(0, 10)

/** Puts a section of docs/works-with.md in place of the one of its name. */
export function writeSection(title: string, text: string): void {
  const path = join(import.meta.dirname, '../../../docs/works-with.md')
  const before = readFileSync(path, 'utf8')
  const [start, end] = [before.indexOf(`## ${title}\n`), before.indexOf('\n## ', before.indexOf(`## ${title}\n`) + 1)]
  const kept =
    start < 0 ? [`${before.trimEnd()}\n\n`, ''] : [before.slice(0, start), end < 0 ? '' : before.slice(end + 1)]
  writeFileSync(path, `${kept[0]}## ${title}\n\n${text}\n${kept[1] ? `\n${kept[1]}` : ''}`)
}
