import fc from 'fast-check'
import { turnOf } from '../../../domain/agent/turn.ts'
import { branchOf, lastWith, versionsOf } from '../../../domain/chat/branches.ts'
import type { Message } from '../../../domain/chat/message.ts'

const idOf = (at: number) => `msg_${String(at).padStart(26, '0')}`

/** A conversation as a tree: each place knows the path of places before it. */
interface Place {
  id: string
  /** The first of its versions. */
  first: string
  path: readonly Place[]
  isUser: boolean
}

type Step = { is: 'send' } | { is: 'unsolicited' } | { is: 'replace' | 'reply'; pick: number }

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ is: fc.constant('send' as const) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('unsolicited' as const) }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('replace' as const), pick: fc.nat() }) },
  { weight: 4, arbitrary: fc.record({ is: fc.constant('reply' as const), pick: fc.nat() }) },
)
const steps = fc.array(step, { minLength: 1, maxLength: 40 })

/** Plays the steps; replies come in any order, however late. */
function play(all: readonly Step[]) {
  const messages: Message[] = []
  const places: Place[] = []
  const say = (role: Message['role'], more: Partial<Message>) => {
    const id = idOf(messages.length + 1)
    messages.push({ id, role, text: id, conversation: 'main', channel: 'web', at: '2026-11-20T12:00:00.000Z', ...more })
    return id
  }
  const put = (isUser: boolean, id: string, path: readonly Place[], first = id) =>
    places.push({ id, first, path, isUser })
  const newest = () => {
    const last = places.at(-1)
    return last ? [...last.path, last] : []
  }
  const answered = new Set<string>()
  for (const next of all) {
    const asked = places.filter(({ isUser }) => isUser)
    if (next.is === 'send') put(true, say('user', {}), newest())
    else if (next.is === 'unsolicited') put(false, say('agent', {}), newest())
    else if (next.is === 'replace') {
      const place = asked[next.pick % asked.length]
      if (place) put(true, say('user', { replaces: place.first }), place.path, place.first)
    } else {
      const open = asked.filter(({ id }) => !answered.has(id))
      const place = open[next.pick % open.length]
      if (place) answered.add(say('agent', { inReplyTo: place.id }) && place.id)
    }
  }
  return { messages, places }
}

const idsOf = (messages: readonly Message[]) => messages.map(({ id }) => id)
/** The messages of a path with their replies. */
const alongPath = (messages: readonly Message[], path: readonly Place[]) => {
  const on = new Set(path.map(({ id }) => id))
  return idsOf(messages.filter(({ id, inReplyTo }) => on.has(inReplyTo ?? id)))
}
const whole = ({ path, ...place }: Place) => [...path, { path, ...place }]

describe('a conversation with new versions of messages', () => {
  test('ends with the branch of the newest message', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { messages, places } = play(all)
        const last = places.at(-1)
        expect(idsOf(branchOf(messages, null))).toEqual(last ? alongPath(messages, whole(last)) : [])
      }),
    )
  })

  test('has each older branch, with the replies that came later', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { messages, places } = play(all)
        for (const place of places) {
          expect(idsOf(branchOf(messages, place.id))).toEqual(alongPath(messages, whole(place)))
          const newest = places.findLast((other) => whole(other).some(({ id }) => id === place.id))
          expect(lastWith(messages, place.id)).toBe(newest?.id)
        }
      }),
    )
  })

  test('shows the same messages of a branch when it is read only in part', () => {
    fc.assert(
      fc.property(steps, fc.nat(), (all, from) => {
        const { messages, places } = play(all)
        const part = messages.slice(from % (messages.length + 1))
        const ids = new Set(idsOf(part))
        const last = places.at(-1)
        // The branch of a reply whose question is not read is only certain from the whole conversation.
        const isSure = ({ inReplyTo }: Message) => inReplyTo === undefined || ids.has(inReplyTo)
        const expected = new Set(last ? alongPath(messages, whole(last)) : [])
        const shown = branchOf(part, null).filter(isSure)
        expect(idsOf(shown)).toEqual(idsOf(part.filter((each) => isSure(each) && expected.has(each.id))))
      }),
    )
  })

  test('lists the versions of each message, oldest first', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { messages, places } = play(all)
        const versions = versionsOf(messages)
        for (const { id, first } of places) {
          const same = places.filter((place) => place.first === first).map((place) => place.id)
          expect(versions.get(id) ?? [id]).toEqual(same)
        }
      }),
    )
  })

  test('gives a prompt what was said before it on its own branch, and nothing else of a person', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { messages, places } = play(all)
        for (const place of places.filter(({ isUser }) => isUser)) {
          const { history, reply } = turnOf({ messageId: place.id }, messages)
          const before = new Set(alongPath(messages, place.path))
          const said = history.filter(({ role, inReplyTo }) => role === 'user' || inReplyTo !== undefined)
          expect(idsOf(said)).toEqual(
            idsOf(
              messages.filter(
                ({ id, role, inReplyTo }) => before.has(id) && (role === 'user' || inReplyTo !== undefined),
              ),
            ),
          )
          expect(reply?.inReplyTo ?? place.id).toBe(place.id)
        }
      }),
    )
  })
})
