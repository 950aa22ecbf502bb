import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readNotes } from '../../../agent/runtime/memory.ts'
import { runShell } from '../../../agent/runtime/shell.ts'
import { Arguments, type Tool, ToolError } from '../../../agent/runtime/tool.ts'
import { listed, ownTools, runCalls } from '../../../agent/runtime/tools.ts'
import { webSearchTool } from '../../../agent/runtime/web-search.ts'
import { StateFolder } from '../../../agent/volume/state-folder.ts'

const never = new AbortController().signal
let volume: string
beforeEach(() => {
  volume = mkdtempSync(join(tmpdir(), 'berth-tools-'))
  for (const folder of ['workspace', 'memory']) mkdirSync(join(volume, folder))
})
afterEach(() => rmSync(volume, { recursive: true, force: true }))

const tools = (variables = {}, runsCommands = false) => ownTools({ volume, variables, runsCommands })
const call = async (name: string, given: object | string) => {
  const text = typeof given === 'string' ? given : JSON.stringify(given)
  const [result = ''] = await runCalls(tools(), [{ id: '1', name, arguments: text }], never)
  return result
}
const put = (path: string, text: string) => writeFileSync(join(volume, path), text)
const read = (path: string) => readFileSync(join(volume, path), 'utf8')

describe('a tool call', () => {
  it.each([
    ['constructor', '{}', 'error: there is no tool constructor'],
    ['read_file', '{"path": "a', /^error: the arguments are not a whole JSON object/],
    ['read_file', '[]', /^error: the arguments are not a whole JSON object/],
    ['read_file', '{}', 'error: the argument "path" is missing'],
    ['read_file', '{"path": 7}', 'error: the argument "path" is not a text'],
    ['read_file', '{"path": "a.txt", "lines": -1}', /not a whole number/],
    ['edit_file', '{"path": "a.txt", "edits": "b"}', 'error: the argument "edits" is not a list'],
    ['edit_file', '{"path": "a.txt", "edits": ["b"]}', /holds something that is no object/],
    ['list_files', '', '(empty)'],
  ])('to %s with %s gets an answer', async (name, given, expected) => {
    expect(await call(name, given)).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected))
  })

  it('that only reads runs in parallel with others, one that writes runs alone, and the answers keep their order', async () => {
    const events: string[] = []
    let running = 0
    const waiting: (() => void)[] = []
    const reads: Tool = {
      ...{ description: '', parameters: {}, readOnly: true },
      run: (given) =>
        new Promise((resolve) => {
          events.push(`begin ${given.text('n')}`)
          running++
          waiting.push(() => {
            running--
            resolve(given.text('n'))
          })
          // Both have begun: they end later, in reverse order.
          if (waiting.length === 2) for (const end of waiting.splice(0).reverse()) setImmediate(end)
        }),
    }
    const writes: Tool = {
      ...{ description: '', parameters: {} },
      async run() {
        events.push(`write beside ${running}`)
        return 'written'
      },
    }
    const made = (name: string, n: string) => ({ id: n, name, arguments: JSON.stringify({ n }) })
    const calls = [made('reads', '1'), made('reads', '2'), made('writes', '3'), made('reads', '4'), made('reads', '5')]
    expect(await runCalls({ reads, writes }, calls, never)).toEqual(['1', '2', 'written', '4', '5'])
    expect(events).toEqual(['begin 1', 'begin 2', 'write beside 0', 'begin 4', 'begin 5'])
  })

  it('to a tool that fails with its own error returns only that error', async () => {
    const fails: Tool = { description: '', parameters: {}, run: () => Promise.reject(new Error('key bl_123')) }
    expect(await runCalls({ fails }, [{ id: '1', name: 'fails', arguments: '{}' }], never)).toEqual([
      'error: the tool failed',
    ])
  })
})

