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

export type Line = Pick<Message, 'id' | 'role' | 'text' | 'at'>

export type Transcript = Awaited<ReturnType<typeof openTranscript>>

/** The append-only transcript of all conversations, one JSON line per message: the agent's memory across machines. */
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
    /** Adds each turn once. */
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

/** The messages after the summary: older ones of the transcript, then the service's history. */
export function recall(history: Line[], transcript: readonly Line[], messageId: string, until: string): Line[] {
  const listed = new Set([messageId, ...history.map(({ id }) => id)])
  const first = history[0]?.at ?? '\uffff'
  const older = transcript.filter((line) => !listed.has(line.id) && line.at <= first)
  return [...older, ...history].filter(({ at }) => at > until)
}
