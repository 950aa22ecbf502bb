import { PlatformError } from '../../app/ports/chat-platform.ts'
import { problemOf, reach } from './api.ts'

const hosts = ['https://cdn.discordapp.com', 'https://media.discordapp.net']

/** Fetches only from Discord's hosts, and without our token, because the address is signed. */
export async function fetchAttachment(ref: string, apiBase: string | null, maxBytes: number): Promise<Uint8Array> {
  const url = URL.parse(ref)
  const allowed = apiBase ? [new URL(apiBase).origin] : hosts
  if (!url || !allowed.includes(url.origin)) throw new PlatformError('refused', 'The file is not with Discord')
  const answer = await reach(url, {})
  if (!answer.ok) {
    await answer.body?.cancel()
    throw problemOf(answer, null)
  }
  return readAtMost(answer, maxBytes)
}

async function readAtMost({ body }: Response, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const part of body ?? []) {
      bytes += part.length
      if (bytes > maxBytes) break
      parts.push(part)
    }
  } catch {
    throw new PlatformError('unavailable', 'Discord did not send the whole file')
  }
  if (bytes > maxBytes) throw new PlatformError('refused', `The file is larger than ${maxBytes} bytes`)
  return Buffer.concat(parts)
}
