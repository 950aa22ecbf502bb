/** Runs the template's functions in this process, each bundle in its own scope and environment. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, openSync, writeSync } from 'node:fs'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { isNativeError } from 'node:util/types'
import { messageOf } from '../kit/problem.ts'
import { asObject, asText } from '../template/json.ts'
import { region } from '../template/resource-types.ts'
import type { Resource, Template } from '../template/template.ts'
import { invokedIn } from './invoked.ts'
import { accessKey } from './principals.ts'
import { isStreaming, ResponseStream } from './response-stream.ts'
import { loadHandler } from './sandbox.ts'

/** Lambda's answer for a function that failed or timed out. */
interface FunctionError {
  errorType: string
  errorMessage: string
  trace?: string[]
}

export type Outcome = { ok: true; payload: unknown } | { ok: false; error: FunctionError }

export interface Functions {
  has(arn: string): boolean
  /** Never rejects: an error of the function is an outcome. */
  invoke(arn: string, event: unknown): Promise<Outcome>
  /** Invokes a streaming function; `outcome` settles at its end, even if nobody reads the body. */
  invokeStreaming(arn: string, event: unknown): { body: ResponseStream; outcome: Promise<Outcome> }
}

export interface FunctionCode {
  /** Updates the bundle in a function's folder. A changed version is loaded. */
  refresh(folder: string): Promise<string>
  /** Receives all output of functions; returns the text for the log. */
  log(text: string): string
  /** Loads a `Handler` such as `index.handler`; its output goes to `output`. */
  load(folder: string, handler: string, env: Record<string, string>, output: Writable): unknown
}

export const bundledCode: FunctionCode = { refresh: async () => '', log: (text) => text, load: loadHandler }

const logStream = 'local'

interface LocalFunction {
  name: string
  arn: string
  memory: string
  timeoutMs: number
  load(): Promise<unknown>
  log: Writable
}

export interface Addresses {
  /** Additional variables: AWS_ENDPOINT_URL_… and others that lead an SDK here. */
  added: Record<string, string>
  /** Replaces the template's values of these variables, because only a deployment knows the real addresses. */
  replaced: Record<string, string>
  /** Replaces these origins in all of the template's variables. */
  moved?: Record<string, string>
}

/**
 * Bundles load at first use and stay until `code` has a newer one. Logs are in `dataDir/logs/functions`; a role without
 * the right to its log group writes nothing. `onInvoke` is called at each start, and its result at the end.
 */
export function createFunctions(
  template: Template,
  dataDir: string,
  addresses: Addresses,
  code: FunctionCode = bundledCode,
  onInvoke: () => () => void = () => () => {},
  mayLog: (roleArn: string, logGroup: string) => boolean = () => true,
): Functions {
  const logs = join(dataDir, 'logs', 'functions')
  mkdirSync(logs, { recursive: true })
  const functions = new Map<string, LocalFunction>()
  const made = new Map(
    template
      .ofType('AWS::Lambda::Function')
      .map((resource) => [resource, describe(resource, template, logs, addresses, code, mayLog)]),
  )
  for (const { arn, fn } of invokedIn(template)) {
    const described = made.get(fn)
    if (described) functions.set(arn, { ...described, arn })
  }
  const find = (arn: string): LocalFunction => {
    const target = functions.get(arn)
    if (!target) throw new Error(`The template has no function ${arn}`)
    return target
  }
  return {
    has: (arn) => functions.has(arn),
    invoke: (arn, event) => runBuffered(find(arn), event).finally(onInvoke()),
    invokeStreaming: (arn, event) => {
      const body = new ResponseStream()
      return { body, outcome: runStreaming(find(arn), event, body).finally(onInvoke()) }
    },
  }
}

