import { followEvents } from '../../app/chat/follow-events.ts'
import type { Event } from '../../domain/chat/event.ts'
import { ulid } from '../../domain/ids.ts'
import { streamLifeMs } from '../../domain/lifetimes.ts'
import { iso } from '../../domain/time.ts'

const start = Date.parse('2026-11-01T12:00:00.000Z')
const made = (ms: number, n: number): Event => ({
  id: `evt_${ulid(ms, new Uint8Array(16).fill(n))}`,
  type: 'wallet.credited',
  at: iso(ms),
  data: {},
})

/** A store whose events come into sight at times of their own, on a clock that only sleeping moves. */
function world(visible: { at: number; event: Event }[]) {
  let now = start
  return {
    clock: {
      now: () => now,
      sleep: async (ms: number) => {
        now += ms
      },
    },
    events: {
      record: async () => {},
      after: async (_: string, id: string, limit: number) =>
        visible
          .filter(({ at, event }) => at <= now && event.id > id)
          .map(({ event }) => event)
          .sort((a, b) => (a.id < b.id ? -1 : 1))
          .slice(0, limit),
    },
  }
}

async function all(visible: { at: number; event: Event }[], last: string | null): Promise<(string | null)[]> {
  const seen: (string | null)[] = []
  for await (const one of followEvents(world(visible), 'usr_x', last, () => true)) seen.push(one?.id ?? null)
  return seen
}

describe('following a user’s events', () => {
  test('each is told once, also one that comes into sight after a younger one', async () => {
    const [old, late, young] = [made(start - 60_000, 1), made(start + 1_000, 2), made(start + 1_500, 3)]
    const seen = await all(
      [
        { at: start - 60_000, event: old },
        { at: start + 1_600, event: young },
        { at: start + 2_600, event: late },
      ],
      null,
    )
    expect(seen.filter(Boolean)).toEqual([young.id, late.id])
  })

  test('goes on after the id a client names', async () => {
    const [one, two] = [made(start - 10_000, 1), made(start - 9_000, 2)]
    expect(
      (
        await all(
          [one, two].map((event) => ({ at: start - 9_000, event })),
          one.id,
        )
      ).filter(Boolean),
    ).toEqual([two.id])
  })

  test('marks silence every fifteen seconds and ends before the platform does', async () => {
    const seen = await all([], null)
    expect(seen.every((one) => one === null)).toBe(true)
    expect(seen.length).toBeGreaterThanOrEqual(streamLifeMs / 16_000)
  })
})

test('nothing is read any more once it is over, whatever it waits for', async () => {
  const over = new AbortController()
  const store = world([])
  let looks = 0
  const events = {
    ...store.events,
    after: async () => {
      if (++looks === 3) over.abort()
      return []
    },
  }
  for await (const _ of followEvents({ ...store, events }, 'usr_x', null, () => true, over.signal))
    throw new Error('there is nothing')
  expect(looks).toBe(3)
})
