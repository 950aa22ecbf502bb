import { type LookupAddress, lookup as resolve } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { BlockList, isIP, isIPv6 } from 'node:net'
import type { ClientDocuments } from '../../app/oauth/ports.ts'
import type { Env } from '../env.ts'

/** Bounds of one document: bytes, and milliseconds from the look-up of the name to the last byte. */
const most = { bytes: 10 * 1024, ms: 5_000 }

/** Networks that are not the public internet: IANA's special-purpose registries. */
const closed = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  closed.addSubnet(network, bits, 'ipv4')
// Of IPv6 only what is given out to the public, without the parts of it that are documentation or carry IPv4 inside.
const open = new BlockList()
open.addSubnet('2000::', 3, 'ipv6')
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  closed.addSubnet(network, bits, 'ipv6')

export const isPublicAddress = (address: string): boolean => {
  if (isIP(address) === 0) return false
  if (isIPv6(address)) return open.check(address, 'ipv6') && !closed.check(address, 'ipv6')
  return !closed.check(address, 'ipv4')
}

type Answer = (error: Error | null, addresses: LookupAddress[]) => void
type Resolve = (name: string, options: { all: true }, answer: Answer) => void

/**
 * The look-up that the connection itself uses, so that a name cannot mean another address by then. One closed address
 * among several refuses the name.
 */
export const guarded =
  (resolver: Resolve) =>
  (name: string, { all }: { all?: boolean }, answer: (error: Error | null, ...found: never[]) => void): void =>
    resolver(name, { all: true }, (error, addresses = []) => {
      const refused = addresses.length === 0 || addresses.some(({ address }) => !isPublicAddress(address))
      // safe because Node's connections take a list where they ask for `all`, else an address and its family
      const done = answer as (error: Error | null, ...found: unknown[]) => void
      if (error || refused) return done(error ?? new Error('this name leads to an address that is not public'))
      const [first] = addresses
      return all ? done(null, addresses) : done(null, first?.address, first?.family)
    })

const lookup = guarded(resolve)

/** One document. Redirects are not followed, for they could lead anywhere. @throws what is wrong with it */
export async function readDocument(address: string, fetchPage = getOverTls): Promise<unknown> {
  const url = new URL(address)
  // An address written as numbers is connected to without a look-up.
  if (url.protocol !== 'https:' || isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0)
    throw new Error('not a name over https')
  const response = await fetchPage(url, AbortSignal.timeout(most.ms))
  try {
    const type = response.headers['content-type'] ?? ''
    if (response.statusCode !== 200 || !/^application\/([\w.-]+\+)?json\b/i.test(type))
      throw new Error('no JSON document')
    const parts: Buffer[] = []
    let bytes = 0
    for await (const part of response) {
      bytes += part.length
      if (bytes > most.bytes) throw new Error('too long')
      parts.push(part)
    }
    return JSON.parse(Buffer.concat(parts).toString('utf8'))
  } finally {
    response.destroy()
  }
}

const getOverTls = (url: URL, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((done, failed) => {
    const headers = { accept: 'application/json' }
    get(url, { lookup, signal, headers, agent: false }, done).on('error', failed)
  })

export const clientDocuments = (_env: Env): ClientDocuments => ({
  read: (address) => readDocument(address).catch(() => null),
})
