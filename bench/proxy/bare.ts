import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tellMemory } from './memory.ts'

// The eight lines that any proxy must have: take, ask, pipe back. It checks, holds, reads and bills nothing.
const [, , upstream = ''] = process.argv
const { Agent } = await import('node:http')
const agent = new Agent({ keepAlive: true })
const server = createServer((request, response) => {
  const { host: _, ...headers } = request.headers
  const sent = ask(`${upstream}${request.url}`, { method: 'POST', headers, agent }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  request.pipe(sent)
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port })) // safe because it listens on TCP
tellMemory()
