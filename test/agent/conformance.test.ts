import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { full } from '../counts.ts'
import { conform } from './conformance.ts'
import { commandFrom, reportOf, supportedBy } from './run-conformance.ts'

const minimal = fileURLToPath(new URL('../../agent/examples/minimal.mjs', import.meta.url))

/**
 * In the full tier, the checks of the reference agent that other suites run are run here too, and so are the crashes of
 * host.test.ts.
 */
const runtimes: (string | null)[] = [`${process.execPath} ${minimal}`]
if (full) runtimes.push(null)
const only = full ? '' : /^(?!.*once when)/

describe('the machine protocol', () => {
  it.each(runtimes)(
    'is implemented by %s',
    async (command) => {
      const outcomes = await conform(command, { say: () => {}, only })
      // A program's manifest says only that the program replies.
      const beyond = command === null ? 0 : 4
      expect(outcomes.filter(({ result }) => result === 'failed')).toEqual([])
      expect(outcomes.filter(({ result }) => result === 'skipped')).toHaveLength(beyond)
      expect(outcomes.length).toBeGreaterThan(full ? 18 : 10)
    },
    180_000,
  )
})

describe('a runtime', () => {
  const tried = async (command: string, only?: string) => {
    const said: string[] = []
    const limits = { waitSeconds: 4, startSeconds: 10 }
    const outcomes = await conform(command, { say: (line) => said.push(line), limits, ...(only && { only }) })
    return { said: said.join('\n'), outcomes }
  }

  it('that exits at once fails with its output, and no further check runs', async () => {
    const { said, outcomes } = await tried('sh -c "echo no such module; exit 1"')
    expect(outcomes.map(({ result }) => result)).toEqual(['failed'])
    expect(said).toMatch(/\| no such module/)
    expect(said).toMatch(/it exits by itself before it does anything/)
  })

  it('that answers without a model fails the checks that expect the model’s text', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-runtime-'))
    const program = join(folder, 'parrot.mjs')
    writeFileSync(
      program,
      `const { BERTH_LOOPBACK: base, BERTH_LOOPBACK_KEY: key } = process.env
      const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
      const send = (path, body) => fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) })
      process.stdin.resume().on('close', () => process.exit(1))
      process.on('SIGTERM', () => process.exit(0))
      for (;;) {
        const { prompt } = await (await fetch(base + '/agent/prompt?wait=20', { headers })).json()
        if (!prompt) continue
        await send('/agent/observe', { kind: 'reply', promptId: prompt.id, text: 'I am a parrot.' })
        await send('/agent/feedback', { promptId: prompt.id, outcome: 'completed' })
      }`,
    )
    const { outcomes } = await tried(`${process.execPath} ${program}`, 'booked as chat')
    rmSync(folder, { recursive: true })
    expect(outcomes.map(({ result, because }) => [result, because])).toEqual([
      ['passed', ''],
      ['failed', 'nothing was paid for'],
    ])
  })
})

describe('an optional ability of a runtime', () => {
  const limits = { waitSeconds: 6, startSeconds: 15 }
  const quiet = { say: () => {}, limits }
  const call = { name: 'shell', arguments: {} }
  const names = ['shows its tool', 'ends its turn', 'asks its owner', 'sends an unrequested message']

  const all = new RegExp(names.join('|'))

  it('is found in the reference agent', async () => {
    const outcomes = await conform(null, { ...quiet, limits: {}, only: all })
    expect(outcomes.map(({ result, because }) => [result, because])).toEqual(Array(5).fill(['passed', '']))
  })

  // The example only replies, although its manifest declares more.
  it('fails its check when it is declared but missing', async () => {
    const supported = { stop: true, activity: call, question: call, unasked: call }
    const outcomes = await conform(`${process.execPath} ${minimal}`, { ...quiet, only: all, supported })
    expect(outcomes.map(({ result }) => result)).toEqual(['passed', ...names.map(() => 'failed')])
  })

  it('is declared on the command line with the tool call that triggers it', () => {
    expect(supportedBy({})).toBeUndefined()
    expect(supportedBy({ stop: true, question: 'ask {"text": "May I?"}', unasked: 'say' })).toEqual({
      stop: true,
      question: { name: 'ask', arguments: { text: 'May I?' } },
      unasked: { name: 'say', arguments: {} },
    })
    expect(() => supportedBy({ activity: 'look {' })).toThrow()
  })
})

describe('the conformance command', () => {
  const folder = join(import.meta.dirname)

  it.each([
    [[], null],
    [['node', './machine.ts'], `node ${folder}/machine.ts`],
    [['node machine.ts --port 1'], `node ${folder}/machine.ts --port 1`],
    [['npx', 'pi@1.2', '/abs/a', 'not there.js'], "npx pi@1.2 /abs/a 'not there.js'"],
    [['agent', '../agent'], `agent ${folder}`],
  ])('turns %j into absolute paths below the folder of the call', (words, command) => {
    expect(commandFrom(words, folder)).toBe(command)
  })

  it('writes a report of the checks and their cost', () => {
    const limits = { waitSeconds: 60, startSeconds: 60, dollars: 5 }
    const outcomes = [
      { name: 'a', result: 'passed' as const, because: '', ms: 1_000, dollars: 0.25 },
      { name: 'b', result: 'failed' as const, because: 'x | y', ms: 40, dollars: 0.5 },
    ]
    const report = reportOf('node a.mjs', limits, outcomes, '2026-11-23')
    expect(report).toMatch(/1 passed, 1 failed, 0 not needed/)
    expect(report).toMatch(/\$0\.750000/)
    expect(report).toContain('| b | failed: x \\| y | 0.0 |')
  })
})
