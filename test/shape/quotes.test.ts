import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { root } from '../../proofs/kit/inputs.ts'
import { proofsPage } from '../../proofs/kit/page.ts'
import { documents, quotes, textOf } from '../../proofs/kit/quotes.ts'
import { readRun } from '../../proofs/kit/runs.ts'
import { proofs } from '../../proofs/proofs.ts'

describe('numbers in documents', () => {
  test('match the recorded run that the document names', () => {
    const wrong = quotes().flatMap(({ path, name, quote, text }) => {
      const run = readRun(name)
      const recorded = run && textOf(run, quote)
      return recorded === text ? [] : [`${path}: ${name} ${quote} is ${recorded ?? 'not recorded'}, not ${text}`]
    })
    expect(wrong).toEqual([])
  })

  test('that were measured name their run', () => {
    const withRuns = new Set(quotes().map(({ path }) => path))
    const without = documents().filter((path) => path.startsWith('bench/') && !withRuns.has(path))
    expect(without).toEqual([])
  })
})

describe('every proof', () => {
  test('and every measurement is in the list', () => {
    const known = ['proofs/proofs.ts', 'proofs/prove.ts', ...Object.values(proofs).map(({ program }) => program)]
    const unlisted = globSync('proofs/*.ts', { cwd: root }).filter((path) => !known.includes(path))
    expect(unlisted).toEqual([])
  })

  test('is in the tables of proofs/README.md, which `npm run prove -- --page` writes', () => {
    const { present, derived } = proofsPage()
    expect(present).toBe(derived)
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

  test('marked as nightly runs in nightly.yml, whose time limit is twice the time that they need', () => {
    const { jobs } = parse(readFileSync(join(root, '.github/workflows/nightly.yml'), 'utf8'), { merge: true })
    const commands = jobs.proofs.steps.map(({ run }: { run?: string }) => run)
    expect(commands).toContain('npm run prove -- --nightly')
    const minutes = Object.values(proofs).reduce((sum, proof) => sum + (proof.nightly ? proof.minutes : 0), 0)
    expect(jobs.proofs['timeout-minutes']).toBeGreaterThan(2 * minutes)
  })
})
