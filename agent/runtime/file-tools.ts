import { VolumeError } from '../volume/folder.ts'
import type { ToolFolder } from './folder.ts'
import { findInLines, globOf } from './search.ts'
import { type Arguments, integer, schema, string, ToolError, type Tools } from './tool.ts'

const path = string('Path relative to the workspace.')
const maxFound = 200
const maxMatches = 100
const readLines = 2_000

const isInInbox = /^(\.?\/)*inbox\/msg_/

/** Tools for files of the workspace; the inbox can only be read. */
export function fileTools(workspace: ToolFolder, volume: ToolFolder): Tools {
  const readable = (path: string): ToolFolder => (isInInbox.test(path) ? volume : workspace)
  return {
    read_file: {
      description: 'Reads a text file of your workspace or inbox, or a part of it.',
      parameters: schema(
        {
          path,
          from_line: integer('First line to read; 1 when left out.'),
          lines: integer(`Lines to read; ${readLines} when left out.`),
        },
        ['path'],
      ),
      readOnly: true,
      async run(args) {
        if (args.fields.from_line === undefined && args.fields.lines === undefined)
          return readable(args.text('path')).read(args.text('path'))
        const first = args.count('from_line', 1)
        const count = args.count('lines', readLines)
        const lines = (await readable(args.text('path')).readWhole(args.text('path'))).split('\n')
        const last = Math.min(first + count - 1, lines.length)
        const shown = lines.slice(first - 1, last).join('\n')
        return `${shown}\n[lines ${first} to ${last} of ${lines.length}]`
      },
    },
    write_file: {
      description: 'Writes a text file into your workspace, replacing what was there; folders are made as needed.',
      parameters: schema({ path, content: string('The whole text of the file.') }),
      async run(args) {
        await workspace.write(args.text('path'), args.text('content'))
        return 'written'
      },
    },
    edit_file: {
      description:
        'Changes parts of a text file. Each edit replaces text that stands there exactly so, and once; all of them are made, or none.',
      parameters: schema({
        path,
        edits: {
          type: 'array',
          items: schema(
            {
              old_text: string('The current text, with its white space; enough of it to be unique.'),
              new_text: string('The new text.'),
              all: { type: 'boolean', description: 'Replaces it wherever it stands.' },
            },
            ['old_text', 'new_text'],
          ),
        },
      }),
      async run(args) {
        const edits = args.list('edits')
        const before = await workspace.readWhole(args.text('path'))
        const after = edits.reduce(edit, before)
        if (after === before) throw new ToolError('the edits change nothing')
        await workspace.write(args.text('path'), after)
        return `${edits.length} ${edits.length === 1 ? 'edit' : 'edits'} made`
      },
    },
    list_files: {
      description: 'Lists one folder of your workspace. Folders end with a slash.',
      parameters: schema({ path: string('Path relative to the workspace; leave it out for the top.') }, []),
      readOnly: true,
      run: async (args) => (await workspace.list(args.text('path', ''))).join('\n') || '(empty)',
    },
    find_files: {
      description: 'Finds files of your workspace by their names.',
      parameters: schema({ pattern: string('With *, ** and ?, such as "**/*.md".') }),
      readOnly: true,
      async run(args) {
        const pattern = globOf(args.text('pattern'))
        const files: string[] = []
        for await (const file of workspace.walk()) {
          if (!pattern.test(file)) continue
          if (files.length === maxFound) return [...files, `[cut: more than ${maxFound}]`].join('\n')
          files.push(file)
        }
        return files.sort().join('\n') || 'Nothing was found.'
      },
    },
    search_files: {
      description: 'Searches the lines of your files for a regular expression.',
      parameters: schema(
        {
          pattern: string('A regular expression of JavaScript.'),
          files: string('Only in files whose names match, such as "**/*.ts".'),
          ignore_case: { type: 'boolean' },
        },
        ['pattern'],
      ),
      readOnly: true,
      run: (args) => searchFiles(workspace, args),
    },
  }
}

function edit(text: string, change: Arguments, index: number): string {
  const old = change.text('old_text')
  const parts = old === '' ? [] : text.split(old)
  const count = parts.length - 1
  const name = `edit ${index + 1}: old_text`
  if (old === '') throw new ToolError(`${name} is empty`)
  if (count === 0) throw new ToolError(`${name} does not stand there; read the file again and take its text exactly`)
  if (count > 1 && !change.flag('all'))
    throw new ToolError(`${name} stands there ${count} times; take more of the text around it, or set all`)
  return parts.join(change.text('new_text'))
}

async function searchFiles(workspace: ToolFolder, args: Arguments): Promise<string> {
  const find = findInLines(args.text('pattern'), args.flag('ignore_case'))
  const pattern = globOf(args.text('files', '**'))
  const matches: string[] = []
  for await (const file of workspace.walk()) {
    if (!pattern.test(file)) continue
    const text = await workspace.readWhole(file).catch((thrown: unknown) => {
      if (thrown instanceof VolumeError) return ''
      throw thrown
    })
    if (text.includes('\0')) continue
    for (const { line, shown } of find(text)) {
      if (matches.length === maxMatches) return [...matches, `[cut: more than ${maxMatches}]`].join('\n')
      matches.push(`${file}:${line}: ${shown}`)
    }
  }
  return matches.join('\n') || 'Nothing was found.'
}
