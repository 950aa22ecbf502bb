import type { Command } from './command.ts'

const [indent, column, width] = [2, 52, 130]

export function usageOf(commands: Iterable<Command>): string {
  const lines = [...commands].flatMap(({ usage }) => usage).flatMap(([typed, meaning]) => linesOf(typed, meaning))
  return ['npm run admin -- <command>', ...lines, ...others].join('\n')
}

const others = [
  'Amounts are whole cents: 500 is $5.00. The reason stands in the owner’s audit trail, and with the amount in the ledger.',
  'Options: --key <text> (repeating a command with the same key does it once), --stage <name> (a deployment, by AWS_PROFILE',
  'and AWS_REGION; without it the local service), --origin <https://…> (where the deployment is, for channels)',
]

function linesOf(typed: string, meaning: string): string[] {
  const first = ' '.repeat(indent) + typed
  const wrapped = wrap(meaning, width - column)
  const fits = first.length < column
  const rest = (fits ? wrapped.slice(1) : wrapped).map((line) => ' '.repeat(column) + line)
  return [fits ? `${first.padEnd(column)}${wrapped[0] ?? ''}`.trimEnd() : first, ...rest]
}

function wrap(text: string, most: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ').filter(Boolean)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < most) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
