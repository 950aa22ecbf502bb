import { growReply } from '../../../app/channels/deliver.ts'
import { sweepChannels } from '../../../app/channels/sweep.ts'
import type { Chat, Happening, Inbound, Person } from '../../../domain/channels/inbound.ts'
import type { Platform } from '../../../domain/channels/platform.ts'
import { promptIdOf } from '../../../domain/chat/names.ts'
import type { InstanceRecord } from '../../../domain/instance/instance.ts'
import { iso, minuteMs } from '../../../domain/time.ts'
import { agentArea } from '../../../lambdas/agent/index.ts'
import { channelJobsArea } from '../../../lambdas/channel-jobs/index.ts'
import { channelsArea } from '../../../lambdas/channels/index.ts'
import { chatArea } from '../../../lambdas/chat/index.ts'
import { openWorld, type Tenant } from '../../world.ts'
import { simplePlatform } from './simple-platform.ts'

/**
 * People who talk to their agents on a platform, and the platform's view.
 * @param simple the platforms that are not the service's own adapters
 */
export async function openChannelsWorld(simple: readonly Platform[] = ['telegram']) {
  const platform = simplePlatform()
  const world = await openWorld({
    areas: [channelsArea, channelJobsArea, agentArea, chatArea],
    ports: ['audit'],
    replace: () => Object.fromEntries(simple.map((name) => [name, platform.port])),
  })
  const { ports, clock } = world
  let happened = 0

  const direct = (name: string, on: Platform = 'telegram'): Chat => ({
    platform: on,
    id: `chat-${name}`,
    kind: 'direct',
  })
  const group: Chat = { platform: 'telegram', id: 'group-1', kind: 'group', title: 'Trip' }
  const person = (name: string): Person => ({ id: `person-${name}`, name, bot: false })

  /** Sends this to the webhook; the same `id` is the same event. */
  async function tell(chat: Chat, who: Person, what: Happening, id = String(++happened).padStart(12, '0')) {
    const inbound: Inbound = { id, chat, person: who, context: {}, at: iso(clock.nowMs), what }
    const headers = { 'X-Test': 'secret', Origin: undefined }
    return world.request({
      method: 'POST',
      path: `/webhooks/${chat.platform}`,
      headers,
      body: JSON.stringify([inbound]),
    })
  }
  const message = (text: string, change: object = {}): Happening => ({
    kind: 'message',
    text,
    files: [],
    addressed: true,
    ...change,
  })
  const say = (name: string, text: string, id?: string, on?: Platform) =>
    tell(direct(name, on), person(name), message(text), id)
  const command = (name: string, asked: string, argument = '', chat = direct(name)) =>
    tell(chat, person(name), { kind: 'command', name: asked, argument })

  /** Processes the waiting deliveries, like the sweep a minute later. */
  async function work() {
    clock.nowMs += 2 * minuteMs
    await sweepChannels(ports, clock.nowMs)
    await sweepChannels(ports, clock.nowMs)
  }

  /** A user with money and a machine whose direct chat is linked. */
  async function linked(
    name: string,
    change: Partial<InstanceRecord> = {},
    on?: Platform,
  ): Promise<Tenant & { headers: object }> {
    const tenant = await world.tenant(change)
    const { userId } = tenant
    await ports.wallets.creditOnce(userId, 'gift', 5_000_000, 'adjustment', 'A gift', iso(clock.nowMs))
    const { headers } = await world.session(userId)
    await command(name, 'start', await newCode(headers), direct(name, on))
    await work()
    return { ...tenant, headers }
  }

  async function newCode(headers: Record<string, string>): Promise<string> {
    const { status, body } = await world.request({ method: 'POST', path: '/channels/codes', headers })
    if (status !== 201) throw new Error(`no code: ${JSON.stringify(body)}`)
    return body.code
  }

  /** The prompts and replies of a user's agent, oldest first. */
  const talk = async (userId: string, conversation = 'main') =>
    (await ports.conversations.messages(userId, { conversation, after: null, limit: 100 })).items

  /** The agent's machine takes its next prompt. */
  async function take({ userId, instance }: Tenant) {
    const wanted = { prompts: true, tasks: false }
    const { prompt } = await ports.conversations.next(userId, instance.generation, clock.nowMs, wanted)
    return prompt
  }

  /** The agent's machine reports. */
  async function observe(tenant: Tenant, body: object) {
    const headers = await world.machine(tenant, 'agent')
    const { status, body: answer } = await world.request({ method: 'POST', path: '/agent/observe', headers, body })
    if (status !== 200) throw new Error(`refused: ${status} ${JSON.stringify(answer)}`)
    return answer
  }

  /** A requested machine has started. */
  async function woken(tenant: Tenant): Promise<Tenant> {
    const asleep = await ports.instances.find(tenant.userId)
    if (!asleep) throw new Error('there is no instance')
    const instance: InstanceRecord = { ...asleep, state: 'running', deadlineMs: null }
    await ports.instances.save(instance, asleep)
    return { ...tenant, instance }
  }

  const shownIn = (chat: Chat) => platform.shown.filter((message) => message.chat === chat.id)
  const textsIn = (chat: Chat) => shownIn(chat).map(({ text }) => text)
  const grow = (tenant: Tenant, messageId: string) =>
    growReply(ports, tenant.userId, promptIdOf(messageId), clock.nowMs)

  return {
    ...world,
    platform,
    direct,
    group,
    person,
    tell,
    message,
    say,
    command,
    work,
    linked,
    newCode,
    talk,
    take,
    woken,
    observe,
    shownIn,
    textsIn,
    grow,
  }
}

export type ChannelsWorld = Awaited<ReturnType<typeof openChannelsWorld>>
