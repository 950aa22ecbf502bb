import { jest } from '@jest/globals'
import fc from 'fast-check'
import * as own from '../../../agent/supervisor/growing-replies.ts'
import { GrowingReplies } from '../../../agent/supervisor/growing-replies.ts'
import { maxProgressCharacters } from '../../../domain/agent/observation.ts'
import { maxReplyCharacters } from '../../../domain/chat/text-limits.ts'
import { addPiece, missingFrom, noText } from '../../../domain/socket/growing-text.ts'
import { clientMessages, firstDraft, type TextPiece } from '../../../domain/socket/message.ts'
import { maxPieceCharacters } from '../../../domain/socket/parts.ts'
import { seeded } from '../../counts.ts'
import { piecesOf, sendable } from '../../growing-text.ts'

const promptId = 'prm_01KAHB2N3P4Q5R6S7T8V9WXYZ0'
const other = 'prm_01KAHB2N3P4Q5R6S7T8V9WXYZ1'

function openWorld() {
  const sent: (TextPiece & { to?: string | undefined; atMs: number })[] = []
  const told: { atMs: number; from?: number | undefined; text?: string | undefined }[] = []
  const world = { sent, told, connected: true, loses: false, status: 200 }
  const replies = new GrowingReplies({
    isConnected: () => world.connected,
    send(message) {
      // The message as the service parses it.
      const { action: _, ...piece } = JSON.parse(Buffer.from(JSON.stringify(message)).toString('utf8'))
      if (!world.loses) sent.push({ ...clientMessages.text.parse(piece), atMs: Date.now() })
      return true
    },
    async tell(observation) {
      if (observation.kind === 'progress')
        told.push({ from: observation.from, text: observation.text, atMs: Date.now() })
      return world.status
    },
  })
  /** A reader's copy of a prompt's reply, fed with messages to all readers and to this one. */
  const read = (id: string, to = 'reader') =>
    sent
      .filter((piece) => piece.promptId === id && (piece.to === undefined || piece.to === to))
      .reduce((held, piece) => addPiece(held, piece).held, noText)
  return Object.assign(world, { replies, read })
}

beforeEach(() => jest.useFakeTimers())
afterEach(() => jest.useRealTimers())
const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms)

const mostWithin = (times: number[], ms: number): number =>
  Math.max(0, ...times.map((start) => times.filter((at) => at >= start && at < start + ms).length))

test('the image’s own copies of constants equal the service’s', () => {
  expect(own).toMatchObject({ maxReplyCharacters, maxPieceCharacters, maxReportCharacters: maxProgressCharacters })
  expect([1, 7].map(own.firstDraft)).toEqual([1, 7].map(firstDraft))
})

test('the first piece of a reply goes out at once', async () => {
  const world = openWorld()
  world.replies.begin(promptId, 2)
  world.replies.grow(promptId, 0, 'High')
  await pass(1)
  expect(world.sent).toMatchObject([{ promptId, draft: firstDraft(2), from: 0, text: 'High' }])
})

test('at most ten messages a second are sent, however fast replies grow, and no text is lost', async () => {
  const world = openWorld()
  const texts = [promptId, other].map((id) => ({ id, text: '' }))
  for (const { id } of texts) world.replies.begin(id, 1)
  for (let word = 0; word < 2_000; word++)
    for (const each of texts) {
      const next = word % 50 === 7 ? '⚓😀 ' : 'word '
      world.replies.grow(each.id, each.text.length, next)
      each.text += next
      if (each.id === other) await pass(3)
    }
  await pass(2_000)
  expect(
    mostWithin(
      world.sent.map(({ atMs }) => atMs),
      1_000,
    ),
  ).toBeLessThanOrEqual(10)
  for (const { id, text } of texts) expect(world.read(id).text).toBe(text)
})

test('a reply of 64,000 characters that arrives at once is sent in pieces that fit', async () => {
  const world = openWorld()
  const text = 'a😀'.repeat(30_000).slice(0, maxReplyCharacters)
  world.replies.begin(promptId, 1)
  for (let from = 0; from < text.length; from += 8_000)
    world.replies.grow(promptId, from, text.slice(from, from + 8_000))
  await pass(3_000)
  expect(world.read(promptId).text).toBe(text)
  expect(world.sent.map(({ from, text }) => ({ from, text }))).toEqual(piecesOf(text, 0))
})

test('a piece with a gap before it is refused, and the refusal says where to continue', () => {
  const { replies } = openWorld()
  replies.begin(promptId, 1)
  expect(replies.grow(promptId, 0, 'High')).toBe(4)
  expect(replies.grow(promptId, 9, 'noon')).toBe(4)
})

