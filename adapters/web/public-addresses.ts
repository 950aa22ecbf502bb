import type { LookupAddress } from 'node:dns'
import { BlockList, isIP, isIPv6 } from 'node:net'

/** Not the public internet: IANA's special-purpose registries. */
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
// Public IPv6 allocations, without the ranges for documentation or with an embedded IPv4 address.
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

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

export const isLoopback = (address: string): boolean =>
  isIP(address) !== 0 && loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

/** The IP address in a URL; null for a host name. */
export const literalAddress = ({ hostname }: URL): string | null => {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return isIP(bare) === 0 ? null : bare
}

export class RefusedAddress extends Error {}

export type Resolve = (name: string) => Promise<LookupAddress[]>

/** The connection itself uses this look-up, so the check holds. One refused address refuses the name. */
export const guardedLookup =
  (resolve: Resolve, allows: (address: string) => boolean) =>
  (name: string, { all }: { all?: boolean }, answer: (error: Error | null, ...found: never[]) => void): void => {
    // safe because Node's connections take a list where they ask for `all`, else an address and its family
    const done = answer as (error: Error | null, ...found: unknown[]) => void
    resolve(name).then((addresses) => {
      const [first] = addresses
      if (!first || !addresses.every(({ address }) => allows(address)))
        return done(new RefusedAddress('this name leads to an address that is not public'))
      return all ? done(null, addresses) : done(null, first.address, first.family)
    }, done)
  }
