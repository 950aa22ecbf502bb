import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { groups, type Proof } from '../proofs.ts'
import { root } from './inputs.ts'

const path = join(root, 'proofs/README.md')
const marks = ['<!-- proofs -->', '<!-- /proofs -->'] as const

function row([name, { about, after, minutes, needs, nightly }]: [string, Proof]): string {
  const cells = [`\`${name}\``, about, `${minutes} min${nightly ? ', nightly' : ''}`, after, needs ?? '']
  return `| ${cells.join(' | ')} |`
}

function table([group, proofs]: [string, Readonly<Record<string, Proof>>]): string {
  const claim = group === 'Measurements' ? 'what it measures' : 'what it proves'
  const head = [`| name | ${claim} | time | run it after a change of | needs |`, '|---|---|---|---|---|']
  return [`### ${group}`, '', ...head, ...Object.entries(proofs).map(row)].join('\n')
}

/** The page of proofs, as it is and as it follows from the list. */
export function proofsPage(): { present: string; derived: string } {
  const present = readFileSync(path, 'utf8')
  const [before = '', rest = ''] = present.split(marks[0])
  const tables = Object.entries(groups).map(table).join('\n\n')
  return { present, derived: `${before}${marks[0]}\n\n${tables}\n\n${marks[1]}${rest.split(marks[1])[1] ?? ''}` }
}

export const writePage = (): void => writeFileSync(path, proofsPage().derived)
