import { createHmac } from 'node:crypto'
import { sign as signGithub } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import type { InstanceRecord } from '../../../domain/instance/instance.ts'
import { iso } from '../../../domain/time.ts'
import { hooksArea } from '../../../lambdas/hooks/index.ts'
import { openWorld, type Tenant, type TestRequest } from '../../world.ts'

type Headers = Record<string, string>

/** Users' hooks, and the requests that strangers send to them. */
export async function openHooksWorld() {
  const world = await openWorld({ areas: [hooksArea], ports: ['conversations', 'audit'] })
  const { ports } = world

  /** A user with money, one hook and a machine, which runs by default. */
  async function owner(change: Partial<InstanceRecord> = {}) {
    const tenant = await world.tenant(change)
    const { userId } = tenant
    await ports.wallets.creditOnce(userId, 'gift', 5_000_000, 'adjustment', 'A gift', iso(world.clock.nowMs))
    return { ...tenant, ...(await newHook(tenant)) }
  }

  async function newHook({ userId }: Pick<Tenant, 'userId'>) {
    const { headers } = await world.session(userId)
    const sent = { method: 'POST', path: '/hooks', headers, body: { name: 'Builds', text: 'Look at what failed.' } }
    const { status, body } = await world.request(sent)
    if (status !== 201) throw new Error(`no hook was made: ${JSON.stringify(body)}`)
    return { id: body.hook.id as string, secret: body.secret as string, headers } // safe because the contract says so
  }

  const deliver = (id: string, headers: Headers, body = 'A build failed.', ip = '192.0.2.9') =>
    world.request({ method: 'POST', path: `/hooks/in/${id}`, headers: { ...headers, Origin: '' }, body, ip })

  const manage = (request: TestRequest) => world.request(request)

  /** The prompts of a user's agent. */
  const asked = async (userId: string) =>
    (await ports.conversations.messages(userId, { conversation: 'main', after: null, limit: 100 })).items.map(
      ({ text }) => text,
    )

  /** Headers of Standard Webhooks, made by its own library. */
  function standard(
    secret: string,
    body = 'A build failed.',
    { id = 'msg_1', atMs = world.clock.nowMs } = {},
  ): Headers {
    const signature = new Webhook(secret).sign(id, new Date(atMs), body)
    const time = String(Math.floor(atMs / 1000))
    return { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature }
  }

  /** GitHub's headers, signed by its own library. */
  const github = async (secret: string, body = 'A build failed.', delivery = 'delivery-1'): Promise<Headers> => ({
    'x-hub-signature-256': await signGithub(secret, body),
    'x-github-delivery': delivery,
    'x-github-event': 'workflow_run',
  })

  return { ...world, owner, newHook, deliver, manage, asked, standard, github }
}

export type HooksWorld = Awaited<ReturnType<typeof openHooksWorld>>

export const bearer = (secret: string): Headers => ({ authorization: `Bearer ${secret}` })

export const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text)
