import { appendFile, lstat, mkdir, open, readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Message } from '../../domain/chat/message.ts'
import { parseObject } from '../json.ts'

/** Characters of notes a prompt carries; the newest of them. */
const maxNotes = 16_000
const maxFileBytes = 1024 * 1024
const maxNoteCharacters = 2_000

/** How much of the transcript's end is read back at start. */
const tailBytes = 256 * 1024
const maxLines = 200

/** Every note in `<volume>/memory/*.md`, the file changed last first, cut to the cap. */
export async function readNotes(folder: string): Promise<string> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.md'))
  const files = []
  for (const name of names) {
    const there = await lstat(join(folder, name)).catch(() => null)
    if (there?.isFile() && there.size <= maxFileBytes) files.push({ name, changedMs: there.mtimeMs })
  }
  files.sort((a, b) => b.changedMs - a.changedMs || a.name.localeCompare(b.name))
  let notes = ''
  for (const { name } of files) {
    const room = maxNotes - notes.length
    if (room <= 0) break
    const text = (await readFile(join(folder, name), 'utf8')).trim()
    if (text) notes += `### ${name}\n${text.slice(-room)}\n`
  }
  return notes
}

/** Adds one line to the agent's notes. */
export async function remember(folder: string, note: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const line = note.trim().replace(/\s+/g, ' ').slice(0, maxNoteCharacters)
  await appendFile(join(folder, 'notes.md'), `- ${new Date().toISOString().slice(0, 10)}: ${line}\n`, { mode: 0o600 })
}

/** One message, as the transcript keeps it. */
export type Line = Pick<Message, 'id' | 'role' | 'text' | 'at'>

export type Transcript = Awaited<ReturnType<typeof openTranscript>>

/** All that was said, one JSON line a message, only ever added to: the agent's memory across machines. */
export async function openTranscript(file: string) {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const known: Line[] = []
  const prompts = new Set<string>()
  const note = (promptId: string, line: Line) => {
    known.push(line)
    prompts.add(promptId)
    if (known.length > maxLines) known.shift()
  }
  const { text, torn } = await readTail(file)
  for (const entry of text.split('\n')) {
    const { promptId, id, role, text, at } = parseObject<Line & { promptId: string }>(entry)
    if (promptId && id && role && text && at) note(promptId, { id, role, text, at })
  }
  let ahead = torn ? '\n' : ''
  return {
    lines: known as readonly Line[],
    /** Adds one turn, once. */
    async add(promptId: string, lines: Line[]): Promise<void> {
      if (prompts.has(promptId)) return
      const text = lines
        .map(({ id, role, text, at }) => `${JSON.stringify({ promptId, id, role, text, at })}\n`)
        .join('')
      await using handle = await open(file, 'a', 0o600)
      await handle.appendFile(ahead + text)
      await handle.sync()
      ahead = ''
      for (const line of lines) note(promptId, line)
    },
  }
}

/** The end of the file, and whether a crash left its last line unfinished. */
async function readTail(file: string): Promise<{ text: string; torn: boolean }> {
  await using handle = await open(file, 'a+', 0o600)
  const { size } = await handle.stat()
  const start = Math.max(0, size - tailBytes)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, null, start)
  const text = buffer.subarray(0, bytesRead).toString('utf8')
  return { text, torn: text !== '' && !text.endsWith('\n') }
}

/**
 * What the model is reminded of: the service's history, before it what only the transcript still knows, newest
 * kept within the cap of characters.
 */
export function recall(history: Line[], transcript: readonly Line[], askedId: string, maxCharacters: number): Line[] {
  const listed = new Set([askedId, ...history.map(({ id }) => id)])
  const first = history[0]?.at ?? '\uffff'
  const older = transcript.filter((line) => !listed.has(line.id) && line.at <= first)
  const kept: Line[] = []
  let room = maxCharacters
  for (const line of [...older, ...history].reverse()) {
    room -= line.text.length
    if (room < 0) break
    kept.unshift(line)
  }
  return kept
}
