import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export const isKey = (given: unknown, key: string): boolean =>
  typeof given === 'string' && timingSafeEqual(digest(given), digest(key))

const digest = (text: string) => createHash('sha256').update(text).digest()

export const bearerOf = (headers: IncomingHttpHeaders): string | undefined =>
  /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]

/** Headers of one connection, or that must not pass between the runtime and the service. */
const hopByHop = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer', 'transfer-encoding'],
  ...['upgrade', 'host', 'expect', 'authorization', 'x-api-key', 'cookie', 'set-cookie', 'x-machine-token'],
])

type Headers = Record<string, string | string[] | undefined>

export const endToEnd = (headers: IncomingHttpHeaders): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)))
