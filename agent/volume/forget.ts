import { parseObject } from '../kit/json.ts'
import { sessionOf } from '../kit/session.ts'
import { deleteEntry } from './empty-folder.ts'
import { type Entry, Folder } from './folder.ts'
import { textOf } from './names.ts'
import { StateFolder } from './state-folder.ts'

/** A shorter id could be part of another file's name. */
const leastSession = 8
const maxDepth = 12
const runtimeName = /^[\w-]+$/

/** Removes what runtimes remember of a conversation. Files that the agent made stay. */
export async function forgetConversation(volume: string, conversation: string): Promise<void> {
  await new StateFolder(volume, 'memory').keepLines(
    'transcript.jsonl',
    (line) => parseObject<{ conversation?: string }>(line).conversation !== conversation,
  )
  await forgetKey(new StateFolder(volume, 'state'), 'summary.json', conversation)
  await using top = await Folder.top(volume)
  await using state = await top.makeFolder(Buffer.from('state'), 'displace')
  for await (const { name, kind } of state.entries())
    if (kind === 'folder' && runtimeName.test(textOf(name))) await forgetSession(volume, textOf(name), conversation)
}

/** A runtime's own session of the conversation, in the files that are named after it. */
async function forgetSession(volume: string, runtime: string, conversation: string): Promise<void> {
  const folder = new StateFolder(volume, 'state', runtime)
  const known = await forgetKey(folder, 'sessions.json', conversation)
  const isOwn = typeof known === 'string' && known.length >= leastSession
  const sessions = [sessionOf(conversation), ...(isOwn ? [known] : [])]
  await using top = await Folder.top(volume)
  await using state = await top.folder(Buffer.from('state'))
  await using own = await state.folder(Buffer.from(runtime))
  await deleteNamed(own, sessions, 0)
}

async function deleteNamed(folder: Folder, sessions: readonly string[], depth: number): Promise<void> {
  // Deleting while reading may hide names.
  const entries: Entry[] = []
  for await (const entry of folder.entries()) entries.push(entry)
  for (const { name, kind } of entries) {
    if (sessions.some((session) => textOf(name).includes(session))) await deleteEntry(folder, name)
    else if (kind === 'folder' && depth < maxDepth) {
      await using inner = await folder.folder(name)
      await deleteNamed(inner, sessions, depth + 1)
    }
  }
}

/** Removes a key of a JSON object, and returns its value. */
async function forgetKey(folder: StateFolder, name: string, key: string): Promise<unknown> {
  const { [key]: value, ...others } = parseObject<Record<string, unknown>>(await folder.read(name))
  if (value !== undefined) await folder.replace(name, JSON.stringify(others))
  return value
}
