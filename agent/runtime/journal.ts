import { appendFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Outcome } from '../../domain/chat/message.ts'
import { parseObject } from '../json.ts'

/** The turn under way. */
export interface CurrentTurn {
  promptId: string
  /** How often the thinking was begun. */
  starts: number
  /** Thought and paid for; it only wants to be sent. */
  answer: { text: string; outcome: Outcome; files?: string[] } | null
}

const maxRemembered = 1_000

export type Journal = Awaited<ReturnType<typeof openJournal>>

/** What survives a crash of the runtime: the turn under way, and the prompts that are answered. */
export async function openJournal(folder: string) {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const turnFile = join(folder, 'turn.json')
  const answeredFile = join(folder, 'answered.jsonl')
  const walletToldFile = join(folder, 'wallet-told')
  let walletTold = (await readIfThere(walletToldFile)) !== null
  let current = currentTurn((await readIfThere(turnFile)) ?? '')
  const answered = answeredPrompts((await readIfThere(answeredFile)) ?? '')
  await replace(answeredFile, [...answered].map(answeredLine).join(''))
  return {
    get current() {
      return current
    },
    async setCurrent(turn: CurrentTurn): Promise<void> {
      current = turn
      await replace(turnFile, JSON.stringify(turn))
    },
    /** How the prompt ended, if it was answered here before. */
    answered: (promptId: string): Outcome | undefined => answered.get(promptId),
    async finish(promptId: string, outcome: Outcome): Promise<void> {
      if (answered.has(promptId)) return
      await appendFile(answeredFile, answeredLine([promptId, outcome]), { mode: 0o600 })
      answered.set(promptId, outcome)
    },
    async clear(): Promise<void> {
      current = null
      await rm(turnFile, { force: true })
    },
    /** Whether the user was told that the wallet is empty, since it last paid for something. */
    get walletTold() {
      return walletTold
    },
    async setWalletTold(told: boolean): Promise<void> {
      if (told === walletTold) return
      walletTold = told
      await (told ? writeFile(walletToldFile, '', { mode: 0o600 }) : rm(walletToldFile, { force: true }))
    },
  }
}

const readIfThere = (file: string): Promise<string | null> => readFile(file, 'utf8').catch(() => null)

const answeredLine = ([promptId, outcome]: [string, Outcome]): string => `${JSON.stringify({ promptId, outcome })}\n`

function currentTurn(text: string): CurrentTurn | null {
  const { promptId, starts = 0, answer = null } = parseObject<CurrentTurn>(text)
  return typeof promptId === 'string' ? { promptId, starts, answer } : null
}

/** A line that a crash cut off is left out. */
function answeredPrompts(text: string): Map<string, Outcome> {
  const answered = new Map<string, Outcome>()
  for (const line of text.split('\n').slice(-maxRemembered)) {
    const { promptId, outcome } = parseObject<{ promptId: string; outcome: Outcome }>(line)
    if (promptId && outcome) answered.set(promptId, outcome)
  }
  return answered
}

async function replace(file: string, text: string): Promise<void> {
  await writeFile(`${file}.next`, text, { mode: 0o600 })
  await rename(`${file}.next`, file)
}
