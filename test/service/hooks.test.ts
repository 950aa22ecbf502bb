import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { sign } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import type { Message } from '../../domain/chat/message.ts'
import { ask, type Caller, call, hostedUser, until } from './client.ts'

const run = promisify(execFile)

async function newHook(caller: Caller) {
  const body = { name: 'Builds', text: 'Say what was sent.' }
  const { status, body: made } = await call('POST', '/hooks', body, caller)
  expect(status).toBe(201)
  return { address: made.hook.address as string, secret: made.secret as string } // safe because the contract says so
}

/** The agent's latest replies, once there are this many. */
async function replies(caller: Caller, count: number): Promise<string[]> {
  const said = async (): Promise<Message[]> =>
    (await call('GET', '/chat/messages?limit=100', undefined, caller)).body.messages
  const byAgent = async () => (await said()).filter(({ role }) => role === 'agent').map(({ text }) => text)
  return until('replies', byAgent, ({ length }) => length >= count)
}

describe('receiveDelivery', () => {
  let user: Awaited<ReturnType<typeof hostedUser>>
  beforeAll(async () => {
    user = await hostedUser(500)
  })

  test('gets one answer of the agent for each delivery by curl, GitHub’s library and that of Standard Webhooks', async () => {
    await ask(user, 'are you awake?')
    const { address, secret } = await newHook(user)
    // As the dashboard shows it.
    const line = [address, '-sS', '-w', ' %{http_code}', '-H', `Authorization: Bearer ${secret}`, '-d', 'It works.']
    expect((await run('curl', line)).stdout).toBe('{"received":true} 202')

    const body = '{"action":"completed"}'
    const github = {
      'x-hub-signature-256': await sign(secret, body),
      'x-github-delivery': 'd-1',
      'x-github-event': 'push',
    }
    const at = new Date()
    const timed = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
    }
    for (const headers of [github, timed, github, timed]) {
      const { status } = await fetch(address, { method: 'POST', body, headers })
      expect(status).toBe(202)
    }
    const [, curled = '', ...signed] = await replies(user, 4)
    expect(curled).toContain('It works.')
    for (const text of signed) expect(text).toContain(body)
    const said = await call('GET', '/chat/messages?limit=100', undefined, user)
    expect(said.body.messages.filter(({ role }: { role: string }) => role === 'user')).toHaveLength(4)
  })

  test('refuses a delivery with a wrong signature, and does not parse a stranger’s body', async () => {
    const { address, secret } = await newHook(user)
    const other = await newHook(await hostedUser(500))
    const send = (headers: Record<string, string>, body = '{"a":1}') =>
      fetch(address, { method: 'POST', headers, body })
    expect((await send({})).status).toBe(401)
    expect((await send({ authorization: `Bearer ${other.secret}` }, 'not {json')).status).toBe(401)
    expect((await send({ authorization: `Bearer ${secret}` }, 'x'.repeat(64 * 1024 + 1))).status).toBe(413)
    expect(
      (await send({ authorization: `Bearer ${secret}`, 'content-type': 'application/json' }, 'not {json')).status,
    ).toBe(202)
  })
})
