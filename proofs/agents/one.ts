/**
 * One runtime in a local service, as a child process of `npm run prove agents`: prints each observed ability as a line
 * of JSON. With a third argument, the root of an image, it runs in that image.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runtimeMemoryMiB, supervisorMemoryMiB } from '../../domain/instance/machine.ts'
import { startBerth } from '../../local/main.ts'
import { askWish, readWish, secret, startVendors, wishes } from '../clients/upstream.ts'
import type { Seen } from '../clients/works-with.ts'
import { type Manifest, manifestOf, runtimeFolder } from './manifests.ts'
import { watchMemory } from './memory.ts'

const [, , name = '', programs = '', root] = process.argv
const manifest: Manifest = manifestOf(name)
const dataDir = mkdtempSync(join(tmpdir(), `berth-prove-${name}-`))
const vendors = await startVendors()
const main = join(runtimeFolder(name), 'main.ts')
const env = {
  ANTHROPIC_API_KEY: 'k',
  ANTHROPIC_BASE_URL: `${vendors.url}/v1`,
  // The reference agent runs when no command is given.
  ...(name !== 'reference' && {
    BERTH_RUNTIME: root
      ? `${join(import.meta.dirname, '../images/host.sh')} ${root} ${name}`
      : `env PATH="${programs}/node_modules/.bin:$PATH" ${process.execPath} ${main}`,
  }),
}
const berth = await startBerth({ port: 0, dataDir, quiet: true }, env)
Object.assign(process.env, { BERTH_URL: berth.url, BERTH_DATA_DIR: dataDir })
const { api, call, hostedUser, until, untilState } = await import('../../test/service/client.ts')
const { emptyWallet } = await import('../../test/service/store.ts')
const { machines, runtimeContainers } = await import('../../test/service/machine.ts')

interface Heard {
  type: string
  // biome-ignore lint/suspicious/noExplicitAny: events have every shape
  data: any
  atMs: number
}

const user = await hostedUser(1000)
const heard: Heard[] = []
const over = new AbortController()
void listen()

/** The events of the user's event stream, which is reopened whenever it ends. */
async function listen(): Promise<void> {
  while (!over.signal.aborted) {
    try {
      const { body } = await fetch(`${api}/events`, { headers: { cookie: user.cookie }, signal: over.signal })
      let rest = ''
      for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const blocks = (rest + part).split('\n\n')
        rest = blocks.pop() ?? ''
        for (const block of blocks) {
          const [, type] = /^event: (.+)$/m.exec(block) ?? []
          const [, data] = /^data: (.+)$/m.exec(block) ?? []
          if (type && data) heard.push({ type, data: JSON.parse(data).data, atMs: Date.now() })
        }
      }
    } catch {
      if (!over.signal.aborted) await sleep(200)
    }
  }
}

const event = (what: string, is: (event: Heard) => boolean, seconds = 60): Promise<Heard> =>
  until(
    what,
    async () => heard.find(is),
    (found) => found !== undefined,
    seconds,
  ).then((found) => found ?? unreachable())
const unreachable = (): never => {
  throw new Error('unreachable')
}

const supervisors = () => machines(dataDir).map(({ pid }) => pid)
const containers = () => runtimeContainers(dataDir).map(({ pid }) => pid)
const memory = watchMemory(() => [...supervisors(), ...containers()])
const supervisorMemory = watchMemory(supervisors)
const runtimeMemory = watchMemory(containers)

const pixel = readFileSync(join(import.meta.dirname, '../clients/models/pixel.png'))
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Runs one check; an exception becomes the observed result. @returns a cell's text, or undefined for yes */
async function check(name: string, run: () => Promise<string | undefined>): Promise<void> {
  const seen: Seen = {
    client: manifest.title,
    version: manifest.npm?.version ?? '',
    check: name,
    said: '',
    holds: true,
  }
  try {
    const cell = await run()
    if (cell) seen.cell = cell
  } catch (thrown) {
    Object.assign(seen, { holds: false, said: String(thrown).slice(0, 1_500) })
  }
  console.log(JSON.stringify(seen))
}

function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}

/** Sends a message. @returns the text of the answer, from the event stream */
async function ask(text: string, attachments: string[] = []): Promise<string> {
  const { status, body } = await call('POST', '/chat/messages', { text, attachments }, user)
  expect(status === 202, `the message was answered ${status}`)
  const isAnswer = ({ type, data }: Heard) => type === 'message.sent' && data.message.inReplyTo === body.message.id
  return (await event('the answer', isAnswer, 150)).data.message.text
}

