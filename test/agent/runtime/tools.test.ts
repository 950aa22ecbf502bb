import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeTools, runShell } from '../../../agent/runtime/tools.ts'

describe('a skill', () => {
  const volume = mkdtempSync(join(tmpdir(), 'berth-tools-'))
  afterAll(() => rmSync(volume, { recursive: true, force: true }))

  it('is read from its own folder only', async () => {
    mkdirSync(join(volume, 'config', 'skills', 'brief'), { recursive: true })
    writeFileSync(join(volume, 'config', 'skills', 'brief', 'SKILL.md'), 'How to brief.')
    const tools = makeTools(volume)
    const call = (given: object) => tools.run({ id: '1', name: 'read_skill', arguments: JSON.stringify(given) })
    expect(await call({ id: 'brief' })).toBe('How to brief.')
    expect(await call({ id: '../..', path: 'secret' })).toMatch(/^error: A path may not contain/)
    expect(await call({})).toBe('error: the argument "id" is missing')
    expect(await tools.run({ id: '2', name: 'constructor', arguments: '{}' })).toMatch(/^error: there is no tool/)
  })
})

describe('shell', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-shell-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('is offered in a container alone', async () => {
    const call = { id: '1', name: 'shell', arguments: '{"command":"echo out"}' }
    expect(await makeTools(folder).run(call)).toMatch(/there is no tool shell/)
    expect(JSON.stringify(makeTools(folder).listed)).not.toContain('"shell"')
    expect(JSON.stringify(makeTools(folder, {}).listed)).toContain('"shell"')
  })

  it('answers what was printed and how it ended, with the environment it was given alone', async () => {
    expect(await runShell('echo out; echo err >&2; exit 3', folder, {})).toMatch(/out\nerr\n\n\[exit code 3\]/)
    expect(await runShell('env', folder, { PATH: '/usr/bin:/bin', MINE: '1' })).not.toMatch(/BERTH|AWS|npm/)
    expect(
      (await runShell('head -c 100000 /dev/zero | tr "\\0" x', folder, { PATH: '/usr/bin:/bin' })).length,
    ).toBeLessThan(31_000)
  })
})
