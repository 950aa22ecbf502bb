import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from '../../lib/build/bundle.ts'
import { readStage } from '../../lib/stage.ts'
import { at, deployments, type Synthesis } from './synthesis.ts'

let production: Synthesis
let staging: Synthesis
const folder = mkdtempSync(join(tmpdir(), 'berth-stack-'))
const base = { account: '123456789012', region: 'eu-central-1', mailFrom: 'a@example.com', alarmMail: 'b@example.com' }
beforeAll(async () => {
  ;({ production, staging } = await deployments())
})
afterAll(() => rmSync(folder, { recursive: true }))

const functionsOf = ({ ofType }: Synthesis) =>
  ofType('AWS::Lambda::Function')
    .map(([, { Properties }]) => Properties)
    .filter(({ FunctionName }) => FunctionName)

describe('logs', () => {
  test('are kept for as long as the stage says, and logs of machines’ network traffic for 90 days', () => {
    const days = (of: Synthesis, isEgress: boolean) =>
      new Set(
        of
          .ofType('AWS::Logs::LogGroup')
          .filter(([id]) => id.includes('Egress') === isEgress)
          .map(([, { Properties }]) => Properties.RetentionInDays),
      )
    expect([...days(production, false)]).toEqual([30])
    expect([...days(staging, false)]).toEqual([90])
    expect([...days(production, true)]).toEqual([90])
    expect(() => readStage('prod', { ...base, logDays: 31 })).toThrow(/logDays/)
  })

  test('have the stage’s level; Lambda’s own filter, which would drop metrics too, is unchanged', () => {
    const levels = (of: Synthesis) =>
      functionsOf(of).map((properties) => [
        at(properties, 'Environment', 'Variables', 'LOG_LEVEL'),
        at(properties, 'LoggingConfig', 'ApplicationLogLevel'),
      ])
    for (const found of levels(production)) expect(found).toEqual(['INFO', undefined])
    for (const found of levels(staging)) expect(found).toEqual(['ERROR', undefined])
    expect(() => readStage('prod', { ...base, logLevel: 'TRACE' })).toThrow(/logLevel/)
  })

  test('for the API have both ids of a request', () => {
    const [[, stage] = []] = production.ofType('AWS::ApiGateway::Stage')
    const format = JSON.parse(String(at(stage, 'Properties', 'AccessLogSetting', 'Format')))
    expect(format).toMatchObject({ requestId: '$context.requestId', traceId: '$context.xrayTraceId' })
  })
})

describe('traces', () => {
  test('begin at the API and continue in every function', () => {
    const [[, stage] = []] = production.ofType('AWS::ApiGateway::Stage')
    expect(stage?.Properties.TracingEnabled).toBe(true)
    for (const properties of functionsOf(production)) expect(properties.TracingConfig).toEqual({ Mode: 'Active' })
  })
})

describe('the costs of a stage', () => {
  test('are tagged with its name, on all of its stacks', () => {
    const manifest = JSON.parse(readFileSync(join(production.folder, 'manifest.json'), 'utf8'))
    const stacks = Object.values<{ type: string; properties?: { tags?: object } }>(manifest.artifacts).filter(
      ({ type }) => type === 'aws:cloudformation:stack',
    )
    expect(stacks.map(({ properties }) => properties?.tags)).toEqual([{ stage: 'production' }, { stage: 'production' }])
  })

  test('are compared with the budget of its file', () => {
    const [[, budget] = []] = staging.ofType('AWS::Budgets::Budget')
    expect(at(budget, 'Properties', 'Budget', 'BudgetLimit')).toEqual({ Amount: 1_234, Unit: 'USD' })
  })
})

describe('source maps', () => {
  test('are next to the functions’ code, and the deployment prints where', () => {
    const name = readdirSync(production.folder).find((file) => file.endsWith('-service.assets.json')) ?? ''
    const { files } = JSON.parse(readFileSync(join(production.folder, name), 'utf8'))
    const address = JSON.stringify(at(production.outputs.service.SourceMaps, 'Value'))
    const [, hash = ''] = /([0-9a-f]{64})\.zip/.exec(address) ?? []
    expect(files[hash]).toMatchObject({ displayName: expect.stringContaining('Maps'), source: { packaging: 'zip' } })
  })

  test('turn a stack trace of the minified code into lines of the sources', async () => {
    const source = join(folder, 'thrower.ts')
    writeFileSync(source, '// one\n// two\nexport function thrower(): never {\n  throw new Error("x")\n}\nthrower()\n')
    await build({
      entryPoints: [source],
      outfile: join(folder, 'index.js'),
      minify: true,
      sourcemap: 'external',
      platform: 'node',
      format: 'cjs',
    })
    const stack = await new Promise<string>((resolve) =>
      execFile(process.execPath, [join(folder, 'index.js')], (_, __, stderr) => resolve(stderr)),
    )
    expect(stack).toMatch(/index\.js:1:\d+/)
    const child = execFile(process.execPath, [join(root, 'bin/stack.ts'), join(folder, 'index.js.map')])
    child.stdin?.end(stack.replaceAll(join(folder, 'index.js'), '/var/task/index.js'))
    let read = ''
    for await (const part of child.stdout ?? []) read += part
    expect(read).toContain('thrower.ts:4:9')
    expect(read).not.toMatch(/index\.js:1:\d/)
  })
})
