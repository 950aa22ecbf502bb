/**
 * Third-party receivers: the libraries of Svix and of Standard Webhooks, in JavaScript and in Python, check the events
 * of a local service at a webhook endpoint right after its secret was replaced, with the old secret and with the new
 * one; each library must refuse an event with a changed byte, and one with another endpoint's secret.
 */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import start from '../test/service/start.js'
import stop from '../test/service/stop.js'
import { pythonWith } from './tools/python.ts'

const packages = ['svix@1.99.1', 'standardwebhooks@1.1.1']
const pythonPackages = ['svix', 'standardwebhooks']

interface Sent {
  body: string
  headers: Record<string, string>
}

const sent: Sent[] = []
const receiver = createServer(async (request, response) => {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
  sent.push({ body: await text(request), headers: Object.fromEntries(headers) })
  response.writeHead(204).end()
}).listen(0, '127.0.0.1')
await once(receiver, 'listening')
const { port } = receiver.address() as AddressInfo // safe because it listens on TCP

const folder = mkdtempSync(join(tmpdir(), 'berth-prove-webhooks-'))
let failed = 0

const programs = {
  js: (name: string) => `
    const { Webhook } = require(${JSON.stringify(join(folder, 'node_modules', name))})
    const { secret, body, headers } = JSON.parse(require('fs').readFileSync(0, 'utf8'))
    new Webhook(secret).verify(body, headers)`,
  python: (name: string) => `
import json, sys
from ${name}${name === 'standardwebhooks' ? '.webhooks' : ''} import Webhook
given = json.load(sys.stdin)
Webhook(given["secret"]).verify(given["body"], given["headers"])`,
}

/** Whether a library accepts the event. */
function believes(command: string, args: string[], secret: string, { body, headers }: Sent): boolean {
  const { status } = spawnSync(command, args, { input: JSON.stringify({ secret, body, headers }), encoding: 'utf8' })
  return status === 0
}

function say(what: string, holds: boolean): void {
  console.log(`${holds ? '  ok  ' : '  FAIL'} ${what}`)
  if (!holds) failed++
}

try {
  await start()
  const { call, hostedUser, until } = await import('../test/service/client.ts')
  const user = await hostedUser(500)
  const made = { name: 'Receiver', url: `http://127.0.0.1:${port}/`, events: ['*'] }
  const { body: first } = await call('POST', '/hooks/endpoints', made, user)
  const { id } = first.endpoint
  const { body: next } = await call('POST', `/hooks/endpoints/${id}/rotate`, undefined, user)
  await call('POST', `/hooks/endpoints/${id}/test`, undefined, user)
  const ofTest = () => sent.find(({ body }) => body.includes('webhook.test'))
  const got = await until(
    'the test',
    async () => ofTest(),
    (found) => found !== undefined,
    60,
  )
  if (!got) throw new Error('nothing came')

  spawnSync('npm', ['install', '--silent', '--no-audit', '--prefix', folder, ...packages], { stdio: 'inherit' })
  const python = join(pythonWith('webhooks', pythonPackages), 'bin', 'python')
  const libraries: [name: string, command: string, args: string[]][] = [
    ...['svix', 'standardwebhooks'].map((name): [string, string, string[]] => [
      `${name}, JavaScript`,
      process.execPath,
      ['-e', programs.js(name)],
    ]),
    ...pythonPackages.map((name): [string, string, string[]] => [
      `${name}, Python`,
      python,
      ['-c', programs.python(name)],
    ]),
  ]
  const foreign = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  for (const [name, command, args] of libraries) {
    say(`${name}: the new secret`, believes(command, args, next.secret, got))
    say(`${name}: the old secret`, believes(command, args, first.secret, got))
    say(`${name}: another body is refused`, !believes(command, args, next.secret, { ...got, body: `${got.body} ` }))
    say(`${name}: another's secret is refused`, !believes(command, args, foreign, got))
  }
} finally {
  receiver.close()
  await stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failed > 0 ? 1 : 0
