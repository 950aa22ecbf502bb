/**
 * Runs a function as in Lambda, with AWS's published parts: the runtime client of Node, and the Runtime Interface
 * Emulator around it. The emulator buffers, so streaming functions use our own Runtime API.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { HttpResponseStream, type ResponseStream } from '../../local/functions/response-stream.ts'
import { freePort } from '../../local/kit/child-process.ts'
import { pythonWith } from './python.ts'

const clientVersion = '4.0.2'

/** The commands of both; the client is compiled when it is installed. */
interface LambdaRuntime {
  client: string
  emulator: string
}

/** @throws when one could not be installed */
export function installRuntime(): LambdaRuntime {
  const folder = join(tmpdir(), `berth-prove-ric-${clientVersion}`)
  const client = join(folder, 'node_modules/aws-lambda-ric/index.mjs')
  if (!existsSync(client)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{}')
    const install = ['install', '--no-audit', '--no-fund', `aws-lambda-ric@${clientVersion}`]
    const { status } = spawnSync('npm', install, { cwd: folder, stdio: 'inherit' })
    if (status !== 0)
      throw new Error(
        'aws-lambda-ric could not be installed: apt-get install g++ make cmake autoconf automake libtool unzip',
      )
  }
  const site = spawnSync('find', [pythonWith('lambda', ['aws-sam-cli==1.170.0']), '-name', 'aws-lambda-rie-x86_64'])
  const [emulator] = String(site.stdout).split('\n')
  if (!emulator) throw new Error('aws-sam-cli has no Runtime Interface Emulator for this processor')
  return { client, emulator }
}

export interface Invocation {
  id: string
  arn: string
  deadlineMs: number
  event: unknown
}

/** One execution environment of a function: a process that has loaded it, and runs one invocation at a time. */
export interface ExecutionEnvironment {
  /** Ends when the function has answered. A function that streams writes to `body`. @throws the function's exception */
  invoke(invocation: Invocation, body?: ResponseStream): Promise<unknown>
  stop(): Promise<void>
}

interface Source {
  /** The function's bundle, and the name of its export. */
  folder: string
  handler: string
  env: Record<string, string>
  timeoutSeconds: number
  output: Writable
}

/** In the emulator. */
export async function startEmulated(runtime: LambdaRuntime, source: Source): Promise<ExecutionEnvironment> {
  const [address, api] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`]
  const task = taskOf(source)
  const flags = ['--runtime-interface-emulator-address', address, '--runtime-api-address', api]
  const child = start(runtime.emulator, [...flags, process.execPath, runtime.client, source.handler], task, {
    ...source,
    env: { ...source.env, AWS_LAMBDA_FUNCTION_TIMEOUT: `${source.timeoutSeconds}` },
  })
  const url = `http://${address}/2015-03-31/functions/function/invocations`
  for (let tried = 0; !(await listens(address)); tried++) {
    if (child.exitCode !== null || tried === 200) throw new Error('the Runtime Interface Emulator did not start')
    await sleep(50)
  }
  return {
    async invoke({ event }) {
      const response = await fetch(url, { method: 'POST', body: JSON.stringify(event) })
      const text = await response.text()
      if (!response.ok) throw new Error(`the emulator answered ${response.status}: ${text}`)
      const answer: unknown = text === '' ? undefined : JSON.parse(text)
      if (isError(answer)) throw Object.assign(new Error(answer.errorMessage), { name: answer.errorType })
      return answer
    },
    stop: () => end(child, task),
  }
}

