/** Passes a request on to the service that its path names, if it is signed and its caller may make it. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { findById } from '../kit/records.ts'
import { type Authorizer, accessKeyOf } from './authorization.ts'
import type { FaultInjector } from './faults.ts'
import { type Known, listBucket, needs } from './needs.ts'
import { isValidPresignedUrl } from './presigned-url.ts'
import {
  AwsError,
  type AwsRequest,
  type AwsResponse,
  errorResponse,
  readBody,
  type Service,
  send,
} from './protocols.ts'

/** Bytes of an API call. */
const BODY_LIMIT = 1024 * 1024

export interface Mounted {
  service: Service
  protocol: keyof typeof errorResponse
  /** Bytes of a request; default 1 MiB. */
  limit?: number
}

interface EndpointOptions {
  /** The services, by the first part of their paths. */
  mounts: Record<string, Mounted>
  known: Known
  faults: FaultInjector
  authorizer: Authorizer | undefined
  onCall: ((service: string, action: string) => void) | undefined
  log: (line: string) => void
}

export class Endpoint {
  readonly #options: EndpointOptions

  constructor(options: EndpointOptions) {
    this.#options = options
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = randomUUID()
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const [, name = '', path = '/'] = /^\/([^/]*)(\/.*)?$/.exec(url.pathname) ?? []
    const mounted = findById(this.#options.mounts, name)
    const protocol = mounted?.protocol ?? 'rest'
    if (protocol === 's3' && request.headers.origin !== undefined) allowOrigin(response)
    if (protocol === 's3' && request.method === 'OPTIONS') return void response.writeHead(200).end()
    try {
      send(response, await this.#answer(request, url, name, path, mounted), requestId)
    } catch (error) {
      const known =
        error instanceof AwsError ? error : new AwsError('InternalFailure', 'An internal error occurred.', 500)
      if (known !== error) this.#options.log(`${name} failed: ${error instanceof Error ? error.stack : error}`)
      if (known.status === 413) response.setHeader('connection', 'close')
      send(response, errorResponse[protocol](known, requestId), requestId)
    }
  }

  async #answer(
    request: IncomingMessage,
    url: URL,
    name: string,
    path: string,
    mounted: Mounted | undefined,
  ): Promise<AwsResponse> {
    const { headers, method = 'GET' } = request
    const presigned = mounted?.protocol === 's3' && isPresigned(request, url)
    if (!presigned && !isLocal(request))
      throw new AwsError('AccessDeniedException', 'Only local programs are answered here.', 403)
    if (!mounted) throw new AwsError('UnknownOperationException', `There is no service ${name} here.`, 404)
    const { service, protocol, limit = BODY_LIMIT } = mounted
    if (!presigned && !headers.authorization?.startsWith('AWS4-')) throw unsigned[protocol]
    const body = await readBody(request, limit)
    if (!body) throw new AwsError('RequestEntityTooLarge', `The request is longer than ${limit} bytes.`, 413)
    const call = { method, path, query: url.searchParams, headers, body }
    const key = accessKeyOf(headers.authorization ?? url.searchParams.get('X-Amz-Credential') ?? '')
    this.#authorize(name, protocol, key, call)
    const action = String(headers['x-amz-target'] ?? '').split('.')[1] ?? ''
    if (action) this.#options.onCall?.(name, action)
    this.#options.faults.check(name, action, body.toString('utf8'))
    return service(call).catch((error) => {
      throw this.#hidesKey(name, key, call, error) ? unsigned.s3 : error
    })
  }

  #authorize(name: string, protocol: Mounted['protocol'], key: string, call: AwsRequest): void {
    const { authorizer, known } = this.#options
    const refusal = authorizer?.refusal(key, needs[name]?.(call, known) ?? [])
    if (refusal) throw spelled(refusal, protocol)
  }

  /** Whether the error says that an object does not exist, to a caller who may not list the bucket. */
  #hidesKey(name: string, key: string, call: AwsRequest, error: unknown): boolean {
    if (name !== 's3' || !(error instanceof AwsError) || error.code !== 'NoSuchKey') return false
    return this.#options.authorizer?.refusal(key, [listBucket(call.path)]) !== undefined
  }
}

/** A refusal as each protocol's services name it. */
function spelled({ code, message }: AwsError, protocol: Mounted['protocol']): AwsError {
  const denied = code === 'AccessDeniedException'
  if (protocol === 'json') return new AwsError(code, message)
  if (protocol === 'rest') return new AwsError(code, message, 403)
  if (protocol === 'query') return new AwsError(denied ? 'AccessDenied' : 'InvalidClientTokenId', message, 403)
  return new AwsError(denied ? 'AccessDenied' : 'InvalidAccessKeyId', message, 403)
}

/**
 * A page of some site, asking through a browser of this host, names its origin, or a host that only resolves to this
 * one.
 */
const isLocal = ({ headers: { host, origin }, socket }: IncomingMessage): boolean =>
  origin === undefined && (host === `127.0.0.1:${socket.localPort}` || host === `localhost:${socket.localPort}`)

/**
 * A presigned URL is checked; other signatures are not, but their absence is what an SDK without credentials looks
 * like.
 */
const isPresigned = (request: IncomingMessage, url: URL): boolean =>
  url.searchParams.has('X-Amz-Signature') && isValidPresignedUrl(request, url)

/** As a bucket whose rules let any page put objects at presigned URLs. */
function allowOrigin(response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-allow-methods', 'GET, PUT')
  response.setHeader('access-control-allow-headers', 'content-type, x-amz-checksum-sha256')
}

const unsigned: Record<Mounted['protocol'], AwsError> = {
  json: new AwsError('MissingAuthenticationTokenException', 'Missing Authentication Token'),
  rest: new AwsError('MissingAuthenticationTokenException', 'Missing Authentication Token', 403),
  query: new AwsError('MissingAuthenticationToken', 'Request is missing Authentication Token', 403),
  s3: new AwsError('AccessDenied', 'Access Denied', 403),
}
