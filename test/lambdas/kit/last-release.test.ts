import type { World } from '../../world.ts'
import { ask, lastRelease, openReleaseWorld, reads, store } from './last-release.ts'

const release = lastRelease()

/** What a newer release may have added, as one that is gone back from leaves it. */
const newer = { aNewerRelease: { M: { added: { S: 'this' } } } }

let world: World
beforeAll(async () => {
  world = await openReleaseWorld()
})
afterAll(() => world.close())

describe.each([
  ['the last release stored', {}],
  ['a newer one stored, which adds to each item', newer],
])('what %s', (_, added) => {
  beforeAll(() => store(world, release.items, added))

  test.each(reads)('%s answers of it what that release answered', async (id, operation) => {
    const recorded = release.answers[id]
    // What came since has no answer of that release.
    if (!recorded) return
    expect(await ask(world, release, operation)).toMatchObject(recorded)
  })
})

test('nothing that was answered is left out', () => {
  expect(reads.map(([id]) => id)).toEqual(expect.arrayContaining(Object.keys(release.answers)))
})