/** With a Runtime API that forwards the function's output as it arrives. */
export async function startStreaming(runtime: LambdaRuntime, source: Source): Promise<ExecutionEnvironment> {
  const task = taskOf(source)
  const asked: ((response: ServerResponse) => void)[] = []
  const waiting: ServerResponse[] = []
  let running: { body: ResponseStream; done(): void; failed(error: Error): void } | undefined
  const failed = (text: string) => running?.failed(new Error(text))
  // Neither a wait for an event nor a stream is ever too slow.
  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (request, response) => {
    const path = request.url ?? ''
    if (path.endsWith('/next')) {
      const next = asked.shift()
      if (next) next(response)
      else waiting.push(response)
      return
    }
    const taken = async () => {
      if (path.endsWith('/response') && running) await passOn(request, running.body)
      else failed(JSON.stringify(await json(request)))
      const error = request.trailers['lambda-runtime-function-error-body']
      if (error) failed(Buffer.from(String(error), 'base64').toString())
      running?.done()
    }
    taken()
      .catch(running?.failed)
      .finally(() => response.writeHead(202).end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const child = start(process.execPath, [runtime.client, source.handler], task, {
    ...source,
    env: { ...source.env, AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}` },
  })
  child.once('exit', (code) => failed(`the function's process ended with ${code}`))
  return {
    invoke: ({ id, arn, deadlineMs, event }, body) =>
      new Promise<void>((resolve, reject) => {
        if (!body) throw new Error('a function that streams writes to a body')
        running = { body, done: resolve, failed: reject }
        const give = (response: ServerResponse) =>
          response
            .writeHead(200, {
              'content-type': 'application/json',
              'lambda-runtime-aws-request-id': id,
              'lambda-runtime-deadline-ms': `${deadlineMs}`,
              'lambda-runtime-invoked-function-arn': arn,
            })
            .end(JSON.stringify(event))
        const next = waiting.shift()
        if (next) give(next)
        else asked.push(give)
      }),
    async stop() {
      server.close()
      server.closeAllConnections()
      await end(child, task)
    },
  }
}

const headType = 'application/vnd.awslambda.http-integration-response'
const headEnd = Buffer.alloc(8)

/**
 * Writes to `body`: the head, which eight zero bytes end, and then the rest. A client that has disconnected gets no
 * more data.
 */
async function passOn(request: IncomingMessage, body: ResponseStream): Promise<void> {
  let head: Buffer | undefined = request.headers['content-type'] === headType ? Buffer.alloc(0) : undefined
  for await (const chunk of request as Readable) {
    let rest: Buffer = chunk
    if (head) {
      head = Buffer.concat([head, chunk])
      const at = head.indexOf(headEnd)
      if (at < 0) continue
      HttpResponseStream.from(body, JSON.parse(head.subarray(0, at).toString()))
      rest = head.subarray(at + headEnd.length)
      head = undefined
      body.write('')
    }
    if (!body.destroyed && rest.length > 0 && !body.write(rest))
      await Promise.race([once(body, 'drain'), once(body, 'close')])
  }
}

/** As in Lambda: outside any project, whose package.json could declare another module type. */
function taskOf({ folder }: Source): string {
  const task = mkdtempSync(join(tmpdir(), 'berth-prove-task-'))
  cpSync(folder, task, { recursive: true })
  return task
}

/** Both the emulator and its child processes end with this process. */
const groups = new Set<number>()
process.once('exit', () => groups.forEach(endGroup))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // it has ended by itself
  }
}

function start(command: string, args: string[], task: string, { env, handler, output }: Source): ChildProcess {
  const child = spawn(command, args, {
    cwd: task,
    detached: true,
    env: { PATH: process.env.PATH, ...env, LAMBDA_TASK_ROOT: task, _HANDLER: handler, AWS_LAMBDA_LOG_FORMAT: 'JSON' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (child.pid) groups.add(child.pid)
  child.stdout?.pipe(output, { end: false })
  child.stderr?.pipe(output, { end: false })
  return child
}

async function end(child: ChildProcess, task: string): Promise<void> {
  if (child.pid) endGroup(child.pid)
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  rmSync(task, { recursive: true, force: true })
}

const listens = (address: string): Promise<boolean> =>
  fetch(`http://${address}/`).then(
    () => true,
    () => false,
  )

function isError(answer: unknown): answer is { errorType: string; errorMessage: string } {
  return typeof answer === 'object' && answer !== null && 'errorType' in answer && 'errorMessage' in answer
}
