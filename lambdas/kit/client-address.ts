import { isIP } from 'node:net'
import type { Edge } from '../../app/ports/tokens.ts'

/** CloudFront's viewer address, and the length of the viewer's body. Both count only with CloudFront's key. */
export const edgeHeaders = { key: 'x-berth-edge-key', viewer: 'x-berth-viewer', length: 'x-berth-length' } as const

/**
 * CloudFront's viewer, if the request carries CloudFront's key; otherwise the peer of API Gateway's connection. Anybody
 * can send these headers.
 */
export async function callerAddress(
  sourceIp: string,
  headers: Readonly<Record<string, string>>,
  edge: Edge | undefined,
): Promise<string> {
  const { [edgeHeaders.key]: key, [edgeHeaders.viewer]: viewer } = headers
  if (!edge || !key || !viewer || !isIP(viewer)) return addressOf(sourceIp)
  return addressOf((await edge.isKey(key)) ? viewer : sourceIp)
}

/** An IPv6 caller counts by its /64, which its provider assigns; an IPv4-mapped address counts as the IPv4 one. */
function addressOf(ip: string): string {
  if (isIP(ip) !== 6) return ip
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  if (mapped) return mapped
  const [head = '', tail = ''] = (ip.split('%')[0] ?? '').split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail.split(':').filter(Boolean)
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  const groups = [...left, ...zeros, ...right].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
