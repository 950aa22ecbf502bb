/**
 * `npm run prove functions`: every function of the template handles real events in AWS's own runtime client: in
 * Amazon's Runtime Interface Emulator, and streaming functions with our own Runtime API, since the emulator buffers.
 * The service suites and the scheduler call them, for a quarter of an hour. The arguments after `functions:` are passed
 * to jest instead of the suites at full counts, and the proof does not wait for the scheduler. A suite that fails runs
 * again by itself, because a runtime for each function makes the host slow.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { areas } from '../lambdas/areas.ts'
import { bundledCode } from '../local/functions/functions.ts'
import { asStreaming, type ResponseStream } from '../local/functions/response-stream.ts'
import { readSocketApi } from '../local/gateway/websocket-api.ts'
import { startBerth } from '../local/main.ts'
import { buildOnce } from '../local/start/builds.ts'
import { asList, asObject, asText } from '../local/template/json.ts'
import { readTemplate } from '../local/template/template.ts'
import { recordRun } from './kit/record.ts'
import {
  type ExecutionEnvironment,
  type Invocation,
  installRuntime,
  startEmulated,
  startStreaming,
} from './tools/lambda-runtime.ts'

process.env.BERTH_OPERATORS ??= 'operator@example.com'
const root = join(import.meta.dirname, '..')
const dataDir = mkdtempSync(join(tmpdir(), 'berth-prove-functions-'))
const runtime = installRuntime()
const started = new Set<ExecutionEnvironment>()
/** By the function's name: the number of events of each kind. */
const seen = new Map<string, Map<string, number>>()

/** The runner's second argument to a handler. */
interface Context {
  awsRequestId: string
  invokedFunctionArn: string
  getRemainingTimeInMillis(): number
}

const { assembly, pages, code } = await buildOnce(root, { print: console.log, progress: () => {} })
const template = readTemplate(assembly)
const clocked = template
  .ofType('AWS::Events::Rule')
  .filter(({ properties }) => properties.ScheduleExpression !== undefined)
  .flatMap(({ properties }) => asList(properties.Targets ?? []).map((target) => asObject(target)))
  .map(({ Arn, Input }) => ({
    name: asText(Arn).split(':')[6] ?? '',
    job: asText(asObject(JSON.parse(asText(Input))).job),
  }))
const routeKeys = [...(readSocketApi(template)?.routes ?? [])]
  .filter(([, { integration }]) => integration.type !== 'mock')
  .map(([key]) => key)
const socketName = template.ofType('AWS::Lambda::Function').find(({ name }) => name.endsWith('-socket'))?.name ?? ''

/**
 * Environments of a function without streams: further invocations wait for their turn. Streams occupy their environment
 * for long.
 */
const most = 2

/**
 * Environments start one after another: on Lambda they share no processor, and the start does not count as the
 * function's time.
 */
let starting: Promise<unknown> = Promise.resolve()
function inTurn<T>(start: () => Promise<T>): Promise<T> {
  const mine = starting.then(start)
  starting = mine.catch(() => {})
  return mine
}

/** Runs the function in execution environments with one invocation at a time each, as on Lambda. */
function load(folder: string, handler: string, env: Record<string, string>, output: Writable): unknown {
  const name = env.AWS_LAMBDA_FUNCTION_NAME ?? ''
  const streams = areas.some((area) => area.stream && name.endsWith(`-${area.name}`))
  const source = { folder, handler, env, output, timeoutSeconds: timeoutOf(name) }
  const idle: ExecutionEnvironment[] = []
  const waiting: ((environment: ExecutionEnvironment) => void)[] = []
  let count = 0
  const kinds = new Map<string, number>()
  seen.set(name, kinds)
  const start = async () => {
    count += 1
    const environment = await inTurn(() => (streams ? startStreaming : startEmulated)(runtime, source))
    started.add(environment)
    return environment
  }
  const take = async () => {
    const free = idle.pop()
    if (free) return free
    if (streams || count < most) return start()
    return new Promise<ExecutionEnvironment>((resolve) => waiting.push(resolve))
  }
  const giveBack = (environment: ExecutionEnvironment) => {
    const next = waiting.shift()
    if (next) next(environment)
    else idle.push(environment)
  }
  const invoke = async (event: unknown, context: Context, body?: ResponseStream) => {
    const kind = kindOf(event)
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    const environment = await take()
    try {
      return await environment.invoke(invocationOf(event, context), body)
    } finally {
      giveBack(environment)
    }
  }
  return streams
    ? asStreaming((event, stream, context) => invoke(event, context as Context, stream)) // safe because the runner passes one
    : invoke
}

