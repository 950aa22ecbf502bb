import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { Service } from '../../agent/kit/service.ts'
import { type Loopback, startLoopback } from '../../agent/loopback/loopback.ts'
import { Turns } from '../../agent/supervisor/turns.ts'
import { full } from '../counts.ts'
import { api, call, hostedUser, status, untilState, usageLines } from './client.ts'
import { machineOf } from './machine.ts'

/** The loopback of the user's machine, in this process. */
let loopback: Loopback
let user: Awaited<ReturnType<typeof hostedUser>>

beforeAll(async () => {
  user = await hostedUser()
  await untilState(user, 'running')
  const { BERTH_LLM_TOKEN: llm = '' } = machineOf((await status(user)).instance.id).env
  const service = new Service({ api, tokens: { llm }, tokenMs: 3_600_000 }, () => {})
  loopback = await startLoopback({
    service,
    model: () => 'local/echo',
    secrets: { serve: async () => {} },
    reports: { take: () => undefined, answered: () => {}, masked: (_, body) => body, working: () => {} },
    turns: new Turns({ isHeld: () => false, context: Promise.reject, close: Promise.reject }),
    questions: { find: Promise.reject },
    poll: async () => undefined,
    inbox: { place: Promise.reject },
    outgoing: { send: Promise.reject },
    log: () => {},
  })
})
afterAll(() => loopback.close())

const picture = (megabytes: number) => 'iVBORw0K'.repeat(megabytes * 2 ** 17)

describe.each(full ? [10, 30] : [5])('signCallBody: an image of %i MB', (megabytes) => {
  const data = picture(megabytes)
  const text = `What is in these ${megabytes} MB?`

  test('is answered to OpenAI’s SDK, and paid', async () => {
    const before = (await usageLines(user)).length
    const openai = new OpenAI({ baseURL: `${loopback.address}/llm/proxy/v1`, apiKey: loopback.key, maxRetries: 0 })
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } } as const
    const content = [image, { type: 'text', text } as const]
    const said = await openai.chat.completions.create({ model: 'default', messages: [{ role: 'user', content }] })
    expect(said.choices[0]?.message.content).toContain(text)
    expect((await usageLines(user)).length).toBe(before + 1)
  })

  test('is answered to Anthropic’s SDK', async () => {
    const anthropic = new Anthropic({ baseURL: `${loopback.address}/llm/proxy`, apiKey: loopback.key, maxRetries: 0 })
    const source = { type: 'base64', media_type: 'image/png', data } as const
    const content = [{ type: 'image', source } as const, { type: 'text', text } as const]
    const asked = { model: 'default', max_tokens: 100, messages: [{ role: 'user' as const, content }] }
    expect(JSON.stringify((await anthropic.messages.create(asked)).content)).toContain(text)
  })
})

test.each(['/v1/chat/completions', '/v1/messages'])(
  'a laptop’s body over 4 MB at %s is 413 in the vendor’s shape',
  async (path) => {
    const { body } = await call('POST', '/tokens', { name: 'laptop', scopes: ['api:llm'] }, user)
    const asked = { model: 'default', max_tokens: 9, messages: [{ role: 'user', content: picture(5) }] }
    const answer = await call('POST', path, asked, { bearer: body.plaintext })
    expect([answer.status, answer.body.error.code]).toEqual([413, 'too-large'])
  },
)
