import { appendFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { asNumber, asObject, asText, parseJson } from '../shapes.ts'

export type Outcome = 'completed' | 'failed' | 'needs_input'

const asOutcome = (value: unknown): Outcome => (value === 'failed' || value === 'needs_input' ? value : 'completed')

/** The turn under way. An answer that is in it was thought and paid for, and only wants to be sent. */
export interface Current {
  promptId: string
  /** How often the thinking was begun. */
  starts: number
  answer: { text: string; outcome: Outcome } | null
}

const maxRemembered = 1_000

/** What survives a crash of the runtime: the turn under way, and the prompts that are answered. */
export interface Journal {
  current(): Current | null
  setCurrent(current: Current): Promise<void>
  /** How the prompt ended, if it was answered here before. */
  answered(promptId: string): Outcome | null
  finish(promptId: string, outcome: Outcome): Promise<void>
  clear(): Promise<void>
  /** Whether the user was told that the wallet is empty, since it last paid for something. */
  walletTold(): boolean
  setWalletTold(told: boolean): Promise<void>
}

export async function openJournal(folder: string): Promise<Journal> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const turnFile = join(folder, 'turn.json')
  const doneFile = join(folder, 'answered.jsonl')
  const toldFile = join(folder, 'wallet-told')
  let told = (await readFile(toldFile, 'utf8').catch(() => null)) !== null
  let current = readCurrent(await readFile(turnFile, 'utf8').catch(() => ''))
  const done = readDone(await readFile(doneFile, 'utf8').catch(() => ''))
  await replace(doneFile, [...done].map(([promptId, outcome]) => `${JSON.stringify({ promptId, outcome })}\n`).join(''))
  return {
    current: () => current,
    async setCurrent(next) {
      current = next
      await replace(turnFile, JSON.stringify(next))
    },
    answered: (promptId) => done.get(promptId) ?? null,
    async finish(promptId, outcome) {
      if (done.has(promptId)) return
      await appendFile(doneFile, `${JSON.stringify({ promptId, outcome })}\n`, { mode: 0o600 })
      done.set(promptId, outcome)
    },
    async clear() {
      current = null
      await rm(turnFile, { force: true })
    },
    walletTold: () => told,
    async setWalletTold(next) {
      if (next === told) return
      told = next
      await (next ? writeFile(toldFile, '', { mode: 0o600 }) : rm(toldFile, { force: true }))
    },
  }
}

function readCurrent(text: string): Current | null {
  const { promptId, starts, answer } = asObject(parseJson(text))
  if (!asText(promptId)) return null
  const { text: said, outcome } = asObject(answer)
  return {
    promptId: asText(promptId),
    starts: asNumber(starts, 0),
    answer: asText(said) ? { text: asText(said), outcome: asOutcome(outcome) } : null,
  }
}

function readDone(text: string): Map<string, Outcome> {
  const done = new Map<string, Outcome>()
  for (const line of text.split('\n').slice(-maxRemembered)) {
    const { promptId, outcome } = asObject(parseJson(line))
    if (asText(promptId)) done.set(asText(promptId), asOutcome(outcome))
  }
  return done
}

async function replace(file: string, text: string): Promise<void> {
  await writeFile(`${file}.next`, text, { mode: 0o600 })
  await rename(`${file}.next`, file)
}