const invocationOf = (event: unknown, context: Context): Invocation => ({
  id: context.awsRequestId,
  arn: context.invokedFunctionArn,
  deadlineMs: Date.now() + context.getRemainingTimeInMillis(),
  event,
})

const timeoutOf = (name: string): number =>
  Number(template.ofType('AWS::Lambda::Function').find((resource) => resource.name === name)?.properties.Timeout ?? 3)

function kindOf(event: unknown): string {
  const { requestContext, httpMethod, resource, Records, job, source, ...rest } = asObject(event as never) // safe because events are JSON
  if (httpMethod) return `${asText(httpMethod)} ${asText(resource)}`
  if (requestContext) return `socket ${asText(asObject(requestContext).routeKey)}`
  if (Records) return `changes of ${asText(asObject(asList(Records)[0]).eventSourceARN).split('/')[1]}`
  return job ? `clock ${asText(job)}` : `event ${asText(source)} ${asText(rest['detail-type'])}`
}

const berth = await startBerth({ port: 0, dataDir, print: () => {} }, process.env, async () => ({
  assembly,
  pages,
  code: { ...bundledCode, ...code, load },
}))
const named = process.argv.slice(2)

/** @returns the suites that failed; null when jest wrote no result */
async function runSuites(...chosen: string[]): Promise<string[] | null> {
  const result = join(dataDir, 'suites.json')
  rmSync(result, { force: true })
  const jest = ['test', '--', ...chosen, '-w', '2', '--selectProjects', 'service', '--json', `--outputFile=${result}`]
  const run = spawn('npm', jest, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      BERTH_URL: berth.url,
      BERTH_DATA_DIR: dataDir,
      ...(named.length === 0 && { BERTH_TIER: 'full' }),
    },
  })
  const [status] = await once(run, 'exit')
  if (!existsSync(result)) return null
  const suites = asList(asObject(JSON.parse(readFileSync(result, 'utf8'))).testResults).map(asObject)
  const failed = suites.filter((suite) => suite.status !== 'passed').map((suite) => asText(suite.name))
  return failed.length === 0 && status !== 0 ? null : failed
}

const failedOnce = await runSuites(...named)
const again = failedOnce?.map((file) => relative(root, file)) ?? []
if (again.length > 0) console.log(`Run again: ${again.join(', ')}`)
const failed = again.length > 0 ? await runSuites(...again) : failedOnce

const kindsOf = (name: string) => new Set(seen.get(name)?.keys())
const missing = (): string[] => {
  const idle = template.ofType('AWS::Lambda::Function').filter(({ name }) => kindsOf(name).size === 0)
  const unheard = clocked.filter(({ name, job }) => !kindsOf(name).has(`clock ${job}`))
  const unrouted = routeKeys.filter((key) => !kindsOf(socketName).has(`socket ${key}`))
  return [
    ...idle.map(({ name }) => `${name} was not called`),
    ...unheard.map(({ name, job }) => `${name} was not called by the clock for ${job}`),
    ...unrouted.map((key) => `${socketName} was not called for ${key}`),
  ]
}
if (named.length === 0) {
  console.log('Waiting for the clock, a quarter of an hour at most')
  for (let minute = 0; minute < 16 && missing().length > 0; minute++) await sleep(60_000)
}
await berth.stop()
if (process.env.KEEP) console.log(dataDir)
await Promise.all([...started].map((environment) => environment.stop()))
rmSync(dataDir, { recursive: true })

const rows = [...seen].sort().map(([name, kinds]) => {
  const area = areas.find((each) => name.endsWith(`-${each.name}`))
  const events = [...kinds.values()].reduce((sum, count) => sum + count, 0)
  return { name: `\`${area?.name ?? name}\`${area?.stream ? ' (streams)' : ''}`, events, kinds: kinds.size }
})
const all = rows.reduce((sum, { events }) => sum + events, 0)
const table = [
  '| function | events | kinds |',
  '|---|--:|--:|',
  ...rows.map(({ name, events, kinds }) => `| ${name} | ${events} | ${kinds} |`),
].join('\n')
console.log(table)
const problems = [
  ...(failed === null
    ? ['the service suites did not run']
    : failed.map((file) => `${relative(root, file)} failed twice`)),
  ...(named.length === 0 ? missing() : []),
]
for (const problem of problems) console.log(`  ${problem}`)
console.log(problems.length === 0 ? '  every function holds' : `  ${problems.length} do not hold`)
if (problems.length === 0) recordRun('functions', { functions: rows.length, events: all, again: again.length, table })
process.exit(problems.length === 0 ? 0 : 1)