test('a text that starts again is a new draft', async () => {
  const world = openWorld()
  world.replies.begin(promptId, 1)
  world.replies.grow(promptId, 0, 'Let me look.')
  await pass(200)
  world.replies.grow(promptId, 0, 'It is noon.')
  await pass(200)
  expect(world.read(promptId)).toMatchObject({ draft: firstDraft(1) + 1, text: 'It is noon.' })
})

test('the beginning of a longer text, reported again, changes nothing', async () => {
  const world = openWorld()
  world.replies.begin(promptId, 1)
  world.replies.grow(promptId, 0, 'High tide is')
  await pass(200)
  world.replies.grow(promptId, 0, 'High')
  await pass(200)
  expect(world.sent).toHaveLength(1)
})

test('a reader that lacks text gets it from that point, and no other reader does', async () => {
  const world = openWorld()
  world.replies.begin(promptId, 1)
  world.replies.grow(promptId, 0, 'High tide is at noon.')
  await pass(200)
  world.replies.resend('late', null, 5)
  world.replies.resend('lost', promptId, 0)
  world.replies.resend('lost', other, 0)
  await pass(500)
  expect(world.sent.slice(1)).toMatchObject([
    { to: 'late', from: 5, text: 'tide is at noon.' },
    { to: 'lost', from: 0, text: 'High tide is at noon.' },
  ])
})

test('a forgotten reply is no longer reported', async () => {
  const world = openWorld()
  world.replies.begin(promptId, 1)
  world.replies.grow(promptId, 0, 'x'.repeat(8_000))
  await pass(1)
  world.replies.forget(promptId)
  world.replies.resend('late', null, 0)
  await pass(1_000)
  expect(world.sent).toHaveLength(1)
})

test('without a connection, replies are reported by HTTP calls, two a second, and once more when the connection is back', async () => {
  const world = openWorld()
  world.connected = false
  world.replies.begin(promptId, 1)
  for (let i = 0; i < 300; i++) {
    world.replies.grow(promptId, i, 'x')
    await pass(10)
  }
  await pass(1_000)
  expect(
    mostWithin(
      world.told.map(({ atMs }) => atMs),
      1_000,
    ),
  ).toBeLessThanOrEqual(2)
  expect(world.told.map(({ text }) => text).join('')).toBe('x'.repeat(300))
  world.connected = true
  world.replies.retell()
  await pass(200)
  expect(world.read(promptId).text).toBe('x'.repeat(300))
})

test('a prompt that the service does not know is no longer reported', async () => {
  const world = openWorld()
  Object.assign(world, { connected: false, status: 404 })
  world.replies.begin(promptId, 1)
  world.replies.grow(promptId, 0, 'x')
  await pass(5_000)
  expect(world.told).toHaveLength(1)
})

const character = fc.constantFrom('a', 'b', '😀', '⚓', ' ')
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('write' as const), text: fc.string({ unit: character, maxLength: 40 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('long' as const),
      text: fc.string({ unit: character, minLength: 1, maxLength: 9 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('anew', 'cut', 'connect', 'lose', 'keep') }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 400 }) }) },
)

test('a reader that asks for missing text gets all of it, in whole characters, whatever was lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const world = openWorld()
      world.replies.begin(promptId, 1)
      let text = ''
      let drafts = 0
      const write = (more: string) => {
        // In halves, so that the writer cuts characters of two code units.
        for (const piece of [more.slice(0, more.length / 2), more.slice(more.length / 2)]) {
          if (piece) world.replies.grow(promptId, text.length, piece)
          text += piece
        }
      }
      for (const each of steps) {
        if ('text' in each) write(each.do === 'long' ? sendable(each.text.repeat(1_500).slice(0, 7_000)) : each.text)
        if (each.do === 'anew') {
          text = ''
          write(`draft ${++drafts}:`)
        }
        if (each.do === 'cut') world.connected = false
        if (each.do === 'connect' && !world.connected) {
          world.connected = true
          world.replies.retell()
        }
        if (each.do === 'lose') world.loses = true
        if (each.do === 'keep') world.loses = false
        if ('ms' in each) await pass(each.ms)
      }
      Object.assign(world, { connected: true, loses: false })
      // As every reader does when it connects, and while it lacks text.
      world.replies.resend('reader', null, 0)
      await pass(20_000)
      const from = missingFrom(world.read(promptId))
      if (from !== null) world.replies.resend('reader', promptId, from)
      await pass(20_000)
      expect(world.read(promptId).text).toBe(sendable(text.slice(0, maxReplyCharacters)))
      for (const { text } of world.sent) expect(text).not.toMatch(/\p{Surrogate}/u)
      expect(
        mostWithin(
          world.sent.map(({ atMs }) => atMs),
          1_000,
        ),
      ).toBeLessThanOrEqual(10)
    }),
    seeded(10_000),
  )
}, 600_000)
