import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { asObject, asText, parseJson } from '../shapes.ts'
import { type Line, readLine } from './context.ts'

/** How much of the end is read back at start, bytes. */
const tailBytes = 256 * 1024
const maxLines = 200

/** All that was said, one JSON line a message, only ever added to: the agent's memory across machines. */
export interface Transcript {
  lines(): readonly Line[]
  has(promptId: string): boolean
  /** Adds one turn, once. */
  add(promptId: string, lines: Line[]): Promise<void>
}

export async function openTranscript(file: string): Promise<Transcript> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const known: Line[] = []
  const prompts = new Set<string>()
  const note = (promptId: string, line: Line) => {
    known.push(line)
    prompts.add(promptId)
    if (known.length > maxLines) known.shift()
  }
  const { text, torn } = await readTail(file)
  for (const one of text.split('\n')) {
    const entry = asObject(parseJson(one))
    if (asText(entry.promptId)) note(asText(entry.promptId), readLine(entry))
  }
  let ahead = torn ? '\n' : ''
  return {
    lines: () => known,
    has: (promptId) => prompts.has(promptId),
    async add(promptId, lines) {
      if (prompts.has(promptId)) return
      const text = lines.map((line) => `${JSON.stringify({ promptId, ...line })}\n`).join('')
      const handle = await open(file, 'a', 0o600)
      try {
        await handle.appendFile(ahead + text)
        await handle.sync()
      } finally {
        await handle.close()
      }
      ahead = ''
      for (const line of lines) note(promptId, line)
    },
  }
}

/** The end of the file, and whether a crash left its last line unfinished. */
async function readTail(file: string): Promise<{ text: string; torn: boolean }> {
  const handle = await open(file, 'a+', 0o600)
  try {
    const { size } = await handle.stat()
    const start = Math.max(0, size - tailBytes)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, null, start)
    const text = buffer.subarray(0, bytesRead).toString('utf8')
    return { text, torn: text !== '' && !text.endsWith('\n') }
  } finally {
    await handle.close()
  }
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