describe('files', () => {
  it('are edited at several places at once, or not at all', async () => {
    put('workspace/a.txt', 'one two three two')
    const edit = (...edits: object[]) => call('edit_file', { path: 'a.txt', edits })
    expect(await edit({ old_text: 'one', new_text: '1' }, { old_text: 'four', new_text: '4' })).toMatch(
      /^error: edit 2: old_text does not stand there/,
    )
    expect(await edit({ old_text: 'two', new_text: '2' })).toMatch(/^error: edit 1: old_text stands there 2 times/)
    expect(await edit({ old_text: '', new_text: '2' })).toMatch(/is empty/)
    expect(await edit({ old_text: 'one', new_text: 'one' })).toMatch(/change nothing/)
    expect(read('workspace/a.txt')).toBe('one two three two')
    expect(await edit({ old_text: 'one', new_text: '$& 1' }, { old_text: 'two', new_text: '2', all: true })).toBe(
      '2 edits made',
    )
    expect(read('workspace/a.txt')).toBe('$& 1 2 three 2')
  })

  it('are read and remembered in whole characters', async () => {
    put('workspace/cut.txt', `${'x'.repeat(31_999)}🌊${'y'.repeat(100)}`)
    expect((await call('read_file', { path: 'cut.txt' })).isWellFormed()).toBe(true)
    put('memory/diary.md', `${'🌊'.repeat(9_000)}a`)
    const notes = await readNotes(new StateFolder(volume, 'memory'))
    expect([notes.isWellFormed(), notes.endsWith('🌊a\n')]).toEqual([true, true])
  })

  it('are read in parts', async () => {
    put('workspace/a.txt', Array.from({ length: 100 }, (_, i) => `line ${i + 1}`).join('\n'))
    expect(await call('read_file', { path: 'a.txt', from_line: 99, lines: 5 })).toBe(
      'line 99\nline 100\n[lines 99 to 100 of 100]',
    )
  })

  it('are found by name and by content, without packages and links', async () => {
    mkdirSync(join(volume, 'workspace/docs/node_modules'), { recursive: true })
    put('workspace/docs/tide.md', 'High tide\nat noon')
    put('workspace/docs/node_modules/tide.md', 'High tide')
    put('workspace/tide.bin', 'High tide\0')
    put('secret.md', 'High tide')
    expect(await call('find_files', { pattern: '*.md' })).toBe('docs/tide.md')
    expect(await call('find_files', { pattern: 'docs/**/t?de.*' })).toBe('docs/tide.md')
    expect(await call('find_files', { pattern: '../*.md' })).toBe('Nothing was found.')
    expect(await call('search_files', { pattern: '^high (tide|water)$', ignore_case: true })).toBe(
      'docs/tide.md:1: High tide',
    )
    expect(await call('search_files', { pattern: 'tide', files: '*.ts' })).toBe('Nothing was found.')
  })

  it('are searched for a limited time', async () => {
    put('workspace/a.txt', `${'a'.repeat(40)}!`)
    expect(await call('search_files', { pattern: '^(a+)+$' })).toMatch(/^error: the pattern takes longer than/)
    expect(await call('search_files', { pattern: '(' })).toMatch(/not a regular expression/)
  })
})

describe('notes', () => {
  it('are added, replaced and removed, one sentence each', async () => {
    expect(await call('notes', { action: 'add', note: 'The boat is\ncalled Heron.' })).toMatch(/^noted/)
    await call('notes', { action: 'add', note: 'The user likes tea.' })
    await call('notes', { action: 'replace', old: 'Heron', note: 'The boat is called Petrel.' })
    expect(read('memory/notes.md')).toBe('- The boat is called Petrel.\n- The user likes tea.\n')
    expect(await call('notes', { action: 'remove', old: 'The ' })).toMatch(/^error: 2 notes have these words/)
    expect(await call('notes', { action: 'remove', old: 'Heron' })).toMatch(/^error: no note has these words/)
    await call('notes', { action: 'remove', old: 'tea' })
    expect(read('memory/notes.md')).toBe('- The boat is called Petrel.\n')
    expect(await call('notes', { action: 'forget' })).toMatch(/^error: the action is/)
  })

  it('are limited: when they are full, the model makes room itself', async () => {
    put('memory/notes.md', Array.from({ length: 79 }, (_, i) => `- ${String(i).padStart(98, '0')}\n`).join(''))
    expect(await call('notes', { action: 'add', note: 'x'.repeat(200) })).toMatch(/^error: the notes would have/)
    await call('notes', { action: 'remove', old: '0078' })
    await call('notes', { action: 'remove', old: '0077' })
    expect(await call('notes', { action: 'add', note: 'x'.repeat(200) })).toMatch(/^noted/)
  })
})

describe('a skill', () => {
  it('is read from its own folder only', async () => {
    mkdirSync(join(volume, 'config', 'skills', 'brief'), { recursive: true })
    put('config/skills/brief/SKILL.md', 'How to brief.')
    expect(await call('read_skill', { id: 'brief' })).toBe('How to brief.')
    expect(await call('read_skill', { id: '../..', path: 'secret' })).toMatch(/^error: A path may not contain/)
    expect(await call('read_skill', {})).toBe('error: the argument "id" is missing')
  })
})