function describe(
  resource: Resource,
  template: Template,
  logs: string,
  addresses: Addresses,
  code: FunctionCode,
  mayLog: (roleArn: string, logGroup: string) => boolean,
): LocalFunction {
  const { Code, Environment, Handler, LoggingConfig, MemorySize, Role, Timeout } = resource.properties
  const folder = template.assetFolder(asText(asObject(Code).S3Key))
  const variables = Object.entries(asObject(asObject(Environment).Variables)).map(([key, value]) => [
    key,
    addresses.replaced[key] ?? moved(asText(value), addresses.moved),
  ])
  const memory = asText(MemorySize, '128')
  const group = asText(asObject(LoggingConfig).LogGroup, `/aws/lambda/${resource.name}`)
  const env = {
    ...Object.fromEntries(variables),
    ...addresses.added,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    // Each function is a separate principal.
    AWS_ACCESS_KEY_ID: accessKey(asText(Role)),
    AWS_SECRET_ACCESS_KEY: 'local',
    // Otherwise the SDK would read ~/.aws of the current user.
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: resource.name,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: memory,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_LOG_GROUP_NAME: group,
    AWS_LAMBDA_LOG_STREAM_NAME: logStream,
    LAMBDA_TASK_ROOT: folder,
    TZ: ':UTC',
  }
  const heard = mayLog(asText(Role), group)
  const log = openLog(heard ? join(logs, `${resource.name}.log`) : devNull, code.log)
  let loaded: { version: string; handler: unknown } | undefined
  return {
    name: resource.name,
    arn: resource.arn,
    memory,
    timeoutMs: Number(asText(Timeout, '3')) * 1000,
    log,
    load: async () => {
      const version = await code.refresh(folder)
      if (loaded?.version === version) return loaded.handler
      loaded = { version, handler: code.load(folder, asText(Handler), env, log) }
      return loaded.handler
    },
  }
}

const moved = (value: string, origins: Record<string, string> = {}): string =>
  Object.entries(origins).reduce((text, [from, to]) => text.replaceAll(from, to), value)

/** Synchronous, so that the last output before a crash is saved. */
function openLog(path: string, read: (text: string) => string): Writable {
  const file = openSync(path, 'a')
  return new Writable({
    decodeStrings: false,
    write: (chunk, _, done) => {
      writeSync(file, read(String(chunk)))
      done()
    },
  })
}

const runBuffered = async (fn: LocalFunction, event: unknown): Promise<Outcome> =>
  guarded(fn, async (handler, context) => {
    if (isStreaming(handler)) return readAll(handler, event, context)
    if (typeof handler !== 'function') throw new Error(`${fn.name} exports no such handler`)
    return handler(event, context)
  })

async function runStreaming(fn: LocalFunction, event: unknown, body: ResponseStream): Promise<Outcome> {
  const outcome = await guarded(fn, async (handler, context) => {
    if (!isStreaming(handler))
      throw new Error(`${fn.name} does not stream: wrap its handler in awslambda.streamifyResponse`)
    await handler(event, body, context)
    if (!body.writableEnded) body.end()
  })
  if (!outcome.ok) body.destroy(new Error(outcome.error.errorMessage))
  return outcome
}

/** A buffered invocation of a streaming function, for example by a rule. Its payload is the body. */
async function readAll(
  handler: (event: unknown, stream: ResponseStream, context: unknown) => unknown,
  event: unknown,
  context: unknown,
) {
  const body = new ResponseStream()
  const text = body.setEncoding('utf8').toArray()
  await handler(event, body, context)
  if (!body.writableEnded) body.end()
  return (await text).join('')
}

/** As on Lambda, the start of a function does not count as its time. */
async function guarded(
  fn: LocalFunction,
  run: (handler: unknown, context: object) => Promise<unknown>,
): Promise<Outcome> {
  const requestId = randomUUID()
  const outcome = await fn.load().then(
    (handler) => runInTime(fn, requestId, (context) => run(handler, context)),
    (error): Outcome => ({ ok: false, error: describeError(error) }),
  )
  if (!outcome.ok) fn.log.write(`${JSON.stringify({ level: 'ERROR', requestId, ...outcome.error })}\n`)
  return outcome
}

async function runInTime(
  fn: LocalFunction,
  requestId: string,
  run: (context: object) => Promise<unknown>,
): Promise<Outcome> {
  const deadline = Date.now() + fn.timeoutMs
  const context = {
    awsRequestId: requestId,
    functionName: fn.name,
    functionVersion: '$LATEST',
    invokedFunctionArn: fn.arn,
    memoryLimitInMB: fn.memory,
    logGroupName: `/aws/lambda/${fn.name}`,
    logStreamName: logStream,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  }
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<Outcome>((resolve) => {
    const error = {
      errorType: 'Sandbox.Timedout',
      errorMessage: `Task timed out after ${(fn.timeoutMs / 1000).toFixed(2)} seconds`,
    }
    timer = setTimeout(() => resolve({ ok: false, error }), fn.timeoutMs)
    timer.unref()
  })
  const result = (async (): Promise<Outcome> => {
    try {
      return { ok: true, payload: await run(context) }
    } catch (error) {
      return { ok: false, error: describeError(error) }
    }
  })()
  const outcome = await Promise.race([result, timeout])
  clearTimeout(timer)
  return outcome
}

function describeError(error: unknown): FunctionError {
  if (!isNativeError(error)) return { errorType: typeof error, errorMessage: messageOf(error) }
  return { errorType: error.name, errorMessage: error.message, trace: (error.stack ?? '').split('\n') }
}
