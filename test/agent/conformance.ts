import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RuntimeManifest } from '../../domain/instance/runtime.ts'
import { Bench, isAlive, type Machine, processesOf, until as untilHolds } from './machine.ts'
import { startRealProxy } from './real-proxy.ts'

interface Check {
  name: string
  /** @throws with the observed behaviour, or Skip when the check does not apply to a runtime */
  run(bench: Tried, start: () => Machine, supports: Supports): Promise<void>
  /** No further check runs when this one fails. */
  fatal?: true
  /** Whether the check applies to a runtime with such a manifest; to all when left out. */
  of?(supports: Supports): boolean
}

class Skip extends Error {}

type Supports = Partial<RuntimeManifest['supports']>

type Proxy = Awaited<ReturnType<typeof startRealProxy>>

/** A bench whose model calls go through the service's own proxy. */
interface Tried extends Bench {
  proxy: Proxy
}

export interface Limits {
  /** Maximum time for any step that a check waits for. */
  waitSeconds: number
  /** Maximum time for a runtime to start and take its first prompt. */
  startSeconds: number
  /** The wallet's balance at the start of a check, US dollars. */
  dollars: number
}

export const usualLimits: Limits = { waitSeconds: 60, startSeconds: 60, dollars: 5 }

let limits = usualLimits

const until = <T>(check: () => T | Promise<T>, what: string, seconds = limits.waitSeconds): Promise<T> =>
  untilHolds(check, what, seconds * 1000)

function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}

const closed = (prompt: { closed: string[] }) => until(() => prompt.closed.length > 0, 'the close of the prompt')

/** The number of times that the runtime ended without a request. */
const endings = (machine: Machine): number => machine.output().split('"runtime ended, starting it again"').length - 1

async function answeredOnce(bench: Bench, prompt: ReturnType<Bench['server']['say']>): Promise<void> {
  await closed(prompt)
  const count = bench.server.replies(prompt).length
  expect(count === 1, `the prompt has ${count} replies`)
}

/** Kills a process when the service has first received a step of the turn. @returns whether the process was killed */
function killAt(bench: Bench, step: string, kill: () => void): () => boolean {
  let done = false
  bench.server.onEffect = (reached) => {
    if (done || reached !== step) return
    done = true
    kill()
  }
  return () => done
}

/** A check proves nothing when its step was not reached; only the context is optional. */
function wasReached(step: string, reached: boolean): void {
  if (!reached && step === '/agent/context') throw new Skip('it never asks for the context')
  expect(reached, `${step} was never reached`)
}

const picture = {
  name: 'tides.png',
  type: 'image/png',
  content: readFileSync(join(import.meta.dirname, '../../proofs/clients/models/pixel.png')),
}

const steps = ['/agent/context', '/llm/proxy', '/agent/observe reply', '/agent/feedback']

/**
 * Optional abilities of a runtime besides replying, each with a call of the runtime's own tool by which the model
 * triggers it.
 */
export interface Supported {
  /** Ends its turn when the user stops it. */
  stop?: boolean
  activity?: ToolCall
  question?: ToolCall
  unasked?: ToolCall
}

export interface ToolCall {
  name: string
  arguments: object
}

/** The abilities for which the reference agent is checked. */
const supportedByReference: Supported = {
  stop: true,
  activity: { name: 'list_files', arguments: {} },
  question: { name: 'ask_user', arguments: { question: 'May I?', tool: 'send_mail', arguments: { to: 'Ada' } } },
  unasked: { name: 'tell_user', arguments: { text: 'The backup is done.' } },
}

let supported: Supported = {}

