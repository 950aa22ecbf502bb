/** `npm run test:agent -- <command>`: runs any runtime under our supervisor against the machine protocol. */
import { parseArgs } from 'node:util'
import { Bench, isAlive, type Machine, until } from './machine.ts'

interface Check {
  name: string
  /** @throws with what was seen instead */
  run(bench: Bench, start: () => Machine): Promise<void>
}

function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}

const closed = (prompt: { closed: string[] }) => until(() => prompt.closed.length > 0, 'the close of the prompt')

async function answeredOnce(bench: Bench, prompt: ReturnType<Bench['server']['say']>): Promise<void> {
  await closed(prompt)
  const count = bench.server.replies(prompt).length
  expect(count === 1, `the prompt has ${count} replies`)
}

/** Kills something the first time the service has taken a step of the turn in. */
function killAt(bench: Bench, step: string, kill: () => void): void {
  let done = false
  bench.server.onEffect = (reached) => {
    if (done || reached !== step) return
    done = true
    kill()
  }
}

const steps = ['/agent/context', '/llm/proxy', '/agent/observe reply', '/agent/feedback']

const checks: Check[] = [
  {
    name: 'asks for a prompt once it is started',
    async run(bench, start) {
      start()
      await until(() => bench.server.seen.some(({ path }) => path === '/agent/prompt'), 'a poll')
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
      expect(JSON.stringify(bench.server.modelCalls).includes('Flut? ⚓'), 'the model was not told what the user said')
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
    name: 'tells the model what was said before',
    async run(bench, start) {
      start()
      await closed(bench.server.say('My boat is called Petrel.'))
      await closed(bench.server.say('What is she called?'))
      const last = JSON.stringify(bench.server.modelCalls.at(-1))
      expect(last.includes('Petrel'), 'the earlier message is not in the call')
    },
  },
  {
    name: 'does not answer again when an answered prompt comes back',
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
      name: `comes through a model call that answers ${status}`,
      async run(bench, start) {
        start()
        bench.server.script = [status === 429 ? { status, retryAfter: 1 } : { status }]
        const prompt = bench.server.say('Try again.')
        await answeredOnce(bench, prompt)
        expect(prompt.closed[0] === 'completed', `the outcome is ${prompt.closed[0]}`)
      },
    }),
  ),
  {
    name: 'tells the user of an empty wallet, once',
    async run(bench, start) {
      start()
      bench.server.script = [{ status: 402 }]
      const prompt = bench.server.say('Is there money?')
      await until(() => bench.server.replies(prompt).length > 0, 'a reply')
      expect(bench.server.replies(prompt).length === 1, 'there is more than one reply')
    },
  },
  ...steps.map(
    (step): Check => ({
      name: `answers once when it is killed at ${step}`,
      async run(bench, start) {
        const machine = start()
        killAt(bench, step, () => process.kill(machine.runtimePid(), 'SIGKILL'))
        await answeredOnce(bench, bench.server.say('Hold fast.'))
      },
    }),
  ),
  ...steps.map(
    (step): Check => ({
      name: `answers once when the whole machine is killed at ${step}`,
      async run(bench, start) {
        const first = start()
        killAt(bench, step, () => first.child.kill('SIGKILL'))
        const prompt = bench.server.say('Hold fast.')
        await first.exited
        await until(() => !isAlive(first.runtimePid()), 'the end of the runtime when its supervisor is gone')
        start()
        await answeredOnce(bench, prompt)
      },
    }),
  ),
  {
    name: 'finishes its turn and exits when it is told to stop',
    async run(bench, start) {
      const machine = start()
      bench.server.script = [{ text: 'a slow answer to the end', everyMs: 100 }]
      const prompt = bench.server.say('Take your time.')
      await until(() => bench.server.modelCalls.length > 0, 'a model call')
      machine.child.kill('SIGTERM')
      await until(() => machine.child.exitCode !== null, 'the exit')
      expect(machine.child.exitCode === 0, `the exit code is ${machine.child.exitCode}`)
      await answeredOnce(bench, prompt)
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
]

/** Runs every check against a runtime's command line (null: the reference agent). @returns what failed */
export async function conform(command: string | null, say: (line: string) => void): Promise<string[]> {
  const failed: string[] = []
  for (const { name, run } of checks) {
    const bench = await new Bench().open()
    const startedMs = Date.now()
    try {
      await run(bench, () => bench.start(command === null ? {} : { BERTH_RUNTIME: command }))
      say(`PASS  ${name} (${Date.now() - startedMs} ms)`)
    } catch (thrown) {
      failed.push(name)
      say(`FAIL  ${name}: ${thrown instanceof Error ? thrown.message : thrown}`)
    } finally {
      await bench.close()
    }
  }
  say(
    failed.length === 0 ? `All ${checks.length} checks passed.` : `${failed.length} of ${checks.length} checks failed.`,
  )
  return failed
}

if (import.meta.main) {
  const { positionals } = parseArgs({ allowPositionals: true, strict: false })
  const failed = await conform(positionals.length > 0 ? positionals.join(' ') : null, (line) => console.log(line))
  process.exitCode = failed.length > 0 ? 1 : 0
}
