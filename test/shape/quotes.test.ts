import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { root } from '../../bench/inputs.ts'
import { proofs } from '../../bench/proofs.ts'
import { documents, quotes, textOf } from '../../bench/quotes.ts'
import { readRun } from '../../bench/runs.ts'

describe('numbers in documents', () => {
  test('are those of the recorded run that the document names', () => {
    const wrong = quotes().flatMap(({ path, name, quote, text }) => {
      const run = readRun(name)
      const recorded = run && textOf(run, quote)
      return recorded === text ? [] : [`${path}: ${name} ${quote} is ${recorded ?? 'not recorded'}, not ${text}`]
    })
    expect(wrong).toEqual([])
  })

  test('of a measurement name its run', () => {
    const withRuns = new Set(quotes().map(({ path }) => path))
    const without = documents().filter((path) => path.startsWith('bench/') && !withRuns.has(path))
    expect(without).toEqual([])
  })
})

describe('every proof', () => {
  test('and every measurement is in the list', () => {
    const programs = new Set(Object.values(proofs).map(({ program }) => program))
    const unlisted = globSync('bench/prove/*.ts', { cwd: root }).filter((path) => !programs.has(path))
    expect(unlisted).toEqual([])
  })

  test('in the list is a program', () => {
    const missing = Object.values(proofs).filter(({ program }) => !existsSync(join(root, program)))
    expect(missing).toEqual([])
  })

  test('with a recorded run is in the list', () => {
    const recorded = globSync('bench/runs/*.json', { cwd: root })
    const names = Object.keys(proofs).map((name) => `bench/runs/${name.replaceAll(':', '-')}.json`)
    expect(recorded.filter((path) => !names.includes(path))).toEqual([])
  })
})
