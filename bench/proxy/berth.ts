import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { machineTokens } from '../../adapters/aws/machine-tokens.ts'
import { basics } from '../../adapters/basics.ts'
import { readEnv } from '../../adapters/env.ts'
import { models } from '../../adapters/models/models.ts'
import { newClaims } from '../../domain/tokens/machine-token.ts'
import { llmArea } from '../../lambdas/llm/index.ts'
import { startEngine } from '../../test/adapters/engine.ts'
import { tellMemory } from './memory.ts'
import { nodeServer } from './node-entry.ts'
import { connectStore, stubbedStore } from './store.ts'

/**
 * The model proxy's pipeline, over the real store or over a stub that agrees to everything; reports its port, token and
 * memory to its parent.
 */
const [, , store = 'real', upstream = ''] = process.argv
const stub = store === 'stub'
const engine = stub ? null : await startEngine()

const secrets = createServer(async (request, response) => {
  let raw = ''
  for await (const part of request) raw += part
  const { SecretId } = JSON.parse(raw)
  const values: Record<string, object> = {
    providers: { local: { kind: 'openai', baseUrl: `${upstream}/v1`, apiKey: 'k' } },
    keys: { current: 'x'.repeat(64) },
  }
  response.end(JSON.stringify({ ARN: SecretId, Name: SecretId, SecretString: JSON.stringify(values[SecretId]) }))
})
await new Promise<void>((resolve) => secrets.listen(0, '127.0.0.1', resolve))
const secretsPort = (secrets.address() as AddressInfo).port // safe because it listens on TCP
Object.assign(process.env, {
  AWS_ENDPOINT_URL_SECRETS_MANAGER: `http://127.0.0.1:${secretsPort}`,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  POWERTOOLS_LOG_LEVEL: 'SILENT',
})

const named = readEnv({
  PROVIDERS_SECRET_ARN: 'providers',
  MACHINE_TOKEN_KEYS_SECRET_ARN: 'keys',
  STAGE: 'bench',
  PUBLIC_ORIGIN: 'http://127.0.0.1',
  CELL: '00',
  IMAGE_VERSION: '1',
})
const env = engine ? { ...engine.env, secret: named.secret } : named

const stored = stub ? stubbedStore : await connectStore(env)
const tokens = machineTokens(env)
/** The users that share the calls: one wallet allows ten open calls and sixty a minute. */
const users = Array.from({ length: stub ? 1 : 800 }, (_, i) => `usr_bench${i}`)
if (!stub) {
  const { generationChange } = await import('../../adapters/dynamo/wallet/item.ts')
  const { change } = await import('../../adapters/dynamo/calls.ts')
  for (const user of users) {
    await change(generationChange(env.table('wallets'), user, 1))
    await stored.wallets.creditOnce(user, 'start', 4_000_000, 'adjustment', 'Start', new Date().toISOString())
  }
}
const bearers = await Promise.all(
  users.map((userId) =>
    tokens.sign(newClaims({ audience: 'llm', userId, instanceId: 'ins_1', generation: 1 }, Date.now())),
  ),
)
// safe because these are all ports of the area
const server = nodeServer(llmArea, { ...basics(env), ...stored, machineTokens: tokens, models: models(env) } as never)
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port, bearers }) // safe because it listens on TCP
})
process.on('disconnect', async () => {
  await engine?.stop()
  process.exit()
})
tellMemory()
