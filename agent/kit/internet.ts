import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

export interface Address {
  address: string
  family: number
}

export interface Web {
  resolve(host: string): Promise<Address[]>
  allowed(address: string): boolean
}

export const internet: Web = { resolve: (host) => lookup(host, { all: true }), allowed: isPublic }

/** The address to connect to: every address of the name must be public. `none`: no such host; `closed`: not public. */
export async function addressOf(host: string, { resolve, allowed }: Web): Promise<Address | 'none' | 'closed'> {
  const addresses = isIP(host) ? [{ address: host, family: isIP(host) }] : await resolve(host).catch(() => [])
  const [first] = addresses
  if (!first) return 'none'
  return addresses.every(({ address }) => allowed(address)) ? first : 'closed'
}

type Lookup = (
  host: string,
  options: { all?: boolean | undefined },
  found: (error: null, address: string | Address[], family?: number) => void,
) => void

/** Resolves to the checked address, because a second look-up may give another one. */
export const always =
  ({ address, family }: Address): Lookup =>
  (_, options, found) =>
    options.all ? found(null, [{ address, family }]) : found(null, address, family)

/** Addresses outside the open internet: this machine, its neighbours, its host's metadata, and reserved ranges. */
const closed4 = subnets('ipv4', [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
])

/** Only IPv6 addresses allocated for the internet are open; this also excludes ranges that lead to IPv4. */
const open6 = subnets('ipv6', ['2000::/3'])
const closed6 = subnets('ipv6', ['2001::/23 2001:db8::/32 2002::/16 3fff::/20'])

function subnets(type: 'ipv4' | 'ipv6', lines: string[]): BlockList {
  const list = new BlockList()
  for (const subnet of lines.join(' ').split(' ')) {
    const [net = '', bits] = subnet.split('/')
    list.addSubnet(net, Number(bits), type)
  }
  return list
}

export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !closed4.check(address, 'ipv4')
  return isIP(address) === 6 && open6.check(address, 'ipv6') && !closed6.check(address, 'ipv6')
}
