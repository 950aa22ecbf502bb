import type { World } from '../../world.ts'
import { ask, lastRelease, openReleaseWorld, reads, store } from './last-release.ts'

const release = lastRelease()

/** Additions that a newer release may have made before a rollback. */
const newer = { aNewerRelease: { M: { added: { S: 'this' } } } }

/** Sentences ship with the service. Programs read the other fields. */
const withoutSentences = (response: object): object =>
  JSON.parse(JSON.stringify(response, (name, value) => (name === 'explanation' ? undefined : value)))

let world: World
beforeAll(async () => {
  world = await openReleaseWorld()
})
afterAll(() => world.close())

describe.each([
  ['the last release stored', {}],
  ['a newer release stored with extra attributes', newer],
])('data that %s', (_, added) => {
  beforeAll(() => store(world, release.items, added))

  test.each(reads)('is returned by %s as that release returned it', async (id, operation) => {
    const recorded = release.answers[id]
    // Newer operations have no response of that release.
    if (!recorded) return
    expect(await ask(world, release, operation)).toMatchObject(withoutSentences(recorded))
  })
})

test('all recorded responses are compared', () => {
  expect(reads.map(([id]) => id)).toEqual(expect.arrayContaining(Object.keys(release.answers)))
})