const checks: Check[] = [
  {
    name: 'runs, and takes a prompt',
    fatal: true,
    async run(bench, start) {
      const machine = start()
      const prompt = bench.server.say('Are you there?')
      const took = () =>
        bench.server.modelCalls.length > 0 || prompt.closed.length > 0 || bench.server.replies(prompt).length > 0
      await until(() => took() || endings(machine) > 1, 'a model call or a reply', limits.startSeconds)
      expect(took(), 'it exits by itself before it does anything')
      expect(isAlive(machine.runtimePid()), 'it is no longer running')
    },
  },
  {
    name: 'answers a prompt with the model’s words, once, and closes it as completed',
    async run(bench, start) {
      start()
      bench.server.script = [{ text: 'Grüße vom Kai ⚓' }]
      const prompt = bench.server.say('Wie steht die Flut? ⚓')
      await answeredOnce(bench, prompt)
      expect(prompt.closed[0] === 'completed', `the outcome is ${prompt.closed[0]}`)
      const text = bench.server.replies(prompt)[0]?.text ?? ''
      expect(text.includes('Grüße vom Kai ⚓'), `the reply is ${JSON.stringify(text)}`)
      expect(
        JSON.stringify(bench.server.modelCalls).includes('Flut? ⚓'),
        'the user’s message is not in the model call',
      )
    },
  },
  {
    name: 'makes only valid model calls, which are booked as chat',
    async run(bench, start) {
      start()
      await answeredOnce(bench, bench.server.say('What does this cost?'))
      await bench.proxy.settled()
      const { lines } = bench.proxy.books
      expect(lines.length > 0, 'nothing was paid for')
      const others = lines.map((line) => line.receipt?.trigger).filter((trigger) => trigger !== 'chat')
      expect(others.length === 0, `${others.length} calls are booked as ${others[0]}`)
      const refused = bench.server.seen.filter(({ audience, status }) => audience === 'llm' && status === 400)
      expect(refused.length === 0, `${refused.length} model calls are refused as invalid`)
    },
  },
  {
    name: 'answers several prompts one after another',
    async run(bench, start) {
      start()
      const prompts = ['one', 'two', 'three'].map((text) => bench.server.say(text))
      for (const prompt of prompts) await answeredOnce(bench, prompt)
    },
  },
  {
    name: 'includes earlier messages in its model calls',
    async run(bench, start) {
      start()
      await closed(bench.server.say('My boat is called Petrel.'))
      await closed(bench.server.say('What is she called?'))
      const last = JSON.stringify(bench.server.modelCalls.at(-1))
      expect(last.includes('Petrel'), 'the earlier message is not in the call')
    },
  },
  {
    name: 'answers a message that has only a file, and names the file to the model',
    async run(bench, start) {
      start()
      const prompt = bench.server.say('', 'main', [{ ...picture, name: 'harbour chart.png' }])
      await answeredOnce(bench, prompt)
      const calls = JSON.stringify(bench.server.modelCalls)
      if (!calls.includes('chart.png')) throw new Skip('it does not tell the model about files')
    },
  },
  {
    name: 'shows the model an image of a message',
    of: ({ images }) => images === true,
    async run(bench, start) {
      start()
      await answeredOnce(bench, bench.server.say('What is this?', 'main', [picture]))
      const calls = JSON.stringify(bench.server.modelCalls)
      expect(/"image|image_url|data:image/.test(calls), 'no image is in its calls')
    },
  },
  {
    name: 'attaches a file to its reply when the model asks for it',
    of: ({ attaches }) => typeof attaches === 'string',
    async run(bench, start, { attaches }) {
      start()
      await answeredOnce(bench, bench.server.say('Are you there?'))
      await writeFile(join(bench.volume, 'workspace', 'tides.png'), picture.content)
      const call = { name: attaches ?? '', arguments: { path: 'tides.png' } }
      bench.server.script = [{ call }, { text: 'Here it is.' }]
      const prompt = bench.server.say('Send me the tides.')
      await answeredOnce(bench, prompt)
      const [attachment] = bench.server.replies(prompt)[0]?.attachments ?? []
      expect(attachment?.name === 'tides.png', `the reply has ${JSON.stringify(attachment ?? 'no file')}`)
      expect(bench.server.objects.get(attachment?.id ?? '')?.equals(picture.content) === true, 'its bytes differ')
    },
  },
  {
    name: 'does not answer again when an answered prompt is delivered again',
    async run(bench, start) {
      start()
      const prompt = bench.server.say('Once only.')
      await answeredOnce(bench, prompt)
      Object.assign(prompt, { closed: [], leaseUntil: 0 })
      bench.server.push({ type: 'work' })
      await answeredOnce(bench, prompt)
    },
  },
  ...[429, 502].map(
    (status): Check => ({
      name: `survives a model call that returns ${status}`,
      async run(bench, start) {
        start()
        bench.server.script = [status === 429 ? { status, retryAfter: 1 } : { status }]
        const prompt = bench.server.say('Try again.')
        await answeredOnce(bench, prompt)
        expect(prompt.closed[0] === 'completed', `the outcome is ${prompt.closed[0]}`)
        const text = bench.server.replies(prompt)[0]?.text ?? ''
        expect(
          text.includes('All is well.'),
          `the reply is ${JSON.stringify(text.slice(0, 200))}, not the model’s text`,
        )
      },
    }),
  ),
  {
    name: 'reports an empty wallet to the user, once',
    async run(bench, start) {
      start()
      const { state } = bench.proxy.books
      Object.assign(state, { available: 0, total: 0 })
      const prompt = bench.server.say('Is there money?')
      await answeredOnce(bench, prompt)
      expect(prompt.closed[0] === 'needs_input', `the outcome is ${prompt.closed[0]}, not needs_input`)
      expect(bench.proxy.books.lines.length === 0, 'something was paid for')
    },
  },
  ...steps.map(
    (step): Check => ({
      name: `answers once when it is killed at ${step}`,
      async run(bench, start) {
        const machine = start()
        const reached = killAt(bench, step, () => process.kill(machine.runtimePid(), 'SIGKILL'))
        await answeredOnce(bench, bench.server.say('Hold fast.'))
        wasReached(step, reached())
      },
    }),
  ),
  ...steps.map(
    (step): Check => ({
      name: `answers once when the whole machine is killed at ${step}`,
      async run(bench, start) {
        const first = start()
        const reached = killAt(bench, step, () => first.child.kill('SIGKILL'))
        const prompt = bench.server.say('Hold fast.')
        await until(() => reached() || prompt.closed.length > 0, step)
        wasReached(step, reached())
        await first.exited
        await until(() => !isAlive(first.runtimePid()), 'the end of the runtime after its supervisor')
        start()
        await answeredOnce(bench, prompt)
      },
    }),
  ),
  {
    name: 'finishes its turn and exits on SIGTERM',
    async run(bench, start) {
      const machine = start()
      bench.server.script = [{ text: 'a slow answer to the end', everyMs: 100 }]
      const prompt = bench.server.say('Take your time.')
      await until(() => bench.server.modelCalls.length > 0, 'a model call')
      machine.child.kill('SIGTERM')
      await until(() => machine.child.exitCode !== null, 'the exit')
      expect(machine.child.exitCode === 0, `the exit code is ${machine.child.exitCode}`)
      await answeredOnce(bench, prompt)
      const left = processesOf(bench.volume)
      expect(left.length === 0, `${left.length} of its processes are left`)
    },
  },
  {
    name: 'lets the supervisor do a task between two turns',
    async run(bench, start) {
      start()
      const task = bench.server.order({ kind: 'snapshot', pointId: 'rsp_1' })
      await until(() => task.ends.length > 0, 'the end of the task')
      expect('result' in (task.ends[0] ?? {}), JSON.stringify(task.ends[0]))
      await answeredOnce(bench, bench.server.say('And now?'))
    },
  },
  {
    name: 'shows its tool call, and the end of the call, before the reply',
    async run(bench, start) {
      if (!supported.activity) throw new Skip('activity is not declared')
      start()
      bench.server.script = [{ call: supported.activity }, { text: 'Looked.' }]
      await answeredOnce(bench, bench.server.say('Look around.'))
      const shown = bench.server
        .observed('activity')
        .flatMap(({ activities }) => activities as { id: string; state: string }[]) // safe because an activity report carries these
      const begun = shown.find(({ state }) => state === 'started')
      expect(begun !== undefined, 'no tool is shown as started')
      expect(
        shown.some(({ id, state }) => id === begun?.id && state !== 'started'),
        'its end is not shown',
      )
      const kinds = bench.server.seen.filter(({ path }) => path === '/agent/observe').map(({ body }) => body.kind)
      expect(kinds.lastIndexOf('activity') < kinds.indexOf('reply'), 'it is shown after the reply')
    },
  },
  {
    name: 'ends its turn within three seconds when the user stops it, and answers the next prompt',
    async run(bench, start) {
      if (!supported.stop) throw new Skip('stopping is not declared')
      start()
      bench.server.script = [{ text: 'a slow answer '.repeat(200), everyMs: 50 }]
      const prompt = bench.server.say('Take your time.')
      await until(() => bench.server.modelCalls.length > 0, 'a model call')
      bench.server.stopAnswer(prompt)
      await until(() => prompt.closed.length > 0, 'the close of the stopped prompt', 3)
      expect(prompt.closed[0] === 'stopped', `the outcome is ${prompt.closed[0]}, not stopped`)
      await answeredOnce(bench, bench.server.say('And now?'))
    },
  },
  {
    name: 'asks its owner once, waits for the answer, and passes it to the model',
    async run(bench, start) {
      if (!supported.question) throw new Skip('questions are not declared')
      start()
      bench.server.script = [{ call: supported.question }, { text: 'Done.' }]
      const prompt = bench.server.say('Send the mail.')
      await until(() => bench.server.questions.length > 0 || prompt.closed.length > 0, 'a question')
      const [question] = bench.server.questions
      if (!question) throw new Error('it asked nothing')
      expect(bench.server.modelCalls.length === 1, 'it continued without an answer')
      bench.server.answer(question, { approved: true })
      await answeredOnce(bench, prompt)
      expect(bench.server.questions.length === 1, `${bench.server.questions.length} questions were asked`)
      expect(bench.server.modelCalls.length === 2, 'the answer does not reach the model')
    },
  },
  {
    name: 'sends an unrequested message once, besides its reply',
    async run(bench, start) {
      if (!supported.unasked) throw new Skip('unrequested messages are not declared')
      start()
      bench.server.script = [{ call: supported.unasked }, { text: 'Done.' }]
      const prompt = bench.server.say('Tell me when the backup is done.')
      await answeredOnce(bench, prompt)
      const said = bench.server.messages.filter(({ role, inReplyTo }) => role === 'agent' && !inReplyTo)
      expect(said.length === 1, `${said.length} unrequested messages were sent`)
    },
  },
]

export interface Outcome {
  name: string
  result: 'passed' | 'failed' | 'skipped'
  /** The observed behaviour, or the reason for skipping the check. */
  because: string
  ms: number
  /** The price of its model calls by the price list, US dollars. */
  dollars: number
}

interface Options {
  /** Receives progress lines. */
  say(line: string): void
  limits?: Partial<Limits>
  /** The abilities to check besides replying; for the reference agent all of its own. */
  supported?: Supported
  /** Checks whose names match this. */
  only?: string | RegExp
  /** The user's variables. */
  variables?: Record<string, string>
  /** The abilities that the runtime's manifest declares. */
  supports?: Supports
  /** Receives the machine's output as it is printed. */
  onOutput?(text: string): void
  /** Ends everything. */
  signal?: AbortSignal
}

/**
 * Runs every check against a runtime's command line (null: the reference agent). Stops every process that it started.
 */
export async function conform(command: string | null, options: Options): Promise<Outcome[]> {
  limits = { ...usualLimits, ...options.limits }
  supported = options.supported ?? (command === null ? supportedByReference : {})
  const outcomes: Outcome[] = []
  const { only = '', supports = {} } = options
  const wanted = checks.filter(({ name, fatal, of }) => fatal || (name.match(only) && (!of || of(supports))))
  for (const check of wanted) {
    if (options.signal?.aborted) break
    const outcome = await tryOut(check, command, options)
    outcomes.push(outcome)
    const seconds = `${(outcome.ms / 1000).toFixed(1)} s`
    const words = { passed: 'PASS', failed: 'FAIL', skipped: 'SKIP' }[outcome.result]
    options.say(`${words}  ${check.name}${outcome.because && `: ${outcome.because}`} (${seconds})`)
    if (outcome.result === 'failed' && check.fatal) break
  }
  return outcomes
}

async function tryOut({ name, run }: Check, command: string | null, options: Options): Promise<Outcome> {
  const bench = await new Bench().open()
  const proxy = await startRealProxy(bench.server, limits.dollars * 1e6)
  bench.server.variables = options.variables ?? {}
  const machines: Machine[] = []
  const start = () => {
    const machine = bench.start(command === null ? {} : { BERTH_RUNTIME: command, PATH: process.env.PATH ?? '' })
    for (const stream of [machine.child.stdout, machine.child.stderr])
      stream?.on('data', (part) => options.onOutput?.(String(part)))
    machines.push(machine)
    return machine
  }
  const startedMs = Date.now()
  const ended = (result: Outcome['result'], because: string): Outcome => {
    const spent = proxy.books.lines.reduce((sum, { amountMicros }) => sum - amountMicros, 0)
    return { name, result, because, ms: Date.now() - startedMs, dollars: spent / 1e6 }
  }
  const stopped = new Promise<never>((_, reject) => {
    options.signal?.addEventListener('abort', () => reject(new Error('it was stopped')), { once: true })
  })
  try {
    await Promise.race([run(Object.assign(bench, { proxy }), start, options.supports ?? {}), stopped])
    return ended('passed', '')
  } catch (thrown) {
    const because = thrown instanceof Error ? thrown.message : String(thrown)
    if (thrown instanceof Skip) return ended('skipped', because)
    for (const line of ownOutput(machines.map(({ output }) => output()).join(''))) options.say(`      | ${line}`)
    return ended('failed', because)
  } finally {
    await bench.close()
    await proxy.close()
  }
}

const shownLines = 30

/** The end of the runtime's output, and the supervisor's lines about it. */
function ownOutput(text: string): string[] {
  const lines = text.split('\n').filter((line) => line !== '')
  const own = lines.filter((line) => !line.includes('"part":"supervisor"') || line.includes('runtime ended'))
  return own.length > shownLines ? [`(${own.length - shownLines} lines before)`, ...own.slice(-shownLines)] : own
}
