import type { LookupAddress } from 'node:dns'
import { BlockList, isIP, isIPv6 } from 'node:net'

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
// In IPv6 only addresses that are allocated to the public, without the ranges for documentation or with an IPv4 address
// inside.
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

/** Whether an address is this machine's own. */
export const isLoopback = (address: string): boolean =>
  isIP(address) !== 0 && loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

/** The address that a URL names itself, without a look-up; null when it names a host. */
export const literalAddress = ({ hostname }: URL): string | null => {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return isIP(bare) === 0 ? null : bare
}

/** An address that we do not connect to. */
export class RefusedAddress extends Error {}

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<LookupAddress[]>

/**
 * The look-up that the connection itself uses, so that a name cannot mean another address by then. One closed address
 * among several refuses the name.
 */
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
