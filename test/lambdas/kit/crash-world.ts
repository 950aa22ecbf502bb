import { paginateScan } from '@aws-sdk/client-dynamodb'
import { database } from '../../../adapters/dynamo/client.ts'
import { fromItem } from '../../../adapters/dynamo/item.ts'
import { type TableName, tables } from '../../../adapters/dynamo/tables.ts'
import type { PasskeyCeremony } from '../../../app/ports/account.ts'
import type { Payments } from '../../../app/ports/billing.ts'
import { instanceFolder } from '../../../domain/files/storage.ts'
import { areas } from '../../../lambdas/areas.ts'
import { intercept } from '../../adapters/engine.ts'
import { openWorld, type Tenant } from '../../world.ts'

const writes = new Set([
  'PutItemCommand',
  'UpdateItemCommand',
  'DeleteItemCommand',
  'BatchWriteItemCommand',
  'TransactWriteItemsCommand',
])

/** The process: once dead it reaches neither the store nor any other service. */
const process = { left: Number.POSITIVE_INFINITY, dead: false }

async function step<T>(isWrite: boolean, send: () => Promise<T>): Promise<T> {
  if (process.dead) throw new Error('killed')
  const done = await send()
  if (isWrite && --process.left === 0) process.dead = true
  if (process.dead) throw new Error('killed')
  return done
}

/** Runs a function in a process that dies right after its n-th write. False when the function ended before that. */
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

/** The port's methods that write outside the store; the process may die after each. */
const outside = <P extends object>(port: P, verbs: readonly (keyof P)[]): P => {
  const wrapped = verbs.map((verb) => {
    const act = port[verb] as (...args: unknown[]) => Promise<unknown> // safe because only functions are named
    return [verb, (...args: unknown[]) => step(true, () => act(...args))]
  })
  return { ...port, ...Object.fromEntries(wrapped) }
}

/** A provider that accepts everything. */
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

/** Accepts every response of an authenticator. */
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

/**
 * All areas over the store and the local AWS. A user's stored data is readable as text without differences in ids and
 * times.
 */
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
      passkeyCeremony: believing as PasskeyCeremony, // safe because no test here requests options
      bus: outside(bus, ['publish']),
      // safe because no test here uses another of its methods
      payments: outside(payments as Payments, ['draftCharge', 'payCharge', 'cancelSubscription']),
    }),
  })

  /** Reads everything stored now and returns a user's part: items, e-mails, timers and objects. */
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
      // A short-lived code or challenge may be wasted, token places are recounted when needed, and the progress of the
      // books check belongs to no user.
      const passing = ['"challenge#', '"list":"books"', '"places#']
      const lasting = own.filter((text) => !passing.some((part) => text.includes(part)))
      return [...lasting, ...objects].map(leveled).sort()
    }
  }

  return { ...world, snapshot }
}

export type CrashWorld = Awaited<ReturnType<typeof openCrashWorld>>

/** Notices for open streams, short-lived codes and samples, and counts of rate windows. */
const untold = new Set<TableName>(['events', 'logins', 'rates', 'samples'])
const isCount = (key: string) =>
  /^(w_|ttl$|lastUsedAt|counter|lastSeenAt|expiresAt|lastActivityAt|attendedAt|writtenBy|revokedBy|dueAt|closedBy)/.test(
    key,
  )

/** JSON with sorted keys and without counts. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(
      Object.entries(inner)
        .filter(([key]) => !isCount(key))
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    )
  })

/** Replaces ids, hashes, encrypted values and times, so that they are equal in every run. */
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