describe('web search', () => {
  it('is offered only to users with a key for it', () => {
    expect(listed(tools()).map(({ name }) => name)).not.toContain('web_search')
    expect(listed(tools({ BRAVE_API_KEY: 'k' })).map(({ name }) => name)).toContain('web_search')
  })

  it('sends the key, and returns titles, addresses and descriptions', async () => {
    const asked: unknown[] = []
    const results = [
      { title: 'Tides', url: 'https://tides.example/', description: 'When the <strong>tide</strong> is' },
    ]
    const server = createServer((request, response) => {
      asked.push([request.url, request.headers['x-subscription-token']])
      const found = request.url?.includes('q=tide') ? { web: { results } } : {}
      response.writeHead(request.url?.includes('limit') ? 429 : 200).end(JSON.stringify(found))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo // safe because it listens on TCP
    const search = webSearchTool('key', `http://127.0.0.1:${port}/search`)
    const look = (given: Record<string, unknown>) => search.run(new Arguments(given), never)
    expect(await look({ query: 'tide & time', count: 99 })).toBe('1. Tides\nhttps://tides.example/\nWhen the tide is')
    expect(asked).toEqual([['/search?q=tide+%26+time&count=20', 'key']])
    expect(await look({ query: 'nothing' })).toBe('Nothing was found.')
    await expect(look({ query: 'limit' })).rejects.toThrow(new ToolError('the search answered 429'))
    server.closeAllConnections()
    server.close()
  })
})

describe('shell', () => {
  const environment = { PATH: '/usr/bin:/bin' }

  // https://github.com/anomalyco/opencode/issues/15385, https://github.com/wonderwhy-er/DesktopCommanderMCP/issues/628
  it.each([
    ['an em dash', "printf 'cleanup \\342'; sleep 0.1; printf '\\200\\224 end'", 'cleanup — end'],
    ['a character in three pieces', "printf '\\342'; sleep 0.1; printf '\\211'; sleep 0.1; printf '\\244'", '≤'],
    ['an emoji on stderr', "{ printf '\\360\\237'; sleep 0.1; printf '\\230\\200'; } >&2", '😀'],
    ['each stream separately', "printf '\\342'; sleep 0.1; printf 'err' >&2; sleep 0.1; printf '\\200\\224'", 'err—'],
  ])('reads %s completely, however it is split', async (_, command, shown) => {
    expect(await runShell(command, volume, environment)).toBe(`${shown}\n[exit code 0]`)
  })

  // https://github.com/Nano-Collective/nanocoder/issues/1305
  it('shortens a long output by whole characters', async () => {
    const emoji = "printf '\\360\\237\\230\\200%.0s' $(seq 20000)"
    for (const shift of ['', 'x', 'xx', 'xxx']) {
      const shown = await runShell(`printf '${shift}'; ${emoji}`, volume, environment)
      expect(shown).toMatch(/\n\[1000\d characters are left out here\]\n/)
      expect(shown.isWellFormed()).toBe(true)
      expect(shown).not.toContain('\ufffd')
    }
  })

  it('is offered in a container only', async () => {
    expect(await call('shell', { command: 'echo out' })).toMatch(/there is no tool shell/)
    expect(listed(tools()).map(({ name }) => name)).not.toContain('shell')
    expect(listed(tools({}, true)).map(({ name }) => name)).toContain('shell')
  })

  it('returns the output and the exit status, and runs with the given environment only', async () => {
    expect(await runShell('echo out; echo err >&2; exit 3', volume, {})).toMatch(/out\nerr\n\n\[exit code 3\]/)
    expect(await runShell('env', volume, { ...environment, MINE: '1' })).not.toMatch(/BERTH|AWS|npm/)
  })

  it('shows the beginning and the end of a long output', async () => {
    const shown = await runShell('echo begin; head -c 100000 /dev/zero | tr "\\0" x; echo end', volume, environment)
    expect(shown.length).toBeLessThan(31_000)
    expect(shown).toMatch(/^begin\nx+\n\[\d+ characters are left out here\]\nx+end\n\n\[exit code 0\]$/)
  })

  it('ends with the turn', async () => {
    const stop = new AbortController()
    const shown = runShell('echo begun; sleep 60', volume, environment, stop.signal)
    stop.abort()
    expect(await shown).toMatch(/\[stopped by the user\]\n\[ended by SIGKILL\]$/)
  })
})
