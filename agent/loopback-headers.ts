import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** Whether this is the loopback's key. */
export const isKey = (given: unknown, key: string): boolean =>
  typeof given === 'string' && timingSafeEqual(digest(given), digest(key))

const digest = (text: string) => createHash('sha256').update(text).digest()

export const bearerOf = (headers: IncomingHttpHeaders): string | undefined =>
  /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]

/** Headers that belong to one connection, or that must not pass between the runtime and who is asked. */
const hopByHop = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer', 'transfer-encoding'],
  ...['upgrade', 'host', 'expect', 'authorization', 'x-api-key', 'cookie', 'set-cookie', 'x-machine-token'],
])

type Headers = Record<string, string | string[] | undefined>

export const endToEnd = (headers: IncomingHttpHeaders): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)))
