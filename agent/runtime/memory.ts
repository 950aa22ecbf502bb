import type { AgentContext } from '../../domain/agent/turn.ts'
import type { Message } from '../../domain/chat/message.ts'
import { parseObject } from '../kit/json.ts'
import { cutStart } from '../kit/text.ts'
import type { StateFolder } from '../volume/state-folder.ts'

/** Maximum characters of notes in a prompt: the newest ones. */
const maxNotes = 16_000
const maxFileBytes = 1024 * 1024

/** Part of the transcript that is read at the start. */
const tailBytes = 256 * 1024
const maxLines = 200
const transcriptName = 'transcript.jsonl'
const summaryName = 'summary.json'

/** All notes in `<volume>/memory/*.md`, newest first, cut to the cap. */
export async function readNotes(folder: StateFolder): Promise<string> {
  const files = await folder.list('.md')
  files.sort((a, b) => b.changedMs - a.changedMs || a.name.localeCompare(b.name))
  let notes = ''
  for (const { name } of files) {
    const room = maxNotes - notes.length
    if (room <= 0) break
    const text = (await folder.read(name, maxFileBytes)).trim()
    if (text) notes += `### ${name}\n${cutStart(text, room)}\n`
  }
  return notes
}

/** Parts of a conversation that new versions of messages have replaced. */
type Replaced = AgentContext['replaced']

/** `replaced` is what the branch of a user's message had left out when it was answered. */
export type Line = Pick<Message, 'id' | 'role' | 'text' | 'at' | 'inReplyTo'> & { replaced?: Replaced }

type Entry = Line & { promptId: string; conversation: string }

/** A reply is where its question is. */
export const placeOf = ({ id, inReplyTo }: Line): string => inReplyTo ?? id

export type Transcript = Awaited<ReturnType<typeof openTranscript>>

/** The append-only transcript of all conversations, one JSON line per message: the agent's memory across machines. */
export async function openTranscript(folder: StateFolder) {
  const known = new Map<string, Line[]>()
  const prompts = new Set<string>()
  const note = ({ promptId, conversation, ...line }: Entry) => {
    const lines = known.get(conversation) ?? []
    known.set(conversation, [...lines, line].slice(-maxLines))
    prompts.add(promptId)
  }
  const { text, torn } = await readTail(folder)
  for (const line of text.split('\n')) {
    const entry = entryOf(line)
    if (entry) note(entry)
  }
  let ahead = torn ? '\n' : ''
  return {
    of: (conversation: string): readonly Line[] => known.get(conversation) ?? [],
    /** Adds each turn once. */
    async add(promptId: string, conversation: string, lines: Line[]): Promise<void> {
      if (prompts.has(promptId)) return
      const entries = lines.map(
        ({ id, role, text, at, inReplyTo, replaced }): Entry => ({
          ...{ promptId, conversation, id, role, text, at },
          ...(inReplyTo !== undefined && { inReplyTo }),
          ...(replaced?.length && { replaced }),
        }),
      )
      await using handle = await folder.openLog(transcriptName)
      await handle.appendFile(ahead + entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
      await handle.sync()
      ahead = ''
      for (const entry of entries) note(entry)
    },
  }
}

function entryOf(line: string): Entry | null {
  const { promptId, conversation, id, role, text, at, inReplyTo, replaced } = parseObject<Entry>(line)
  if (!promptId || !conversation || !id || !role || !text || !at) return null
  const entry = { promptId, conversation, id, role, text, at, ...(Array.isArray(replaced) && { replaced }) }
  if (role === 'user') return entry
  // Older lines do not name the question of a reply.
  return { ...entry, inReplyTo: inReplyTo ?? promptId.replace('prm_', 'msg_') }
}

/** The part of the memory of a conversation that is on a prompt's branch. */
interface Branch {
  lines: readonly Line[]
  /** Whether nothing of the conversation was replaced. */
  isWhole: boolean
  has(place: string): boolean
}

/** Leaves out what was replaced, also before the part of the conversation that the service has read. */
export function branchOf(
  transcript: readonly Line[],
  { prompt, replaced }: { prompt: Pick<AgentContext['prompt'], 'messageId'>; replaced: Replaced },
): Branch {
  const all = [...replaced]
  const has = (place: string) => !all.some(({ from, before }) => from <= place && place < before)
  const lines: Line[] = []
  for (const line of transcript.toReversed()) {
    if (placeOf(line) >= prompt.messageId || !has(placeOf(line))) continue
    all.push(...(line.replaced ?? []))
    lines.unshift(line)
  }
  return { lines, isWhole: all.length === 0, has }
}

/** `torn`: a crash left the last line unfinished. */
async function readTail(folder: StateFolder): Promise<{ text: string; torn: boolean }> {
  await using handle = await folder.openLog(transcriptName)
  const { size } = await handle.stat()
  const start = Math.max(0, size - tailBytes)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, null, start)
  const text = buffer.subarray(0, bytesRead).toString('utf8')
  return { text, torn: text !== '' && !text.endsWith('\n') }
}

/** A summary that replaces the conversation up to a line. */
export interface Summary {
  /** Time of the last summarised line. */
  until: string
  /** The latest place that it has summarised; older files do not have it. */
  upTo?: string
  text: string
}

/** Kept for each conversation, because a new version of an early message makes later summaries unusable. */
const maxSummaries = 4

export type Summaries = ReturnType<typeof openSummary>

/** The supervisor removes summaries of deleted conversations, so each use reads the file. */
export function openSummary(folder: StateFolder) {
  const read = async () => parseObject<Record<string, Summary | Summary[]>>(await folder.read(summaryName))
  const allOf = (known: Summary | Summary[] = []): Summary[] =>
    [known].flat().filter((each) => each?.until && each.text)
  return {
    /** The latest summary of a part of the branch. */
    async of(conversation: string, branch: Pick<Branch, 'has' | 'isWhole'>): Promise<Summary> {
      const isUsable = ({ upTo }: Summary) => (upTo === undefined ? branch.isWhole : branch.has(upTo))
      return allOf((await read())[conversation]).findLast(isUsable) ?? { until: '', text: '' }
    },
    async set(conversation: string, summary: Summary): Promise<void> {
      const known = await read()
      known[conversation] = [...allOf(known[conversation]), summary].slice(-maxSummaries)
      await folder.replace(summaryName, JSON.stringify(known))
    },
  }
}

/** The messages after the summary: older ones of the transcript, then the service's history. */
export function recall(history: Line[], transcript: readonly Line[], messageId: string, until: string): Line[] {
  const listed = new Set([messageId, ...history.map(({ id }) => id)])
  const first = history[0]?.at ?? '\uffff'
  const older = transcript.filter((line) => !listed.has(line.id) && line.at <= first)
  return [...older, ...history].filter(({ at }) => at > until)
}