async function says(text: string, wanted: RegExp): Promise<void> {
  const said = await ask(text)
  expect(wanted.test(said), `it said ${JSON.stringify(said)}`)
}

/** Sends a prompt for a long answer, and waits until the answer has begun. @returns the message's id */
async function beginLong(): Promise<string> {
  const begun = once(vendors.heard.long, 'begun')
  const { body } = await call('POST', '/chat/messages', { text: wishes.long }, user)
  await Promise.race([begun, sleep(90_000).then(() => Promise.reject(new Error('the model was not asked')))])
  await sleep(500)
  return body.message.id
}

const volume = () => machines(dataDir)[0]?.env.BERTH_VOLUME ?? ''
/** The file with the runtime's memory of a conversation: its messages, or the id of its program's session. */
const memoryFile = name === 'reference' ? 'memory/transcript.jsonl' : `state/${name}/sessions.json`
const memories = () => readFileSync(join(volume(), memoryFile), 'utf8')

/** The agent knows the earlier messages from its own memory, not because they are sent again. */
async function recalls(): Promise<void> {
  await says(wishes.recall, /Petrel/)
  expect(!vendors.heard.recalling.includes('What was said before:'), 'it was told anew what was said before')
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/** The runtime's own process: the innermost child of its launcher. */
function runtimePid(): number {
  const childrenOf = (pid: number) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  const all = new Set(containers())
  const children = [...all].flatMap(childrenOf).map(Number)
  return children.find((pid) => pid > 0 && !all.has(pid)) ?? 0
}

try {
  await call('POST', '/instance/model', { model: 'anthropic/claude-sonnet-4-6' }, user)
  await check('answers', async () => {
    const startedMs = Date.now()
    await says(wishes.say, /Hello from the model\./)
    return seconds(Date.now() - startedMs)
  })
  await check('knows its persona', async () => {
    const [machine] = machines(dataDir)
    const persona = readFileSync(join(machine?.env.BERTH_VOLUME ?? '', 'config/persona/SOUL.md'), 'utf8')
    const line = persona.split('\n').find((each) => /^\w.{20}/.test(each)) ?? ''
    expect(
      line !== '' && vendors.heard.said.includes(JSON.stringify(line.slice(0, 40)).slice(1, -1)),
      `the model was not told ${JSON.stringify(line)}`,
    )
    return undefined
  })
  await check('works', async () => {
    const [machine] = machines(dataDir)
    const path = join(machine?.env.BERTH_VOLUME ?? '', 'workspace', 'note.txt')
    writeFileSync(path, `The number is ${secret}.\n`)
    await says(readWish(name === 'reference' ? 'note.txt' : path), new RegExp(secret))
    if (!manifest.supports.activity) return 'yes, unseen'
    const about = ({ type, data }: Heard) => type === 'message.activity' && JSON.stringify(data).includes('"finished"')
    const { data } = await event('activity', about, 10)
    return `yes, \`${/"tool":"([^"]+)"/.exec(JSON.stringify(data))?.[1]}\``
  })
  await check('receives an image', async () => {
    const sent = { name: 'harbour.png', type: 'image/png', bytes: pixel.length, sha256: hashOf(pixel) }
    const { body: place } = await call('POST', '/chat/attachments', sent, user)
    const { url, headers } = place.upload
    const stored = await fetch(url, { method: 'PUT', body: new Uint8Array(pixel), headers })
    expect(stored.status === 200, `storing it was answered ${stored.status}`)
    const said = await ask(wishes.see, [place.attachment.id])
    expect(/I see the image/.test(said), `it said ${JSON.stringify(said)}`)
    return vendors.heard.seen.includes(pixel.toString('base64')) ? 'yes' : 'yes, as an image that it made of it'
  })
  await check('remembers', async () => {
    await ask(wishes.remember)
    expect((await call('POST', '/instance/pause', undefined, user)).status < 300, 'it could not be paused')
    await untilState(user, 'paused')
    await says(wishes.recall, /Petrel/)
    return undefined
  })
  await check('refreshed', async () => {
    expect((await call('POST', '/instance/refresh', undefined, user)).status === 202, 'it was not refreshed')
    await untilState(user, 'running')
    await recalls()
    return undefined
  })
  await check('restored', async () => {
    const made = await call('POST', '/instance/restore-points', undefined, user)
    const path = `/instance/restore-points/${made.body.restorePoint?.id}`
    const seen = async () => (await call('GET', path, undefined, user)).body.restorePoint
    const point = await until('the restore point', seen, (found) => found.state !== 'making')
    expect(point.state === 'ready', `the point is ${point.state}`)
    const kept = memories()
    await ask(wishes.say)
    rmSync(join(volume(), memoryFile))
    const asked = await call('POST', `${path}/restore`, undefined, user)
    const task = async () => (await call('GET', `/instance/tasks/${asked.body.task?.id}`, undefined, user)).body.task
    const { state } = await until('the restore', task, (found) => found.state !== 'open')
    expect(state === 'done', `the restore is ${state}`)
    expect(memories() === kept, 'what it remembers is not what it was')
    await recalls()
    return undefined
  })
  await check('asks', async () => {
    if (!manifest.supports.questions) return '– cannot'
    const answer = ask(askWish)
    const isMine = ({ type, data }: Heard) => type === 'question.asked' && data.text === 'May-I-sail'
    const { data } = await event('the question', isMine, 120)
    const given = { answer: { approved: true } }
    const { status } = await call('POST', `/chat/questions/${data.questionId}/answer`, given, user)
    expect(status === 200, `the answer was answered ${status}`)
    const said = await answer
    expect(/You said yes/.test(said), `it said ${JSON.stringify(said)}`)
    return undefined
  })
  await check('is stopped', async () => {
    if (!manifest.supports.stop) return '– does not listen'
    const id = await beginLong()
    const startedMs = Date.now()
    const { status } = await call('POST', `/chat/messages/${id}/stop`, undefined, user)
    expect(status === 200, `stopping was answered ${status}`)
    const stopped = ({ type, data }: Heard) => type === 'prompt.closed' && data.outcome === 'stopped'
    return seconds((await event('the close', stopped, 30)).atMs - startedMs)
  })
  await check('survives kill -9', async () => {
    const closedBefore = heard.filter(({ type }) => type === 'prompt.closed').length
    const id = await beginLong()
    process.kill(runtimePid(), 'SIGKILL')
    await until(
      'the close',
      async () => heard.filter(({ type }) => type === 'prompt.closed').length,
      (count) => count > closedBefore,
    )
    const page = await call('GET', `/chat/messages?after=${id}`, undefined, user)
    const replies = page.body.messages.filter(({ role }: { role: string }) => role === 'agent')
    expect(replies.length === 1, `there are ${replies.length} replies`)
    expect(/Hello from the model\./.test(replies[0].text), `it said ${JSON.stringify(replies[0].text)}`)
    return undefined
  })
  await check('by schedule', async () => {
    const minute = new Date(Date.now() + 65_000).getUTCMinutes()
    const since = Date.now()
    const made = await call('POST', '/instance/schedules', { cron: `${minute} * * * *`, text: wishes.say }, user)
    expect(made.status === 201, `the schedule was answered ${made.status}`)
    const said = ({ type, data, atMs }: Heard) =>
      type === 'message.sent' && atMs > since && data.message.role === 'agent' && /Hello/.test(data.message.text)
    await event('what it says', said, 150)
    return undefined
  })
  await check('empty wallet', async () => {
    await emptyWallet(user.userId)
    await says(wishes.say, /wallet is empty/i)
    return undefined
  })
  await check('peak memory', async () => {
    const parts = [
      ['its supervisor', supervisorMemory.end().peakMiB, supervisorMemoryMiB],
      ['its container', runtimeMemory.end().peakMiB, runtimeMemoryMiB(manifest)],
    ] as const
    for (const [part, peak, most] of parts) expect(peak <= most, `${part} took ${peak} MiB of ${most}`)
    return `${memory.end().peakMiB} MiB`
  })
} catch (thrown) {
  console.error(thrown)
  process.exitCode = 1
} finally {
  over.abort()
  for (const watch of [memory, supervisorMemory, runtimeMemory]) watch.end()
  await berth.stop()
  vendors.close()
  if (!process.env.KEEP) rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
  else console.error(`kept ${dataDir}`)
}
process.exit()
