/** The parameters of a call: JSON, a form, a form with files, or a query. */
import type { IncomingMessage } from 'node:http'
import { ApiFailure, bad } from '../errors.ts'

/** Bytes of a request: a file of 50 MB, and what goes with it. */
const MOST_BYTES = 51 * 1024 * 1024

export async function readParameters(request: IncomingMessage, query: URLSearchParams) {
  const body = await readBody(request)
  const type = request.headers['content-type'] ?? ''
  if (body.length === 0) return Object.fromEntries(query)
  if (type.includes('application/json')) return { ...Object.fromEntries(query), ...fromJson(body.toString('utf8')) }
  // The platform's own parser of forms.
  const form = await new Response(body, { headers: { 'content-type': type } }).formData().catch(() => {
    throw bad("can't parse the form")
  })
  const named = [...form].map(([name, value]) => [name, attached(form, value)])
  return { ...Object.fromEntries(query), ...Object.fromEntries(named) }
}

/** `attach://name` stands for the file that the form has under that name. */
function attached(form: FormData, value: string | File): string | File {
  const [, name] = (typeof value === 'string' && /^attach:\/\/(.+)$/.exec(value)) || []
  return (name === undefined ? null : form.get(name)) ?? value
}

async function readBody(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request) {
    bytes += part.length
    if (bytes > MOST_BYTES) throw new ApiFailure(413, 'Request Entity Too Large')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function fromJson(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {}
  throw bad("can't parse JSON object")
}
