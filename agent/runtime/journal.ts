import type { Outcome } from '../../domain/chat/message.ts'
import { parseObject } from '../kit/json.ts'
import type { StateFolder } from '../volume/state-folder.ts'
import type { Reply } from './reply.ts'

interface CurrentTurn {
  promptId: string
  /** How often the thinking was started. */
  starts: number
  /** Already paid for, but perhaps not sent. */
  answer: Reply | null
}

const maxRemembered = 1_000
const turnName = 'turn.json'
const answeredName = 'answered.jsonl'
const walletToldName = 'wallet-told'

export type Journal = Awaited<ReturnType<typeof openJournal>>

/** Notes that survive a crash of the runtime: the current turn, and the answered prompts. */
export async function openJournal(folder: StateFolder) {
  let walletTold = await folder.has(walletToldName)
  let current = currentTurn(await folder.read(turnName))
  const answered = answeredPrompts(await folder.read(answeredName))
  await folder.replace(answeredName, [...answered].map(answeredLine).join(''))
  return {
    get current() {
      return current
    },
    async setCurrent(turn: CurrentTurn): Promise<void> {
      current = turn
      await folder.replace(turnName, JSON.stringify(turn))
    },
    /** How this volume's agent answered the prompt before. */
    answered: (promptId: string): Outcome | undefined => answered.get(promptId),
    async finish(promptId: string, outcome: Outcome): Promise<void> {
      if (answered.has(promptId)) return
      await using file = await folder.openLog(answeredName)
      await file.appendFile(answeredLine([promptId, outcome]))
      answered.set(promptId, outcome)
    },
    async clear(): Promise<void> {
      current = null
      await folder.remove(turnName)
    },
    /** Whether the user knows that nothing can be paid; reset by an answer. */
    get walletTold() {
      return walletTold
    },
    async setWalletTold(isTold: boolean): Promise<void> {
      if (isTold === walletTold) return
      walletTold = isTold
      await (isTold ? folder.replace(walletToldName, '') : folder.remove(walletToldName))
    },
  }
}

const answeredLine = ([promptId, outcome]: [string, Outcome]): string => `${JSON.stringify({ promptId, outcome })}\n`

function currentTurn(text: string): CurrentTurn | null {
  const { promptId, starts = 0, answer = null } = parseObject<CurrentTurn>(text)
  return typeof promptId === 'string' ? { promptId, starts, answer } : null
}

/** A crash may have cut off the last line. */
function answeredPrompts(text: string): Map<string, Outcome> {
  const answered = new Map<string, Outcome>()
  for (const line of text.split('\n').slice(-maxRemembered)) {
    const { promptId, outcome } = parseObject<{ promptId: string; outcome: Outcome }>(line)
    if (promptId && outcome) answered.set(promptId, outcome)
  }
  return answered
}
