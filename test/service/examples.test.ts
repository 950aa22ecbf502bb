/** Runs every example of `docs/api/examples.md`, and the programs in `examples/`, as a reader would. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { type Caller, call, hostedUser, origin } from './client.ts'

const repo = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'berth-examples-'))
const page = readFileSync(join(repo, 'docs/api/examples.md'), 'utf8')
const [before = '', ...sections] = page.split(/^## /m).slice(1)
const blocks = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code)
const blockOf = (text: string, language: string): string => {
  const [first, ...others] = blocks(text, language)
  if (first === undefined || others.length > 0) throw new Error(`not one block of ${language} in ${text.slice(0, 60)}`)
  return first
}

const run = promisify(execFile)
const scopes = ['mcp:*', 'api:chat', 'api:instance', 'api:hooks', 'api:llm']
const languages = ['sh', 'ts', 'python'] as const
/** Each language has a user of its own, because all tokens of a user share a rate window. */
const tokens: Record<string, string> = {}
let user: Caller

beforeAll(async () => {
  const users = await Promise.all(languages.map(() => hostedUser(500)))
  for (const [index, language] of languages.entries()) {
    const { body } = await call('POST', '/tokens', { name: 'Examples', scopes, expiresInDays: 30 }, users[index])
    tokens[language] = body.plaintext
  }
  user = users[0] ?? {}
  installClient()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** As the page says: packs the client in the repository, and unpacks it where npm would. */
function installClient(): void {
  const [pack = ''] = (blocks(before, 'sh')[1] ?? '').split('#')
  const packed = execFileSync('sh', ['-c', `${pack} --silent --pack-destination ${folder}`], {
    cwd: repo,
    encoding: 'utf8',
  })
  const client = join(folder, 'node_modules/@berth/client')
  mkdirSync(client, { recursive: true })
  execFileSync('tar', [
    'xzf',
    join(folder, packed.trim().split('\n').at(-1) ?? ''),
    '-C',
    client,
    '--strip-components=1',
  ])
  symlinkSync(join(repo, 'node_modules/openai'), join(folder, 'node_modules/openai'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
}

const programs = {
  sh: { file: 'example.sh', command: ['sh', '-e'], setup: '' },
  ts: { file: 'example.ts', command: [process.execPath], setup: blockOf(before, 'ts') },
  python: { file: 'example.py', command: ['python3'], setup: blockOf(before, 'python') },
}

async function output(language: (typeof languages)[number], code: string): Promise<string> {
  const { file, command, setup } = programs[language]
  writeFileSync(join(folder, file), `${setup}\n${code}`)
  const [program = '', ...args] = command
  const env = { ...environment(), BERTH_TOKEN: tokens[language] }
  const { stdout } = await run(program, [...args, file], { cwd: folder, env, timeout: 120_000 })
  return stdout
}

const environment = () => ({ PATH: process.env.PATH, HOME: process.env.HOME, BERTH_URL: origin })

/** The output of each example, which is the same in each language. */
const printed: Record<string, RegExp> = {
  'See the state of your agent': /running/,
  'Send a message and wait for the reply': /You said|tide/,
  'Follow events as they happen': /message\.sent/,
  'Call a model': /Name three seas/,
  'Write a file for the agent, and read it': /Paint the boat\./,
  'Ask the agent every weekday morning': /sch_/,
  'Give a program a token of its own': /\d{6}/,
  'Ask for a top-up': /http/,
  'List the ledger, page by page': /topup|top-up|credit/,
  'Understand a refusal': /validation/,
}

describe('the page of examples', () => {
  const examples = sections.map((text) => [text.split('\n')[0]?.replace(/^\d+\. /, '') ?? '', text] as const)

  test('has ten of them', () => {
    expect(examples.map(([title]) => title)).toEqual(Object.keys(printed))
  })

  describe.each(languages)('in %s', (language) => {
    test.each(examples)('runs: %s', async (title, text) => {
      expect(await output(language, blockOf(text, language))).toMatch(printed[title] ?? /^$/)
    })
  })

  test('is quoted by the page of errors, whose example also runs', async () => {
    const errors = blockOf(readFileSync(join(repo, 'docs/api/errors.md'), 'utf8'), 'ts')
    expect(await output('ts', `import { BerthError } from '@berth/client'\n${errors}`)).toMatch(/balanceMicros/)
  })
})

const secret = `whsec_${Buffer.from('a secret of twenty-four b').toString('base64')}`

/** As during a rotation, with a signature of another secret first. */
function signedHeaders(signedWith: string, time: string, body: string): Record<string, string> {
  const key = Buffer.from(signedWith.replace('whsec_', ''), 'base64')
  const signature = createHmac('sha256', key).update(`evt_1.${time}.${body}`).digest('base64')
  return { 'webhook-id': 'evt_1', 'webhook-timestamp': time, 'webhook-signature': `v1,AAAA v1,${signature}` }
}

describe('the programs in examples/', () => {
  const program = (name: string) => join(repo, 'examples', name)
  const running: ChildProcess[] = []
  afterAll(() => {
    for (const child of running) child.kill()
  })

  test('ask.ts prints the reply, and says what is wrong with a token', async () => {
    const env = { ...environment(), BERTH_TOKEN: tokens.ts }
    const { stdout } = await run(process.execPath, [program('ask.ts'), 'Is it high tide?'], { env, timeout: 120_000 })
    expect(stdout).toMatch(/tide/)
    const wrong = run(process.execPath, [program('ask.ts'), 'x'], { env: { ...env, BERTH_TOKEN: 'oss_wrong' } })
    await expect(wrong).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/^unauthorized: /) })
  })

  test('spending_report.py prints a table whose rows add up', async () => {
    const env = { ...environment(), BERTH_TOKEN: tokens.ts }
    const { stdout } = await run('python3', [program('spending_report.py')], { env })
    const rows = [...stdout.matchAll(/^\| (\S+) \| (\d+) \| \$/gm)].map(([, name, calls]) => [name, Number(calls)])
    const all = rows.pop()
    expect(rows.reduce((sum, [, calls]) => sum + Number(calls), 0)).toBe(all?.[1])
    expect(all?.[1]).toBeGreaterThan(0)
  })

  test('report-failed-build.sh prompts the agent with the end of a log, even if it is cut inside a character', async () => {
    const { body } = await call('POST', '/hooks', { name: 'Builds', text: 'Say what failed.' }, user)
    const log = join(folder, 'build.log')
    writeFileSync(log, `${'ü'.repeat(9_000)}x\nError: the mast is missing\n`)
    const env = { ...environment(), HOOK_URL: body.hook.address, HOOK_SECRET: body.secret, CI_JOB_ID: '1' }
    const sent = () => run('sh', [program('report-failed-build.sh'), log], { env })
    expect((await sent()).stdout).toContain('"received":true')
    expect((await sent()).stdout).toContain('"received":true')
    const { body: listed } = await call('GET', '/chat/conversations', undefined, user)
    expect(listed.conversations.length).toBeLessThan(3)
    await expect(
      run('sh', [program('report-failed-build.sh'), log], { env: { ...env, HOOK_SECRET: 'whsec_x' } }),
    ).rejects.toThrow()
  })

  test('webhook-receiver.ts accepts signed events once, and refuses others', async () => {
    const env = { ...environment(), WEBHOOK_SECRET: secret, PORT: '0' }
    const child = spawn(process.execPath, [program('webhook-receiver.ts')], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    running.push(child)
    const lines: string[] = []
    createInterface(child.stdout).on('line', (line) => lines.push(line))
    await once(child.stdout, 'data')
    const port = /\d+/.exec(lines[0] ?? '')?.[0]
    const deliver = async (signedWith: string, at = Date.now()) => {
      const body = '{"type":"wallet.low","data":{}}'
      const headers = signedHeaders(signedWith, String(Math.floor(at / 1_000)), body)
      return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).status
    }
    expect(await deliver('whsec_AAAA')).toBe(401)
    expect(await deliver(secret, Date.now() - 600_000)).toBe(401)
    expect(await deliver(secret)).toBe(204)
    expect(await deliver(secret)).toBe(204)
    expect(lines.filter((line) => line.startsWith('wallet.low'))).toHaveLength(1)
  })
})

describe('the checks of signatures on the page of webhooks', () => {
  const webhooks = readFileSync(join(repo, 'docs/api/webhooks.md'), 'utf8')

  /** Headers and bodies: a genuine request, an old one, and a changed one. */
  function requests(): [headers: Record<string, string>, body: string][] {
    const time = String(Math.floor(Date.now() / 1_000))
    const headers = signedHeaders(secret, time, '{}')
    return [
      [headers, '{}'],
      [signedHeaders(secret, '1', '{}'), '{}'],
      [headers, '{"changed":true}'],
    ]
  }

  test('accept a genuine request only, in TypeScript', async () => {
    const calls = requests().map((each) => `isGenuine('${secret}', ...${JSON.stringify(each)})`)
    const code = `${blockOf(webhooks, 'ts')}\nconsole.log(${calls.join(', ')})`
    expect(await output('ts', code)).toBe('true false false\n')
  })

  test('accept a genuine request only, in Python', async () => {
    const calls = requests().map(([headers, body]) => `is_genuine("${secret}", ${JSON.stringify(headers)}, b'${body}')`)
    expect(await output('python', `${blockOf(webhooks, 'python')}\nprint(${calls.join(', ')})`)).toBe(
      'True False False\n',
    )
  })
})
