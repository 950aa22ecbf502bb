import { paginateScan } from '@aws-sdk/client-dynamodb'
import { database } from '../../../adapters/dynamo/client.ts'
import { fromItem } from '../../../adapters/dynamo/item.ts'
import { type TableName, tables } from '../../../adapters/dynamo/tables.ts'
import type { PasskeyCeremony } from '../../../app/account/ports.ts'
import type { Payments } from '../../../app/billing/ports.ts'
import { instanceFolder } from '../../../domain/files/storage.ts'
import { areas } from '../../../lambdas/areas.ts'
import { intercept } from '../../adapters/engine.ts'
import { openWorld, type Tenant } from '../../world.ts'

const writes = new Set(['PutItemCommand', 'UpdateItemCommand', 'DeleteItemCommand', 'TransactWriteItemsCommand'])

/** What stands for the process: once dead it reaches nothing any more, neither the store nor anything beside it. */
const process = { left: Number.POSITIVE_INFINITY, dead: false }

async function step<T>(isWrite: boolean, send: () => Promise<T>): Promise<T> {
  if (process.dead) throw new Error('killed')
  const done = await send()
  if (isWrite && --process.left === 0) process.dead = true
  if (process.dead) throw new Error('killed')
  return done
}

/** Runs something in a process that dies right after its n-th write. False when it ended before. */
export async function dying(afterWrites: number, run: () => Promise<unknown>): Promise<boolean> {
  Object.assign(process, { left: afterWrites, dead: false })
  const off = intercept((send, commandName) => step(writes.has(commandName), send))
  try {
    await run().catch(() => undefined)
    return process.dead
  } finally {
    off()
    Object.assign(process, { left: Number.POSITIVE_INFINITY, dead: false })
  }
}

/** The verbs of a port that go elsewhere than to the store, each a write after which the process may die. */
const outside = <P extends object>(port: P, verbs: readonly (keyof P)[]): P => {
  const wrapped = verbs.map((verb) => {
    const act = port[verb] as (...args: unknown[]) => Promise<unknown> // safe because only functions are named
    return [verb, (...args: unknown[]) => step(true, () => act(...args))]
  })
  return { ...port, ...Object.fromEntries(wrapped) }
}

/** A provider that says yes. */
const page = async () => ({ sessionId: 'cs_1', url: 'https://pay.example.com', expiresAt: '2026-11-20T13:00:00.000Z' })
const payments: Partial<Payments> = {
  customer: async () => 'cus_1',
  topUpPage: page,
  planPage: page,
  portal: async () => ({ url: 'https://pay.example.com' }),
  draftCharge: async () => 'in_1',
  payCharge: async () => 'paid',
  cancelSubscription: async () => {},
  invoices: async () => ({ items: [], next: null }),
}

/** Takes every answer of an authenticator for genuine. */
const believing: Partial<PasskeyCeremony> = {
  challengeOf: ({ response }) => String(response.challenge),
  verifyRegistration: async ({ id }) => ({
    credentialId: id,
    publicKey: 'AA',
    counter: 0,
    transports: [],
    synced: false,
  }),
  verifyAuthentication: async () => ({ counter: 1 }),
}

/** All areas over the store and the local AWS, with what is kept of a user readable as text in which no id or time is told apart. */
export async function openCrashWorld() {
  const mails = new Set<string>()
  const timers = new Map<string, string>()
  const world = await openWorld({
    areas,
    clock: 'running',
    replace: ({ mail, storage, bus }) => ({
      mail: outside(
        {
          async send(letter) {
            await mail.send(letter)
            mails.add(`mail to ${letter.to}: ${letter.subject}`)
          },
        },
        ['send'],
      ),
      timers: outside(
        {
          set: async (userId, { id, cron }) => void timers.set(id, `timer ${id} of ${userId}: ${cron}`),
          remove: async (id) => void timers.delete(id),
        },
        ['set', 'remove'],
      ),
      storage: outside(storage, ['remove']),
      passkeyCeremony: believing as PasskeyCeremony, // safe because no test here asks for options
      bus: outside(bus, ['publish']),
      payments: outside(payments as Payments, ['draftCharge', 'payCharge', 'cancelSubscription']), // safe because no test here asks for another of its verbs
    }),
  })

  /** Reads all that is kept now; answers what a user has of it: items, mails, timers and objects. */
  async function snapshot(): Promise<(tenant: Tenant) => Promise<string[]>> {
    const rows: string[] = []
    for (const name of Object.keys(tables) as TableName[]) {
      if (untold.has(name)) continue
      const pages = paginateScan({ client: database() }, { TableName: world.env.table(name) })
      for await (const { Items = [] } of pages) for (const item of Items) rows.push(`${name} ${textOf(fromItem(item))}`)
    }
    const known = [...rows, ...mails, ...timers.values()].map((text) => [text, text.toLowerCase()] as const)
    return async ({ userId, instance }) => {
      const objects: string[] = []
      for await (const key of world.ports.storage.list(instanceFolder(instance.id))) objects.push(`object ${key}`)
      const mark = userId.toLowerCase()
      const own = known.filter(([, lower]) => lower.includes(mark)).map(([text]) => text)
      // A code or challenge of minutes may be spent in vain, the places of tokens are counted again when needed, and the progress
      // of the check of the books belongs to nobody.
      const passing = ['"challenge#', '"list":"books"', '"places#']
      const lasting = own.filter((text) => !passing.some((part) => text.includes(part)))
      return [...lasting, ...objects].map(leveled).sort()
    }
  }

  return { ...world, snapshot }
}

export type CrashWorld = Awaited<ReturnType<typeof openCrashWorld>>

/** Notices for streams that are open now, codes and measurements of minutes, and counts of windows. */
const untold = new Set<TableName>(['events', 'logins', 'rates', 'samples'])
const isCount = (key: string) =>
  /^(w_|ttl$|lastUsedAt|counter|lastSeenAt|expiresAt|lastActivityAt|attendedAt|writtenBy|revokedBy|dueAt|closedBy)/.test(
    key,
  )

/** JSON whose keys are in order, without counts. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(
      Object.entries(inner)
        .filter(([key]) => !isCount(key))
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    )
  })

/** Ids, hashes, sealed values and times look alike in every run. */
const leveled = (text: string): string =>
  text
    .replace(/\b([a-z]{3,4})_[0-9A-Za-z_-]{16,}/gi, '$1_…')
    .replace(/own-\w+/g, 'own-…')
    .replace(/code#[\w-]+/g, 'code#…')
    .replace(/\b(in|out)\.[\w-]{16,}/g, '$1.…')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replace(/\b17\d{11}\b/g, 'ms')
    .replace(/"(iv|key|tag|text|hash|salt)":"[\w+/=-]{6,}"/g, '"$1":"…"')
    .replace(/"(dueShard|shard)":"[\w-]+"/g, '"$1":"…"')
    .replace(/oss_\w+/g, 'oss_…')
    .replace(/"version":"[\da-f-]{36}"/g, '"version":"…"')
    .replace(/"leasedBy":"[\w-]+"/g, '"leasedBy":"…"')
    .replace(/"durationMs":\d+/g, '"durationMs":…')
    .replace(/: \d{6} is your/g, ': … is your')
