import { lookup } from 'node:dns/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { isPublic } from './addresses.ts'
import { Refused } from './folder.ts'

const maxRedirects = 5
const maxBytes = 512 * 1024
const maxMs = 20_000

type Resolve = (host: string) => Promise<{ address: string; family: number }[]>

export interface Web {
  resolve: Resolve
  allowed(address: string): boolean
}

export const internet: Web = { resolve: (host) => lookup(host, { all: true }), allowed: isPublic }

/**
 * Reads a page of the open internet as text. Every address a name stands for must be public, the connection goes to
 * one that was checked, and a redirect is checked like the first. @throws Refused
 */
export async function fetchPage(address: string, web: Web = internet): Promise<string> {
  const deadline = AbortSignal.timeout(maxMs)
  let url = parse(address)
  for (let hops = 0; hops <= maxRedirects; hops++) {
    const response = await ask(url, await checked(url, web), deadline)
    const { statusCode: status = 0, headers } = response
    if (status < 300 || status >= 400 || !headers.location) {
      const text = await read(response, deadline)
      return `HTTP ${status} ${headers['content-type'] ?? ''}\n\n${text}`
    }
    response.destroy()
    url = parse(headers.location, url)
  }
  throw new Refused('There are too many redirects.')
}

function parse(text: string, base?: URL): URL {
  if (!URL.canParse(text, base)) throw new Refused('It is not an address.')
  const url = new URL(text, base)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Refused('Only http and https are fetched.')
  if (url.username || url.password) throw new Refused('An address may not carry a password.')
  return url
}

async function checked({ hostname }: URL, { resolve, allowed }: Web): Promise<{ address: string; family: number }> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const found = isIP(host) ? [{ address: host, family: isIP(host) }] : await resolve(host).catch(() => [])
  const [first] = found
  if (!first) throw new Refused('There is no such host.')
  if (!found.every(({ address }) => allowed(address))) throw new Refused('That host is not on the open internet.')
  return first
}

function ask(url: URL, { address, family }: { address: string; family: number }, signal: AbortSignal) {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise<IncomingMessage>((resolve, reject) => {
    const request = send(url, {
      signal,
      agent: false,
      headers: {
        'user-agent': 'berth-agent',
        accept: 'text/*, application/json;q=0.9, */*;q=0.1',
        'accept-encoding': 'identity',
      },
      // The name is not asked for again: between two answers it may come to stand for something else.
      lookup: (_, options, found) => (options.all ? found(null, [{ address, family }]) : found(null, address, family)),
    })
    request.once('response', resolve)
    request.once('error', () => reject(new Refused(signal.aborted ? 'It took too long.' : 'It cannot be reached.')))
    request.end()
  })
}

async function read(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of response) {
      parts.push(part)
      size += part.length
      if (size > maxBytes) break
    }
  } catch {
    throw new Refused(signal.aborted ? 'It took too long.' : 'The connection broke.')
  }
  const text = Buffer.concat(parts).subarray(0, maxBytes).toString('utf8')
  return size > maxBytes ? `${text}\n[cut: it is longer than ${maxBytes} bytes]` : text
}
