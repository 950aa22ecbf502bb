/**
 * Breaks each invariant of money on purpose, one at a time, in a copy of the tree, and checks that its suite fails. A
 * suite that passes on a broken wallet proves nothing.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mutations } from '../test/mutations/mutations.ts'

const repo = join(import.meta.dirname, '..')
const copy = mkdtempSync(join(tmpdir(), 'berth-mutations-'))
const parts = [
  'adapters',
  'agent',
  'app',
  'bin',
  'catalogue',
  'docs',
  'domain',
  'emulators',
  'lambdas',
  'lib',
  'local',
  'stages',
  'test',
  'jest.config.js',
  'package.json',
]

/** True when the suite passes in the copy. */
function passes(suite: string): boolean {
  const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js']
  const only = ['--selectProjects', 'unit', '--bail', '--runInBand', '--testPathPatterns', `${suite}\\.test`]
  const { status, stderr } = spawnSync(process.execPath, [...jest, ...only], { cwd: copy, encoding: 'utf8' })
  if (stderr.includes('No tests found')) throw new Error(`there is no suite ${suite}`)
  return status === 0
}

const survived: string[] = []
try {
  for (const part of parts) cpSync(join(repo, part), join(copy, part), { recursive: true })
  symlinkSync(join(repo, 'node_modules'), join(copy, 'node_modules'))
  for (const suite of new Set(mutations.map((mutation) => mutation.suite))) {
    if (!passes(suite)) throw new Error(`${suite} fails on the tree as it is`)
  }
  for (const { breaks, file, search, replace, suite } of mutations) {
    const path = join(copy, file)
    const whole = readFileSync(path, 'utf8')
    writeFileSync(
      path,
      whole.replace(search, () => replace),
    )
    const caught = !passes(suite)
    writeFileSync(path, whole)
    console.log(`${caught ? 'caught  ' : 'SURVIVED'} ${breaks}`)
    if (!caught) survived.push(breaks)
  }
} finally {
  rmSync(copy, { recursive: true, force: true })
}
console.log(`${mutations.length - survived.length} of ${mutations.length} caught`)
process.exitCode = survived.length > 0 ? 1 : 0
