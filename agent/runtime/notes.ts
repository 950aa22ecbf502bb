import { cut } from '../kit/text.ts'
import type { StateFolder } from '../volume/state-folder.ts'
import { schema, string, type Tool, ToolError } from './tool.ts'

/** In characters: every message includes the notes. */
const maxNotes = 8_000

const notesName = 'notes.md'

export const notesTool = (folder: StateFolder): Tool => ({
  description:
    `Changes your notes, which you are told in all later conversations: lasting facts and wishes of the user. They hold ` +
    `${maxNotes} characters, so keep them true and short: replace what has changed, remove what no longer matters.`,
  parameters: schema(
    {
      action: { type: 'string', enum: ['add', 'replace', 'remove'] },
      note: string('add, replace: the fact, in one sentence.'),
      old: string('replace, remove: words that only the note in question has.'),
    },
    ['action'],
  ),
  async run(args) {
    const notes = linesOf(await folder.read(notesName))
    const action = args.text('action')
    if (action === 'add') notes.push(oneLine(args.text('note')))
    else if (action === 'replace') notes[indexOf(notes, args.text('old'))] = oneLine(args.text('note'))
    else if (action === 'remove') notes.splice(indexOf(notes, args.text('old')), 1)
    else throw new ToolError('the action is add, replace or remove')
    const text = notes.map((note) => `- ${note}\n`).join('')
    // Notes that are already too long may still be shortened.
    if (text.length > maxNotes && action === 'add')
      throw new ToolError(`the notes would have ${text.length} characters of ${maxNotes}: replace or remove some first`)
    await folder.replace(notesName, text)
    return `noted; the notes have ${text.length} of ${maxNotes} characters now`
  },
})

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/^- /, '').trim())
    .filter(Boolean)

function oneLine(note: string): string {
  const line = note.trim().replace(/\s+/g, ' ')
  if (!line) throw new ToolError('the note is empty')
  return cut(line, 2_000)
}

function indexOf(notes: readonly string[], old: string): number {
  const indexes = notes.flatMap((note, i) => (old.trim() && note.includes(old.trim()) ? [i] : []))
  const [index] = indexes
  if (index === undefined) throw new ToolError('no note has these words')
  if (indexes.length > 1) throw new ToolError(`${indexes.length} notes have these words: take more of them`)
  return index
}
