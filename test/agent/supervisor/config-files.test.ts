import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSafe } from '../../../agent/supervisor/config-files.ts'
import { Bench, until } from '../machine.ts'

let bench: Bench
beforeEach(async () => {
  bench = await new Bench().open()
})
afterEach(() => bench.close())

const read = (...path: string[]) => readFileSync(join(bench.volume, ...path), 'utf8')

describe('the configuration of a machine', () => {
  it('has the listed files in place, and removes files that are no longer listed', async () => {
    bench.server.files = { 'persona/SOUL.md': 'one', 'skills/brief/SKILL.md': 'brief' }
    const first = bench.start()
    await until(() => existsSync(join(bench.volume, 'config', 'manifest.json')))
    expect(read('config', 'persona', 'SOUL.md')).toBe('one')
    expect(read('config', 'skills', 'brief', 'SKILL.md')).toBe('brief')
    first.child.kill('SIGKILL')
    bench.server.files = { 'persona/SOUL.md': 'two' }
    bench.start()
    await until(() => read('config', 'persona', 'SOUL.md') === 'two')
    await until(() => !existsSync(join(bench.volume, 'config', 'skills', 'brief', 'SKILL.md')))
  })

  it('keeps the agent from starting when a file would lie outside its folder', async () => {
    bench.server.files = { '../state/turn.json': '{}' }
    const machine = bench.start()
    await until(() => machine.output().includes('could not be fetched'))
    expect(existsSync(join(bench.volume, 'state', 'turn.json'))).toBe(false)
    expect(machine.runtimePid()).toBe(0)
  })
})

describe('a path of /agent/files', () => {
  it.each(['persona/SOUL.md', 'skills/a-b/SKILL.md', 'skills/x/a b.txt'])('may be %j', (path) => {
    expect(isSafe(path)).toBe(true)
  })
  it.each(['../x', 'a/../x', '/x', 'a//b', './x', '', 'a/', '.hidden', 'a\0b', 'manifest.json', 'x'.repeat(600)])(
    'may not be %j',
    (path) => {
      expect(isSafe(path)).toBe(false)
    },
  )
})
