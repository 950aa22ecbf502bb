import { parseObject } from '../kit/json.ts'
import { cut, cutStart } from '../kit/text.ts'
import { type Conversation, type Step, sizeOf, sizeOfLines, sizeOfStep } from './conversation.ts'
import type { Line } from './memory.ts'

/** Characters: a longer conversation is compacted to `target` of that. */
export const budgetCharacters = 160_000
const target = 0.6

/** Earlier turns of up to `maxEarlier` characters stay word for word; longer ones are cut to `keptEarlier`. */
const maxEarlier = 48_000
const keptEarlier = 24_000

/** The newest steps are kept as long as possible. */
const keptSteps = 3

/** An older result, or text within a call, is cut to this many characters at both ends. */
const keptEnd = 400
/** The length of the newest results if nothing else suffices. */
const lastResort = 2_000

/** Characters that the model summarises, and of its summary. */
const maxToSumUp = 120_000
const maxSummary = 8_000

/** @returns the model's summary; null when the model cannot be asked now */
type SumUp = (text: string) => Promise<string | null>

interface Compacted {
  conversation: Conversation
  /** The last line included in `before`; null when that did not change. */
  summedUpTo: Line | null
}

/**
 * Makes a conversation fit: cuts older tool results, then summarises earlier turns, then older steps. Keeps the user's
 * words, the plan, each call with a result, and if possible the newest steps. A conversation that fits is unchanged, so
 * that providers' caches stay valid.
 */
export async function compact(conversation: Conversation, budget: number, sumUp: SumUp): Promise<Compacted> {
  let now = conversation
  let summedUpTo: Line | null = null
  const longEarlier = () => sizeOfLines(now.earlier) > Math.min(maxEarlier, budget / 2)
  const isLong = (limit: number) => sizeOf(now) > limit
  if (!isLong(budget) && !longEarlier()) return { conversation, summedUpTo }

  if (isLong(budget)) now = { ...now, steps: shortened(now.steps, sizeOf(now) - budget * target) }
  if (longEarlier() || (isLong(budget) && now.earlier.length > 0)) {
    const { older, newer } = split(now.earlier, Math.min(keptEarlier, budget / 8))
    const text = [now.before && `Summed up before:\n${now.before}`, ...older.map(lineAsText)].join('\n\n')
    if (older.length > 0) now = { ...now, before: await summaryOf(text, sumUp, now.before), earlier: newer }
    summedUpTo = older.at(-1) ?? null
  }
  if (isLong(budget) && now.steps.length > keptSteps) {
    const older = now.steps.slice(0, -keptSteps)
    const text = [`The user asked:\n${now.message}`, now.done, ...older.map(stepAsText)].filter(Boolean).join('\n\n')
    now = { ...now, done: await summaryOf(text, sumUp, now.done), steps: now.steps.slice(-keptSteps) }
  }
  if (isLong(budget)) now = { ...now, steps: now.steps.map((step) => cutStep(step, lastResort)) }
  return { conversation: now, summedUpTo }
}

function shortened(steps: readonly Step[], toSave: number): Step[] {
  let saved = 0
  return steps.map((step, index) => {
    if (saved >= toSave || index >= steps.length - keptSteps) return step
    const cut = cutStep(step, keptEnd)
    saved += sizeOfStep(step) - sizeOfStep(cut)
    return cut
  })
}

const cutStep = (step: Step, end: number): Step => ({
  ...step,
  results: step.results.map((result) => cutText(result, end)),
  calls: step.calls.map((call) =>
    call.name === 'plan' ? call : { ...call, arguments: cutArguments(call.arguments, end) },
  ),
})

function cutText(text: string, end: number): string {
  const left = text.length - 2 * end
  if (left < 100) return text
  return `${cut(text, end)}\n[${left} characters are left out here; run the tool again if you need them]\n${cutStart(text, end)}`
}

/** Arguments stay a JSON object, because a provider may read them. */
function cutArguments(text: string, end: number): string {
  if (text.length <= 2 * end) return text
  return JSON.stringify(parseObject(text), (_, value) => (typeof value === 'string' ? cutText(value, end) : value))
}

/** `newer` holds the newest lines with at most so many characters. */
function split(lines: readonly Line[], characters: number): { older: Line[]; newer: Line[] } {
  let room = characters
  let first = lines.length
  while (first > 0) {
    room -= lines[first - 1]?.text.length ?? 0
    if (room < 0) break
    first--
  }
  return { older: lines.slice(0, first), newer: lines.slice(first) }
}

/** Keeps the earlier summary if the model cannot be asked. */
async function summaryOf(text: string, sumUp: SumUp, before: string): Promise<string> {
  const summary = await sumUp(cutText(text, maxToSumUp / 2))
  return cut(summary?.trim() ?? '', maxSummary) || `${before}\n(Something was left out here; it did not fit.)`.trim()
}

const lineAsText = ({ role, text }: Line): string => `${role === 'agent' ? 'You' : 'The user'} said:\n${text}`

const stepAsText = ({ text, calls, results }: Step): string =>
  [
    text && `You said:\n${text}`,
    ...calls.map((call, i) => `You called ${call.name} ${call.arguments}\nIt answered:\n${results[i] ?? ''}`),
  ]
    .filter(Boolean)
    .join('\n\n')
