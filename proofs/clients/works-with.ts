/** One request to one program, and the program's output. */
export interface Seen {
  client: string
  version: string
  check: string
  said: string
  holds: boolean
  /** The text in the table; without it yes or no. */
  cell?: string
}

/** The columns of a client's row besides the results. */
export interface Told {
  /** The line that connects it. */
  line: string
  /** The reason for which a check was skipped, by its name. */
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
