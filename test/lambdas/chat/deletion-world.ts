import { createHash } from 'node:crypto'
import { paginateScan } from '@aws-sdk/client-dynamodb'
import { database } from '../../../adapters/dynamo/client.ts'
import { fromItem } from '../../../adapters/dynamo/item.ts'
import { type TableName, tables } from '../../../adapters/dynamo/tables.ts'
import { sweepOutbox } from '../../../app/follow-ups/sweep.ts'
import { canonicalJson } from '../../../domain/chat/question.ts'
import { iso, minuteMs } from '../../../domain/time.ts'
import { chatArea } from '../../../lambdas/chat/index.ts'
import { notificationsArea } from '../../../lambdas/notifications/index.ts'
import { outboxArea } from '../../../lambdas/outbox/index.ts'
import { type AgentTenant, openAgentWorld } from '../agent/agent-world.ts'

/** The only tables that may still name a deleted conversation: they contain ids and no words. */
const lasting: ReadonlySet<TableName> = new Set(['audit', 'wallets'])

/** Conversations whose every text contains one word, so that all that is stored or answered shows what is left. */
export async function openDeletionWorld() {
  const world = await openAgentWorld([chatArea, outboxArea, notificationsArea])
  const person = (tenant: AgentTenant) => (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
    world.person(method, path, tenant.userId, body)

  async function start(tenant: AgentTenant, word: string): Promise<string> {
    return (await person(tenant)('POST', '/chat/conversations', { title: word })).body.conversation.id
  }

  const send = (tenant: AgentTenant, conversation: string, text: string) =>
    person(tenant)('POST', '/chat/messages', { conversation, text })

  const take = async (tenant: AgentTenant) => (await tenant.call('/agent/prompt')).body.prompt

  const observe = (tenant: AgentTenant, body: object) => tenant.call('/agent/observe', { body })

  async function notify({ userId }: AgentTenant, page: string, once: string, word: string): Promise<void> {
    const record = {
      id: world.nextId('ntf'),
      kind: 'reply-ended' as const,
      at: iso(world.clock.nowMs),
      facts: { text: word },
      page,
    }
    const added = { record, group: 'chat', once, isUnread: true, nowRead: [] }
    await world.ports.notifications.add(userId, added, 100)
  }

  /** A conversation with a reply, steps, questions, files, notifications, and a prompt under way. */
  async function filled(tenant: AgentTenant, word: string): Promise<string> {
    const id = await start(tenant, word)
    const attachment = await upload(tenant, `${word}.txt`)
    await person(tenant)('POST', '/chat/messages', { conversation: id, text: word, attachments: [attachment] })
    const first = await take(tenant)
    await observe(tenant, { kind: 'activity', promptId: first.id, activities: [step(word)] })
    await observe(tenant, {
      kind: 'question',
      key: world.nextId('msg'),
      promptId: first.id,
      text: word,
      answer: 'approve',
    })
    await observe(tenant, { kind: 'reply', promptId: first.id, text: `${word} answered` })
    await tenant.call('/agent/feedback', { body: { promptId: first.id, outcome: 'completed' } })
    await observe(tenant, { kind: 'message', key: world.nextId('msg'), text: word, conversation: id })
    await notify(tenant, `/?conversation=${id}`, `reply ${first.id}`, word)
    await notify(tenant, '/', `failed ${first.id}`, word)
    await send(tenant, id, `${word} under way`)
    const second = await take(tenant)
    await observe(tenant, { kind: 'activity', promptId: second.id, activities: [step(word)] })
    await send(tenant, id, `${word} waiting`)
    return id
  }

  async function upload(tenant: AgentTenant, name: string): Promise<string> {
    const bytes = Buffer.from(name)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const described = { name, type: 'text/plain', bytes: bytes.length, sha256 }
    const { attachment, upload } = (await person(tenant)('POST', '/chat/attachments', described)).body
    await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: bytes })
    return attachment.id
  }

  /** The answers of all reads that a deletion changes at once, also if its function dies. */
  async function readable(tenant: AgentTenant, conversation: string): Promise<string> {
    const ask = person(tenant)
    const { items } = await world.ports.conversations.everyMessage(tenant.userId, { after: null, limit: 100 })
    const answers = await Promise.all(
      [
        '/chat/conversations?limit=100',
        '/chat/messages',
        `/chat/messages?conversation=${conversation}`,
        '/chat/questions',
      ].map((path) => ask('GET', path)),
    )
    return JSON.stringify([items, ...answers.map(({ body }) => body)])
  }

  /** The answers of the reads that follow when everything is erased. */
  async function readableLater(tenant: AgentTenant, messageIds: readonly string[]): Promise<string> {
    const paths = ['/notifications', ...messageIds.map((id) => `/chat/messages/${id}/activities`)]
    const answers = await Promise.all(paths.map((path) => person(tenant)('GET', path)))
    return JSON.stringify([...answers.map(({ body }) => body), await tenant.events()])
  }

  /** All stored items, except those that count money or record acts. */
  async function stored(): Promise<string[]> {
    const rows: string[] = []
    for (const name of Object.keys(tables) as TableName[]) {
      if (lasting.has(name)) continue
      const pages = paginateScan({ client: database() }, { TableName: world.env.table(name), ConsistentRead: true })
      for await (const { Items = [] } of pages)
        for (const item of Items) rows.push(`${name} ${canonicalJson(fromItem(item))}`)
    }
    return rows
  }

  /** The outbox repeats the erasure a minute later. */
  async function sweep(): Promise<void> {
    world.clock.nowMs += 6 * minuteMs
    await sweepOutbox(world.ports, world.clock.nowMs)
  }

  return {
    ...world,
    person,
    start,
    send,
    take,
    observe,
    upload,
    filled,
    readable,
    readableLater,
    stored,
    sweep,
    notify,
  }
}

export const step = (word: string) => ({ id: word, tool: 'shell', state: 'started', target: word })

export type DeletionWorld = Awaited<ReturnType<typeof openDeletionWorld>>
