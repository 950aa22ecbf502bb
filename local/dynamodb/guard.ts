/** A proxy in front of the engine that enforces the policies of each request's signer. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { type Authorizer, accessKeyOf, OWNER } from '../../emulators/aws/authorization.ts'
import { storeNeeds } from '../../emulators/aws/needs.ts'
import { AwsError } from '../../emulators/aws/protocols.ts'
import { listen } from '../../emulators/kit/server.ts'
import { StartProblem } from '../kit/problem.ts'
import { asObject } from '../template/json.ts'
import { region } from '../template/resource-types.ts'

export interface Guard {
  endpoint: string
  close(): Promise<void>
}

/** Bytes: DynamoDB's limit of a request is 16 MB. */
const maxBodyBytes = 17 * 1024 * 1024
const maxHeadBytes = 64 * 1024
const endOfHead = Buffer.from('\r\n\r\n')

/** @param engine address of the real database */
export async function startGuard(engine: string, authorizer: Pick<Authorizer, 'refusal'>): Promise<Guard> {
  const { protocol, hostname, port } = new URL(engine)
  if (protocol !== 'http:') throw new StartProblem(`DYNAMODB_ENDPOINT ${engine} must begin with http://`)
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80), noDelay: true })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      // Closes both connections together, as if they were one.
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    upstream.pipe(client)
    client.on('data', readRequests(authorizer, upstream, client))
  })
  return {
    endpoint: await listen(server),
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function readRequests(authorizer: Pick<Authorizer, 'refusal'>, upstream: Socket, client: Socket) {
  let waiting: Buffer = Buffer.alloc(0)
  return (chunk: Buffer) => {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk])
    for (;;) {
      const end = waiting.indexOf(endOfHead)
      if (end < 0) {
        if (waiting.length > maxHeadBytes) client.destroy()
        return
      }
      const head = waiting.toString('latin1', 0, end)
      const length = Number(headerOf(head, 'content-length') ?? 0)
      // DynamoDB's clients always send a length. Other requests are refused, so that none is misread.
      if (!(length <= maxBodyBytes) || headerOf(head, 'transfer-encoding') !== undefined) return void client.destroy()
      const from = end + endOfHead.length
      if (waiting.length < from + length) return
      const body = waiting.subarray(from, from + length)
      waiting = waiting.subarray(from + length)
      const refusal = refusalOf(authorizer, head, body)
      if (refusal) client.write(answerOf(refusal))
      // One access key for all, because some engines keep one database per key. A single write saves system calls.
      else upstream.write(Buffer.concat([Buffer.from(head.replace(signer, OWNER), 'latin1'), endOfHead, body]))
    }
  }
}

const signer = /(?<=Credential=)[^/\s]+/

const header = {
  authorization: /\r\nauthorization:[ \t]*([^\r]*)/i,
  'content-length': /\r\ncontent-length:[ \t]*([^\r]*)/i,
  'transfer-encoding': /\r\ntransfer-encoding:[ \t]*([^\r]*)/i,
  'x-amz-target': /\r\nx-amz-target:[ \t]*([^\r]*)/i,
}

const headerOf = (head: string, name: keyof typeof header): string | undefined => header[name].exec(head)?.[1]

function refusalOf(authorizer: Pick<Authorizer, 'refusal'>, head: string, body: Buffer): AwsError | undefined {
  const signed = headerOf(head, 'authorization')
  if (!signed) return new AwsError('MissingAuthenticationTokenException', 'Request must contain a valid signature.')
  const operation = headerOf(head, 'x-amz-target')?.split('.')[1] ?? ''
  try {
    const needs = storeNeeds(operation, asObject(JSON.parse(body.toString('utf8') || '{}')), region)
    return authorizer.refusal(accessKeyOf(signed), needs ?? [{ action: `dynamodb:${operation}`, resource: '*' }])
  } catch {
    return new AwsError('SerializationException', 'The request is not JSON.')
  }
}

function answerOf({ code, message }: AwsError): string {
  const body = JSON.stringify({ __type: `com.amazon.coral.service#${code}`, Message: message })
  const head = [
    'HTTP/1.1 400 Bad Request',
    'content-type: application/x-amz-json-1.0',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
