import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { responseTo } from '../kit/http.ts'
import { type Address, addressOf, always, internet, type Web } from '../kit/internet.ts'
import { request as httpRequest } from '../kit/node-http.ts'
import { decoded } from '../kit/text.ts'
import { ToolError } from './tool.ts'

const maxRedirects = 5
const maxBytes = 512 * 1024
const maxMs = 20_000

/** Reads a public page as text; all addresses of its name, and redirects, must be public. @throws ToolError */
export async function fetchPage(address: string, web: Web = internet): Promise<string> {
  const deadline = AbortSignal.timeout(maxMs)
  let url = parse(address)
  for (let hops = 0; hops <= maxRedirects; hops++) {
    const response = await ask(url, await checked(url, web), deadline)
    const { statusCode: status = 0, headers } = response
    if (status < 300 || status >= 400 || !headers.location) {
      const text = await read(response, deadline)
      const type = headers['content-type'] ?? ''
      return `HTTP ${status} ${type}\n\n${/\bhtml\b/.test(type) ? wordsOf(text) : text}`
    }
    response.destroy()
    url = parse(headers.location, url)
  }
  throw new ToolError('There are too many redirects.')
}

function parse(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw new ToolError('It is not an address.')
  const url = new URL(text, base)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new ToolError('Only http and https are fetched.')
  if (url.username || url.password) throw new ToolError('An address may not carry a password.')
  return url
}

async function checked({ hostname }: URL, web: Web): Promise<Address> {
  const address = await addressOf(hostname.replace(/^\[|\]$/g, ''), web)
  if (address === 'none') throw new ToolError('There is no such host.')
  if (address === 'closed') throw new ToolError('That host is not on the open internet.')
  return address
}

function ask(url: URL, address: Address, signal: AbortSignal) {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const request = send(url, {
    signal,
    agent: false,
    headers: {
      'user-agent': 'berth-agent',
      accept: 'text/*, application/json;q=0.9, */*;q=0.1',
      'accept-encoding': 'identity',
    },
    lookup: always(address),
  })
  request.end()
  return responseTo(request).catch(() => {
    throw new ToolError(signal.aborted ? 'It took too long.' : 'It cannot be reached.')
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
    throw new ToolError(signal.aborted ? 'It took too long.' : 'The connection broke.')
  }
  const text = decoded(Buffer.concat(parts).subarray(0, maxBytes), size <= maxBytes)
  return size > maxBytes ? `${text}\n[cut: it is longer than ${maxBytes} bytes]` : text
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** The text of a page with its links. Patterns look only a short way ahead, so a hostile page takes no longer. */
export const wordsOf = (html: string): string =>
  html
    .replace(/<!--.*?(-->|$)/gs, '')
    .replace(/<(script|style|svg|template|noscript)\b.*?(<\/\1\s*>|$)/gis, ' ')
    .replace(/<a\b[^<>]{0,1000}?\bhref="(https?:[^"<>]{0,1000})"[^<>]{0,1000}>(.{0,500}?)<\/a>/gis, '$2 ($1)')
    .replace(/<\/?(p|div|br|li|tr|h[1-6]|section|article|table|ul|ol|title|pre|blockquote)\b[^<>]*>/gi, '\n')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,20}));/gi, (whole, decimal, hex, name) => {
      const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : null
      if (code === null) return Object.hasOwn(entities, name) ? (entities[name] ?? whole) : whole
      return code <= 0x10ffff ? String.fromCodePoint(code) : ''
    })
    .replace(/[ \t\r]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim()
