import { clientName, clientOfUserAgent, knownClient, maxClientName } from '../../../domain/tokens/client-name.ts'
import { corpus } from '../../dashboard/hostile-corpus/index.ts'

describe('a program’s name for itself', () => {
  test.each([
    ['cursor-vscode', 'Cursor'],
    ['claude-code', 'Claude Code'],
    ['claude-ai', 'Claude'],
    ['codex-mcp-client', 'Codex'],
    ['openai-mcp', 'ChatGPT'],
    ['Visual Studio Code', 'VS Code'],
    ['My own client', 'My own client'],
  ])('%s is stored as %s', (said, kept) => expect(clientName(said)).toBe(kept))

  test.each([
    ['reversed text', 'good\u202eevil\u2066', 'goodevil'],
    ['lines and control characters', 'one\r\ntwo\u0000\u001b[31m', 'one two[31m'],
    ['invisible characters', 'a\u200bb\u{e0041}\ufeff', 'ab'],
    ['stacked accents', `z${'\u0336'.repeat(400)}algo`, 'z\u0336\u0336algo'],
    ['spaces', '  a \t  b  ', 'a b'],
    ['only invisible characters', '\u200b\u202e \n', null],
    ['an empty text', '', null],
  ])('%s becomes plain text', (_, said, kept) => expect(clientName(said)).toBe(kept))

  test('is cut at 10,000 characters, in whole letters', () => {
    expect(clientName('😀'.repeat(5_000))).toBe('😀'.repeat(maxClientName))
  })

  test('is reduced to a short line, or to nothing, when it is hostile', () => {
    const kept = corpus.map(({ text }) => clientName(text))
    const bad = kept.filter((name) => name !== null && !/^[^\p{C}\p{Zl}\p{Zp}]{1,60}$/u.test(name))
    expect(corpus.length).toBeGreaterThan(300)
    expect(bad).toEqual([])
    expect(kept.every((name) => name === null || clientName(name) === name)).toBe(true)
  })
})

describe('a User-Agent', () => {
  test.each([
    ['claude-code/2.1.330 (cli)', 'Claude Code', 'Claude Code'],
    ['Cursor/2.0 (linux)', 'Cursor', 'Cursor'],
    ['curl/8.5.0', null, 'curl'],
    ['python-requests/2.32', null, 'python-requests'],
    ['node', null, 'node'],
    ['Mozilla/5.0 (X11; Linux x86_64)', null, null],
    ['<img src=x>', null, null],
    ['', null, null],
  ])('%s is recognised as %s and named %s', (userAgent, known, named) => {
    expect([knownClient(userAgent), clientOfUserAgent(userAgent)]).toEqual([known, named])
  })

  test('is limited in length', () => expect(clientOfUserAgent('a'.repeat(10_000))).toHaveLength(maxClientName))
})
