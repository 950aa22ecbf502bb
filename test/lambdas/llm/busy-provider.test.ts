import { limits } from '../../../domain/rates/rate-limits.ts'
import { llmArea } from '../../../lambdas/llm/index.ts'
import { openWorld, type World } from '../../world.ts'
import { anthropic, responses } from './format-cases.ts'
import { echo, modelsOver } from './ports.ts'
import { startUpstream } from './upstream.ts'

let world: World
let upstream: Awaited<ReturnType<typeof startUpstream>>
beforeAll(async () => {
  upstream = await startUpstream()
  const models = modelsOver(upstream.url, [echo, responses.model, anthropic.model])
  world = await openWorld({ areas: [llmArea], replace: () => ({ models }) })
})
afterAll(async () => {
  await world.close()
  await upstream.close()
})

const secret = 'sk-live-1234 org-secret'
const isBusyFor = (seconds: string | null) =>
  upstream.use((response) => {
    response.writeHead(429, { ...(seconds !== null && { 'retry-after': seconds }), 'x-ratelimit-remaining': '7' })
    response.end(JSON.stringify({ error: { message: secret } }))
  })

/** A person's program and the same person's machine, with money for both. */
async function callers() {
  const tenant = await world.tenant({ generation: 1 })
  const at = '2026-11-20T12:00:00.000Z'
  await world.ports.wallets.creditOnce(tenant.userId, 'start', 100_000_000, 'adjustment', 'Start', at)
  const token = await world.bearer(['api:llm'], tenant.userId)
  return { token: token.headers, machine: await world.machine(tenant, 'llm') }
}

const namedSeconds = (headers: Record<string, string>) =>
  ['Retry-After', 'X-RateLimit-Reset', 'X-RateLimit-Remaining'].map((name) => headers[name])

describe('a 429 from a provider', () => {
  // Each client waits by another field: OpenAI's SDKs by Retry-After, which a proxy lost
  // (https://github.com/BerriAI/litellm/issues/21553, https://github.com/BerriAI/litellm/issues/27823), and Codex by
  // the seconds in the message (https://github.com/openai/codex/pull/2266).
  test.each([
    ['token', '/v1/responses', responses.ask, '30', '30'],
    ['token', '/v1/messages', anthropic.ask, '30', '30'],
    ['token', '/v1/messages', anthropic.ask, null, '4'],
    ['token', '/v1/responses', responses.ask, '0', '1'],
    ['machine', '/llm/proxy/v1/messages', anthropic.ask, '30', '30'],
  ] as const)('has the same seconds everywhere: a %s at %s', async (caller, path, body, asked, seconds) => {
    isBusyFor(asked)
    const headers = (await callers())[caller]
    const answer = await world.request({ method: 'POST', path, headers, body })
    expect([answer.status, ...namedSeconds(answer.headers)]).toEqual([429, seconds, seconds, '0'])
    expect(answer.body.error).toMatchObject({
      code: 'rate_limit_exceeded',
      message: `The model provider is busy. Try again in ${seconds} seconds, or choose another model.`,
    })
    expect(answer.text).not.toContain('sk-live')
  })

  test('is a provider failure at the contract’s own address, and leaves the caller’s window unchanged', async () => {
    isBusyFor('30')
    const { machine } = await callers()
    const body = { model: 'local/echo', messages: [{ role: 'user', content: 'Hi' }] }
    const answer = await world.request({ method: 'POST', path: '/llm/proxy', headers: machine, body })
    expect(answer.status).toBe(502)
    expect(answer.body).toMatchObject({ error: 'provider-error', details: { upstream: ['HTTP 429'] } })
    expect(answer.headers['Retry-After']).toBeUndefined()
    expect(answer.headers['X-RateLimit-Remaining']).toBe(String(limits.llm - 1))
  })
})
