import { eventTypes } from '../../../domain/chat/event-types.ts'
import type { Scope } from '../../../domain/scopes.ts'
import { eventsArea } from '../../../lambdas/events/index.ts'
import { openWorld, type World } from '../../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ areas: [eventsArea], clock: 'running' })
})
afterAll(() => world.close())

/** The types of all events that a caller receives, up to one that every caller receives. */
async function heardBy(userId: string, headers: Record<string, string>): Promise<string[]> {
  const { status, body } = await world.areaHandler(eventsArea)({ path: '/events', headers })
  expect(status).toBe(200)
  for (const type of eventTypes) await world.ports.events.record(userId, type, {})
  await world.ports.events.record(userId, 'message.sent', { last: true })
  let text = ''
  for await (const part of body as AsyncIterable<Uint8Array>) {
    text += Buffer.from(part).toString()
    if (text.includes('"last":true')) break
  }
  return [...text.matchAll(/^event: (\S+)$/gm)].map(([, type]) => type ?? '').slice(0, -1)
}

const heardWith = async (scopes: Scope[]) => {
  const userId = world.newUserId()
  return heardBy(userId, (await world.bearer(scopes, userId)).headers)
}
const about = (...nouns: string[]) => eventTypes.filter((type) => nouns.includes(type.split('.')[0] ?? ''))

describe('streamEvents', () => {
  test('sends a session everything', async () => {
    const userId = world.newUserId()
    expect(await heardBy(userId, (await world.session(userId)).headers)).toEqual(eventTypes)
  })

  test.each<[Scope[], string[]]>([
    [['api:chat'], about('conversation', 'message', 'prompt', 'question')],
    [['api:chat', 'mcp:wallet.read'], about('conversation', 'message', 'prompt', 'question', 'wallet')],
    [
      ['api:chat', 'mcp:*'],
      about(
        'conversation',
        'message',
        'prompt',
        'question',
        'wallet',
        'instance',
        'subscription',
        'persona',
        'skill',
        'notice',
      ),
    ],
    [
      ['api:chat', 'api:tokens.write', 'api:instance'],
      about('conversation', 'message', 'prompt', 'question', 'token', 'files', 'schedule', 'account', 'notification'),
    ],
  ])('sends a token of %s the events that it may read, and no others', async (scopes, types) => {
    expect(await heardWith(scopes)).toEqual(types)
  })
})
