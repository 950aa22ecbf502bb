import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { jest } from '@jest/globals'
import { alarms as toStdout } from '../../../adapters/aws/alarms.ts'
import { type AlarmName, alarmNamespace, alarms } from '../../../domain/alarms.ts'
import { outboxArea } from '../../../lambdas/outbox/index.ts'
import { metricsIn } from '../../cloudwatch.ts'
import { environmentOf } from '../../lib/cold.ts'
import { bundledFolder, local } from '../../lib/synthesis.ts'
import { type Engine, startEngine } from '../engine.ts'

afterEach(() => jest.restoreAllMocks())

/** Lines that a function writes to standard output itself, past the console that Lambda wraps. */
function printed(act: (made: ReturnType<typeof toStdout>) => void): string[] {
  const written = jest.spyOn(process.stdout, 'write').mockReturnValue(true)
  act(toStdout('production'))
  return written.mock.calls.map(([text]) => String(text))
}

test.each(Object.keys(alarms) as AlarmName[])('the alarm metric %s is one line with its facts', (name) => {
  const [line = '', ...others] = printed((made) => made.raise(name, 7, { code: 'image', generation: 2 }))
  expect(others).toEqual([])
  expect(line.indexOf('\n')).toBe(line.length - 1)
  const { _aws, ...facts } = JSON.parse(line)
  expect(facts).toEqual({ level: 'ERROR', code: 'image', generation: '2', stage: 'production', [name]: 7 })
  const dimensions = { stage: 'production' }
  expect(metricsIn([line])).toEqual([
    { namespace: alarmNamespace, name, dimensions, atMs: expect.any(Number), value: 7 },
  ])
  expect(_aws.Timestamp).toBeGreaterThan(Date.now() - 60_000)
})

test('one metric carries nothing of the metric before it', () => {
  const lines = printed((made) => {
    made.measure('JobDone', 1, { job: 'sweep' })
    made.raise('SettlementFailed', 1, { callId: 'cal_1' })
    made.measure('RequestMs', 12)
  })
  expect(lines.map((line) => JSON.parse(line)).map(({ _aws, ...facts }) => facts)).toEqual([
    { stage: 'production', job: 'sweep', JobDone: 1 },
    { level: 'ERROR', callId: 'cal_1', stage: 'production', SettlementFailed: 1 },
    { stage: 'production', RequestMs: 12 },
  ])
  expect(metricsIn(lines).map(({ name, dimensions }) => [name, dimensions])).toEqual([
    ['JobDone', { stage: 'production', job: 'sweep' }],
    ['SettlementFailed', { stage: 'production' }],
    ['RequestMs', { stage: 'production' }],
  ])
})

/** Like Lambda's Node runtime under JSON logging: each `console` call becomes a string in its own line. */
const underLambda = `
  for (const level of ['log', 'info', 'warn', 'error', 'debug', 'trace'])
    console[level] = (...said) => process.stdout.write(
      JSON.stringify({ timestamp: new Date().toISOString(), level: level.toUpperCase(), message: said.join(' ') }) + '\\n')`

describe('a deployed function', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await startEngine()
  })
  afterAll(() => engine.stop())

  test('writes its metrics to standard output, where CloudWatch reads them; console output is never a metric', async () => {
    // This folder is outside our package.json, so Node does not treat the file as a module.
    const folder = mkdtempSync(join(tmpdir(), 'berth-deployed-'))
    cpSync(await bundledFolder(await local(), 'outbox'), folder, { recursive: true })
    const code = `${underLambda}
      const { handler } = require(${JSON.stringify(`${folder}/index.js`)})
      console.log(JSON.stringify({ _aws: { Timestamp: Date.now(), CloudWatchMetrics: [
        { Namespace: 'Berth', Dimensions: [['stage']], Metrics: [{ Name: 'Printed', Unit: 'Count' }] } ] }, stage: 'none', Printed: 1 }))
      handler({ job: 'sweepOutbox' }, {})`
    const { AWS_ENDPOINT_URL_DYNAMODB, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env
    const env = {
      ...environmentOf(outboxArea, folder),
      ...{ AWS_ENDPOINT_URL_DYNAMODB, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY },
      STAGE: 'production',
      LOG_LEVEL: 'ERROR',
      // Lambda sets this variable.
      AWS_LAMBDA_LOG_LEVEL: 'INFO',
    }
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', code], { env, timeout: 60_000 })
    rmSync(folder, { recursive: true })
    const lines = stdout.trim().split('\n')
    expect(lines).toHaveLength(2)
    expect(JSON.parse(lines[0] ?? '').message).toContain('"Printed":1')
    expect(metricsIn(lines)).toEqual([
      {
        namespace: alarmNamespace,
        name: 'JobDone',
        dimensions: { stage: 'production', job: 'sweepOutbox' },
        atMs: expect.any(Number),
        value: 1,
      },
    ])
  })
})
