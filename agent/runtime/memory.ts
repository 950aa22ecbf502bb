import type { Message } from '../../domain/chat/message.ts'
import { parseObject } from '../json.ts'
import { cutStart } from '../text.ts'
import type { StateFolder } from '../volume/state-folder.ts'

/** Characters of notes a prompt carries; the newest of them. */
const maxNotes = 16_000
const maxFileBytes = 1024 * 1024

/** How much of the transcript's end is read back at start. */
const tailBytes = 256 * 1024
const maxLines = 200
const transcriptName = 'transcript.jsonl'
const summaryName = 'summary.json'

/** Every note in `<volume>/memory/*.md`, the file changed last first, cut to the cap. */
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

/** One message, as the transcript keeps it. */
export type Line = Pick<Message, 'id' | 'role' | 'text' | 'at'>

export type Transcript = Awaited<ReturnType<typeof openTranscript>>

/**
 * The transcript of all conversations, one JSON line per message, only ever extended: the agent's memory across
 * machines.
 */
export async function openTranscript(folder: StateFolder) {
  const known = new Map<string, Line[]>()
  const prompts = new Set<string>()
  const note = (promptId: string, conversation: string, line: Line) => {
    const lines = known.get(conversation) ?? []
    known.set(conversation, [...lines, line].slice(-maxLines))
    prompts.add(promptId)
  }
  const { text, torn } = await readTail(folder)
  for (const entry of text.split('\n')) {
    const { promptId, conversation, id, role, text, at } = parseObject<
      Line & { promptId: string; conversation: string }
    >(entry)
    if (promptId && conversation && id && role && text && at) note(promptId, conversation, { id, role, text, at })
  }
  let ahead = torn ? '\n' : ''
  return {
    of: (conversation: string): readonly Line[] => known.get(conversation) ?? [],
    /** Adds one turn, once. */
    async add(promptId: string, conversation: string, lines: Line[]): Promise<void> {
      if (prompts.has(promptId)) return
      const text = lines
        .map(({ id, role, text, at }) => `${JSON.stringify({ promptId, conversation, id, role, text, at })}\n`)
        .join('')
      await using handle = await folder.openLog(transcriptName)
      await handle.appendFile(ahead + text)
      await handle.sync()
      ahead = ''
      for (const line of lines) note(promptId, conversation, line)
    },
  }
}

/** The end of the file, and whether a crash left its last line unfinished. */
async function readTail(folder: StateFolder): Promise<{ text: string; torn: boolean }> {
  await using handle = await folder.openLog(transcriptName)
  const { size } = await handle.stat()
  const start = Math.max(0, size - tailBytes)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, null, start)
  const text = buffer.subarray(0, bytesRead).toString('utf8')
  return { text, torn: text !== '' && !text.endsWith('\n') }
}

/** The summary of a conversation up to a line, which replaces it. */
export interface Summary {
  /** When that line was said; what is older is summed up. */
  until: string
  text: string
}

export type Summaries = Awaited<ReturnType<typeof openSummary>>

export async function openSummary(folder: StateFolder) {
  const known = parseObject<Record<string, Summary>>(await folder.read(summaryName))
  return {
    of(conversation: string): Summary {
      const { until, text } = known[conversation] ?? {}
      return until && text ? { until, text } : { until: '', text: '' }
    },
    async set(conversation: string, summary: Summary): Promise<void> {
      known[conversation] = summary
      await folder.replace(summaryName, JSON.stringify(known))
    },
  }
}

/**
 * The earlier messages without a summary: the service's history, preceded by older messages of the transcript.
 */
export function recall(history: Line[], transcript: readonly Line[], askedId: string, until: string): Line[] {
  const listed = new Set([askedId, ...history.map(({ id }) => id)])
  const first = history[0]?.at ?? '\uffff'
  const older = transcript.filter((line) => !listed.has(line.id) && line.at <= first)
  return [...older, ...history].filter(({ at }) => at > until)
}
