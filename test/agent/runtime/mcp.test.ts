import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { McpServers } from '../../../agent/runtime/mcp.ts'
import { readConfig } from '../../../agent/runtime/mcp-config.ts'
import { runCalls } from '../../../agent/runtime/tools.ts'
import { root } from '../../../lib/build/bundle.ts'
import { isAlive, until } from '../machine.ts'

const program = fileURLToPath(new URL('../evaluation/stdio-server.mjs', import.meta.url))
const variables = { TOKEN: 'secret', HOME: '/home', PATH: process.env.PATH ?? '' }

const variable = (name: string) => `\${${name}}`

describe('a server’s configuration', () => {
  const command = { args: [], env: {}, headers: {} }
  it.each([
    [
      { command: 'npx', args: ['-y', 'x'] },
      { ...command, command: 'npx', args: ['-y', 'x'] },
    ],
    [
      { command: `${variable('TOKEN')}/${variable('NO:-bin')}`, env: { A: `Bearer ${variable('TOKEN')}` } },
      { ...command, command: 'secret/bin', env: { A: 'Bearer secret' } },
    ],
    [
      { type: 'http', url: `https://a.example/${variable('NO:-')}`, headers: { B: variable('TOKEN') } },
      { ...command, url: 'https://a.example/', headers: { B: 'secret' } },
    ],
  ])('%j is parsed with the user’s variables', (given, read) => {
    expect(readConfig(given, variables)).toEqual(read)
  })

  it.each([
    [null, 'it is no object'],
    [{}, 'name either a "command" or a "url"'],
    [{ command: 'a', url: 'b' }, 'name either a "command" or a "url"'],
    [{ command: ['a'] }, '"command" is not a text'],
    [{ command: 'a', args: 'b' }, '"args" is not a list'],
    [{ command: 'a', env: { B: 1 } }, '"env.B" is not a text'],
    [{ command: 'a', env: { B: variable('NO') } }, 'the variable NO is not set'],
    [{ command: 'a', env: { B: variable('constructor') } }, 'the variable constructor is not set'],
    [{ type: 'sse', url: 'https://a.example/' }, /"sse" is not spoken/],
  ])('%j is refused: %s', (given, why) => {
    expect(() => readConfig(given, variables)).toThrow(why)
  })
})

describe('the user’s servers', () => {
  let volume: string
  let servers: McpServers
  const open = (runsCommands = true) => new McpServers({ volume, variables, runsCommands }, () => {}, 60_000)
  const configure = (mcpServers: object) =>
    writeFileSync(join(volume, 'workspace', '.mcp.json'), JSON.stringify({ mcpServers }))
  const harbour = { command: process.execPath, args: [program], env: { PLACE: variable('TOKEN') } }
  beforeEach(() => {
    volume = mkdtempSync(join(tmpdir(), 'berth-mcp-'))
    mkdirSync(join(volume, 'workspace'))
    servers = open()
  })
  afterEach(async () => {
    await servers.close()
    rmSync(volume, { recursive: true, force: true })
  })
  const call = async (name: string, given: object = {}) => {
    const { tools } = await servers.connect()
    return (
      await runCalls(tools, [{ id: '1', name, arguments: JSON.stringify(given) }], new AbortController().signal)
    )[0]
  }

  it('are started once, and stopped with the agent; tools that only read are marked so', async () => {
    configure({ 'my harbour': harbour })
    const { tools, unreachable } = await servers.connect()
    expect(unreachable).toEqual([])
    expect(Object.keys(tools)).toEqual(['echo', 'pid', 'die', 'hang'].map((name) => `mcp__my_harbour__${name}`))
    expect(tools.mcp__my_harbour__echo?.readOnly).toBe(true)
    expect(tools.mcp__my_harbour__die?.readOnly).toBe(false)
    const pid = Number(await call('mcp__my_harbour__pid'))
    expect(Number(await call('mcp__my_harbour__pid'))).toBe(pid)
    expect(isAlive(pid)).toBe(true)
    await servers.close()
    await until(() => !isAlive(pid))
  })

  it('get HOME, PATH and the variables of their configuration, and nothing else', async () => {
    configure({ a: harbour })
    expect(await call('mcp__a__echo', { text: 'x' })).toBe('x from secret')
    const given: string[] = JSON.parse((await call('mcp__a__echo', { environment: true })) ?? '')
    // Variables that the client itself adds say nothing about the machine.
    const added = ['LOGNAME', 'SHELL', 'TERM', 'USER']
    expect(given.filter((name) => !added.includes(name))).toEqual(['HOME', 'PATH', 'PLACE'])
  })

  it('are replaced when their file changes', async () => {
    configure({ a: harbour })
    const pid = Number(await call('mcp__a__pid'))
    configure({ b: harbour })
    expect(await call('mcp__a__pid')).toMatch(/there is no tool/)
    expect(Number(await call('mcp__b__pid'))).toBeGreaterThan(0)
    await until(() => !isAlive(pid))
  })

  it('have results of limited length', async () => {
    configure({ a: harbour })
    expect((await call('mcp__a__echo', { text: 'x'.repeat(100_000) }))?.length).toBeLessThan(33_000)
  })

  it('are skipped where commands are forbidden, and when their file is invalid', async () => {
    configure({ a: harbour })
    expect(await open(false).connect()).toEqual({ tools: {}, unreachable: [] })
    for (const text of ['', '{', '[]', '{"mcpServers": []}']) {
      writeFileSync(join(volume, 'workspace', '.mcp.json'), text)
      expect((await servers.connect()).tools).toEqual({})
    }
  })
})

it('the image has the same MCP client as this test', () => {
  const of = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))
  const { dependencies } = of('agent/package.json')
  const { devDependencies, dependencies: ours } = of('package.json')
  const locked = of('agent/package-lock.json').packages
  for (const [name, version] of Object.entries(dependencies)) {
    expect({ ...devDependencies, ...ours }[name]).toBe(version)
    expect(locked[`node_modules/${name}`].version).toBe(version)
  }
})
