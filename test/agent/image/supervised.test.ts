import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Bench, until } from '../machine.ts'

let bench: Bench
beforeEach(async () => {
  bench = await new Bench().open()
})
afterEach(() => bench.close())

/** The environment of a runtime whose machine was started with these variables. */
async function environmentWith(variables: Record<string, string>): Promise<Map<string, string>> {
  const script = join(bench.volume, 'tell.sh')
  writeFileSync(script, 'env >said && mv said ../said; exec cat')
  const machine = bench.start({ BERTH_RUNTIME: `sh ${script}`, ...variables })
  const said = join(bench.volume, 'said')
  await until(() => existsSync(said))
  machine.child.kill('SIGKILL')
  await machine.exited
  return new Map(
    readFileSync(said, 'utf8')
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}

it('the supervisor of an image makes the runtime install packages on the volume; elsewhere the host’s own folders are used', async () => {
  const inImage = await environmentWith({ BERTH_CONTAINER: '1' })
  expect(inImage.get('NPM_CONFIG_PREFIX')).toBe(join(bench.volume, 'packages/npm'))
  expect(inImage.get('PATH')?.split(':')).toContain(join(bench.volume, 'packages/npm/bin'))
  await bench.close()
  bench = await new Bench().open()
  const elsewhere = await environmentWith({})
  expect(elsewhere.has('NPM_CONFIG_PREFIX')).toBe(false)
  expect(elsewhere.get('PATH')).not.toContain('packages/')
})
