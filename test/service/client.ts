import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import type { Message } from '../../domain/chat/message.ts'
import type { Transaction } from '../../domain/wallet/ledger.ts'
import { checkAnswer } from './contract.ts'

export const origin = process.env.BERTH_URL ?? ''
export const api = `${origin}/api`

const agent = new Agent()

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape
  body: any
}

/** A caller of the service: nobody, a browser with a cookie, or a program with a bearer token. */
export interface Caller {
  cookie?: string
  bearer?: string
  /** The loopback address to call from. */
  address?: string
}

/** A fresh loopback address: the service counts sign-ins by address. */
export const newAddress = () => `127.${[...randomBytes(3)].map((byte) => (byte % 250) + 2).join('.')}`

export async function call(
  method: string,
  path: string,
  body?: unknown,
  caller: Caller = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const sent = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
  const asked = request(`${api}${path}`, {
    method,
    agent,
    localAddress: caller.address,
    headers: {
      ...(sent !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
      ...(caller.cookie && { cookie: caller.cookie, origin }),
      ...(caller.bearer && { authorization: `Bearer ${caller.bearer}` }),
      ...headers,
    },
  })
  asked.end(sent)
  const [answer] = (await once(asked, 'response')) as [IncomingMessage] // safe because a response event carries this
  const text = await readText(answer)
  const received = Object.entries(answer.headers).flatMap(([name, value]) =>
    [value ?? ''].flat().map((line): [string, string] => [name, line]),
  )
  const made = {
    status: answer.statusCode ?? 0,
    headers: new Headers(received),
    body: text === '' ? null : JSON.parse(text),
  }
  checkAnswer(method, path, made)
  return made
}

export const newEmail = () => `${randomBytes(6).toString('hex')}@example.com`

/** The e-mails to an address, newest first, from the local mailbox. */
export async function mailsTo(email: string): Promise<{ subject: string; text: string }[]> {
  const answer = await fetch(`${origin}/local/mail?to=${encodeURIComponent(email)}`)
  const { mails } = (await answer.json()) as { mails: { subject: string; text: string }[] } // safe because the mailbox has this shape
  return mails
}

export async function mailedCode(email: string): Promise<string> {
  const code = /\d{6}/.exec((await mailsTo(email))[0]?.subject ?? '')?.[0]
  if (!code) throw new Error(`no code was mailed to ${email}`)
  return code
}

/** The first cookie that an answer sets, as a browser sends it back. */
export const cookieOf = ({ headers }: Answer): string => headers.get('set-cookie')?.split(';')[0] ?? ''

/** Signs in with an e-mail address and the e-mailed code, as a browser does. */
export async function signIn(
  email = newEmail(),
  userAgent = '',
): Promise<{ cookie: string; email: string; userId: string }> {
  const from = { address: newAddress() }
  const asked = await call('POST', '/auth/login', { email }, from, { origin })
  if (asked.status !== 202) throw new Error(`login answered ${asked.status} ${JSON.stringify(asked.body)}`)
  const headers = { origin, 'user-agent': userAgent, cookie: cookieOf(asked) }
  const verified = await call('POST', '/auth/verify', { email, code: await mailedCode(email) }, from, headers)
  if (verified.status !== 200) throw new Error(`verify answered ${verified.status} ${JSON.stringify(verified.body)}`)
  return { cookie: cookieOf(verified), email, userId: verified.body.account.id }
}

/** Pays a hosted checkout page as its Pay button does. */
export async function pay(checkout: { url: string }): Promise<void> {
  const response = await fetch(`${checkout.url}/pay`, { method: 'POST', headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`paying answered ${response.status} ${await response.text()}`)
}

/** Keeps a test that waits for minutes below the 240 reads a minute of its user. */
const pollMs = 300

/** Repeats a request until the answer passes the check. */
export async function until<T>(
  what: string,
  ask: () => Promise<T>,
  wanted: (value: T) => boolean,
  seconds = 150,
): Promise<T> {
  const end = Date.now() + seconds * 1000
  for (;;) {
    const value = await ask()
    if (wanted(value)) return value
    if (Date.now() > end) throw new Error(`gave up waiting for ${what}; last seen: ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

export const status = async (caller: Caller) => (await call('GET', '/instance/status', undefined, caller)).body

export const untilState = (caller: Caller, state: string) =>
  until(
    `state ${state}`,
    () => status(caller),
    (seen) => seen.instance?.state === state,
  )

/** A user with a running instance and money in the wallet. */
export async function hostedUser(amountCents = 1000) {
  const user = await signIn()
  await pay((await call('POST', '/checkout', { plan: 'starter' }, user)).body)
  await untilState(user, 'running')
  await pay((await call('POST', '/wallet/topup', { amountCents }, user)).body)
  await until(
    'the top-up',
    () => status(user),
    (seen) => seen.wallet.balanceMicros >= amountCents * 10_000,
  )
  return user
}

/** Sends a message and waits for the agent's answer to it. */
export async function ask(caller: Caller, text: string, seconds = 150): Promise<Message> {
  const { body } = await call('POST', '/chat/messages', { text }, caller)
  const answered = async (): Promise<Message | undefined> => {
    const page = await call('GET', `/chat/messages?after=${body.message.id}`, undefined, caller)
    return page.body.messages.find((message: Message) => message.role === 'agent')
  }
  const found = await until(`an answer to "${text}"`, answered, (message) => message !== undefined, seconds)
  if (!found) throw new Error('unreachable')
  return found
}

/** A token of the user with these scopes. */
export const mintedWith = async (caller: Caller, scopes: string[]): Promise<string> =>
  (await call('POST', '/tokens', { name: 'test', scopes, expiresInDays: 1 }, caller)).body.plaintext

/** Usage entries of the ledger, newest first. */
export const usageLines = async (caller: Caller): Promise<Transaction[]> =>
  (await call('GET', '/wallet/transactions?type=usage', undefined, caller)).body.transactions
