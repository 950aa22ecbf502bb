import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { byId, record } from '../kit/records.ts'
import type { Storage } from '../kit/storage.ts'
import type { Channel, Code, Message, ResponseUrl, StoredFile, Team, User } from './records.ts'

const state = z.object({
  teams: byId<Team>(),
  users: byId<User>(),
  channels: byId<Channel>(),
  files: byId<StoredFile>(),
  messages: z.array(record<Message>()).default(() => []),
  responseUrls: byId<ResponseUrl>(),
  codes: byId<Code>(),
  /** The last `ts` that was given, in microseconds. */
  lastMicros: z.number().default(0),
})

export interface Store {
  value: z.infer<typeof state>
  /** Raised by each change: what shows the state asks for what is newer. */
  version: number
  /**
   * The status shown for the app, by channel and thread: `C1 1700000000.000001` → its words. Gone after two minutes.
   */
  statuses: Map<string, { text: string; atMs: number }>
  now(): number
  save(): void
}

export function openStore(storage: Storage, now: () => number): Store {
  const store: Store = {
    value: state.parse(storage.load() ?? {}),
    version: 1,
    statuses: new Map(),
    now,
    save() {
      store.version += 1
      storage.save(store.value)
    },
  }
  return store
}

/** `T`, `U`, `C` … and ten capital letters and digits. */
export const newId = (prefix: string): string =>
  prefix +
  randomBytes(10)
    .toString('base64')
    .replaceAll(/[^A-Za-z0-9]/g, 'X')
    .toUpperCase()
    .slice(0, 10)

export const secret = (bytes = 18): string => randomBytes(bytes).toString('base64url')

/** The time of now, and later than every one before. */
export function nextTs(store: Store): string {
  store.value.lastMicros = Math.max(store.now() * 1000, store.value.lastMicros + 1)
  const micros = String(store.value.lastMicros).padStart(16, '0')
  return `${micros.slice(0, -6)}.${micros.slice(-6)}`
}

export const findMessage = ({ value }: Store, channel: string, ts: string): Message | undefined =>
  value.messages.find((message) => message.channel === channel && message.ts === ts)

/** Messages kept in all; older ones are forgotten. */
const messagesKept = 5_000

export function keepMessage({ value }: Store, message: Message): void {
  value.messages.push(message)
  if (value.messages.length > messagesKept) value.messages.splice(0, value.messages.length - messagesKept)
}

export const teamOf = ({ value }: Store, token: string): Team | undefined =>
  token === '' ? undefined : Object.values(value.teams).find((team) => team.token === token)
