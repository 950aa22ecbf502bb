/** Files: their objects, the addresses to upload them to and to fetch them from. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { findById } from '../kit/records.ts'
import type { StoredFile } from './records.ts'
import { type Store, teamOf } from './store.ts'

/** A file as the API and events show it. */
export const fileObject = (file: StoredFile, origin: string) => {
  const address = `${origin}/files-pri/${file.teamId}-${file.id}`
  const name = encodeURIComponent(file.name)
  return {
    id: file.id,
    created: 1_700_000_000,
    timestamp: 1_700_000_000,
    name: file.name,
    title: file.name,
    mimetype: file.mimetype,
    filetype: file.name.split('.').pop() ?? '',
    pretty_type: file.mimetype,
    user: file.user,
    user_team: file.teamId,
    editable: false,
    size: file.size,
    mode: 'hosted' as const,
    is_external: false,
    external_type: '',
    is_public: false,
    public_url_shared: false,
    display_as_bot: false,
    username: '',
    url_private: `${address}/${name}`,
    url_private_download: `${address}/download/${name}`,
    media_display_type: 'unknown',
    permalink: `${address}/permalink`,
    has_rich_preview: false,
    channels: [],
    groups: [],
    ims: [],
  }
}

/** The bytes themselves. Answers false for an address that is no file's. */
export async function serveFile(
  store: Store,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  body: () => Promise<Buffer>,
): Promise<boolean> {
  const upload = /^\/upload\/v1\/(F\w+)$/.exec(path)?.[1]
  if (upload) {
    const file = findById(store.value.files, upload)
    if (!file || request.method !== 'POST') response.writeHead(404).end()
    else {
      const bytes = bytesOf(request.headers['content-type'] ?? '', await body())
      file.base64 = bytes.toString('base64')
      store.save()
      response.writeHead(200, { 'content-type': 'text/plain' }).end(`OK - ${bytes.length}`)
    }
    return true
  }
  const [, teamId = '', id = ''] = /^\/files-pri\/(T\w+)-(F\w+)\//.exec(path) ?? []
  if (id === '') return false
  const file = findById(store.value.files, id)
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  // A request without a valid token is redirected to the sign-in, like a person's.
  if (!file?.base64 || file.teamId !== teamId || teamOf(store, bearer)?.id !== teamId)
    response.writeHead(302, { location: '/signin' }).end()
  else response.writeHead(200, { 'content-type': file.mimetype }).end(Buffer.from(file.base64, 'base64'))
  return true
}

/** The body as it is, or the first part of a form. */
function bytesOf(contentType: string, body: Buffer): Buffer {
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)"?/.exec(contentType)?.[1]
  if (!boundary) return body
  const start = body.indexOf('\r\n\r\n') + 4
  return body.subarray(start, body.indexOf(`\r\n--${boundary}`, start))
}
