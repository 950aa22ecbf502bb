import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartProblem } from '../../../local/kit/problem.ts'
import { takeLock } from '../../../local/start/lock.ts'
import { claimDataDir, defaultOptions, readOptions } from '../../../local/start/options.ts'
import { temporaryFolder } from '../assembly.ts'

const repo = '/repo'
const options = (dataDir: string, reset = false) => ({ ...defaultOptions(repo), dataDir, reset })

describe('the options of the caller', () => {
  test('have defaults', () => {
    expect(readOptions([], {}, repo)).toMatchObject({ port: 8787, dataDir: '/repo/.berth', reset: false, quiet: false })
    expect(readOptions(['--quiet', '--reset'], { PORT: '9000', DATA_DIR: 'x' }, repo)).toMatchObject({
      port: 9000,
      dataDir: '/repo/x',
      reset: true,
      quiet: true,
    })
  })

  test.each([
    [['--fast'], {}, '--reset, --quiet, --routes or --explain'],
    [[], { PORT: 'http' }, 'from 1 to 65535'],
    [[], { PORT: '70000' }, 'from 1 to 65535'],
  ])('%j %j are refused in one line with advice', (args, env, advice) => {
    expect(() => readOptions(args, env, repo)).toThrow(StartProblem)
    expect(() => readOptions(args, env, repo)).toThrow(advice)
  })
})

describe('DATA_DIR', () => {
  test('is created, is locked until the service stops, and keeps its data', () => {
    const dataDir = join(temporaryFolder(), 'deep', 'er')
    const lock = claimDataDir(options(dataDir))
    writeFileSync(join(dataDir, 'data', 'kept'), '')
    expect(() => claimDataDir(options(dataDir))).toThrow(`in use by another Berth (process ${process.pid})`)
    lock.release()
    claimDataDir(options(dataDir)).release()
    expect(existsSync(join(dataDir, 'data', 'kept'))).toBe(true)
  })

  test('loses only our own files in a reset', () => {
    const dataDir = temporaryFolder()
    claimDataDir(options(dataDir)).release()
    writeFileSync(join(dataDir, 'data', 'ours'), '')
    writeFileSync(join(dataDir, 'theirs'), '')
    mkdirSync(join(dataDir, 'synth'))
    claimDataDir(options(dataDir, true)).release()
    const left = ['data', 'data/ours', 'theirs', 'synth'].map((name) => existsSync(join(dataDir, name)))
    expect(left).toEqual([true, false, true, true])
  })

  test.each(['/proc/berth', join(import.meta.filename, 'data')])('%s is reported as not writable', (dataDir) => {
    expect(() => claimDataDir(options(dataDir))).toThrow(StartProblem)
    expect(() => claimDataDir(options(dataDir))).toThrow('set DATA_DIR to a folder of yours')
  })

  test('is not locked by a process that has ended, or whose pid belongs to another process now', () => {
    const path = join(temporaryFolder(), 'lock')
    for (const holder of ['4194304 1', `${process.pid} 1`, '', 'nonsense']) {
      writeFileSync(path, holder)
      const lock = takeLock(path)
      expect(lock).toHaveProperty('release')
      if ('release' in lock) lock.release()
    }
  })
})
