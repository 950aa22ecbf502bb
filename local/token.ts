/** Prints a personal access token of the local service: `npx node local/token.ts [url] [email]`. */
import { messageOf } from './kit/problem.ts'

/** Every MCP tool, chat messages and model calls. */
const scopes = ['mcp:*', 'api:chat', 'api:llm']

const [url = 'http://127.0.0.1:8787', email = 'you@example.com'] = process.argv.slice(2)

async function call(path: string, body?: object, cookie = ''): Promise<Response> {
  const response = await fetch(`${url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', origin: url, cookie },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return response
}

const jsonOf = async <Answer>(response: Response) => (await response.json()) as Answer

try {
  await call('/api/auth/login', { email })
  const { mails } = await jsonOf<{ mails: { text: string }[] }>(
    await call(`/local/mail?to=${encodeURIComponent(email)}`),
  )
  const token = /#token=([\w-]+)&/.exec(mails[0]?.text ?? '')?.[1]
  const session = (await call('/api/auth/verify', { email, token })).headers.getSetCookie()[0]?.split(';')[0]
  const status = await jsonOf<{ subscription: { status: string }; trial: object | null }>(
    await call('/api/instance/status', undefined, session),
  )
  // A trial pays for messages and model calls. On a day without trials, the token can still read.
  if (status.subscription.status === 'none' && !status.trial) await call('/api/trial', {}, session).catch(() => {})
  const { plaintext } = await jsonOf<{ plaintext: string }>(
    await call('/api/tokens', { name: 'local', scopes }, session),
  )
  console.log(plaintext)
} catch (error) {
  console.error(`No token: ${messageOf(error)}`)
  process.exitCode = 1
}
