import type { Command } from './command.ts'

const [indent, column, width] = [2, 52, 130]

export function usageOf(commands: Iterable<Command>): string {
  const lines = [...commands].flatMap(({ usage }) => usage).flatMap(([typed, meaning]) => linesOf(typed, meaning))
  return ['npm run admin -- <command>', ...lines, ...others].join('\n')
}

const others = [
  'Amounts are whole cents: 500 is $5.00. The owner’s audit trail shows the reason; the ledger shows it with the amount.',
  'Options: --key <text> (a repeated command with the same key runs once), --stage <name> (a deployment, with AWS_PROFILE',
  'and AWS_REGION; by default the local service), --origin <https://…> (the address of the deployment, for channels)',
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
