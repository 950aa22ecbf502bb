import fc from 'fast-check'
import { most, seeded } from '../../counts.ts'
import type { AgentTenant } from '../agent/agent-world.ts'
import { dying } from '../kit/crash-world.ts'
import { type DeletionWorld, openDeletionWorld, step } from './deletion-world.ts'

let world: DeletionWorld
beforeAll(async () => {
  world = await openDeletionWorld()
})
afterAll(() => world.close())

/** Conversations of one user; each text in one of them contains its word. */
const count = 3

interface Scene {
  tenant: AgentTenant
  ids: string[]
  words: string[]
  gone: Set<number>
  /** Prompts that the machine has taken, by conversation. */
  taken: { id: string; of: number }[]
  keys: number
}

const reports = {
  reply: (promptId: string, word: string) => ({ kind: 'reply', promptId, text: word }),
  activity: (promptId: string, word: string) => ({ kind: 'activity', promptId, activities: [step(word)] }),
  question: (promptId: string, word: string, key: string) => ({
    ...{ kind: 'question', key, promptId, text: word, answer: 'text' },
  }),
} as const

type Step =
  | { do: 'send' | 'say' | 'delete' | 'delete-dying'; of: number; writes: number }
  | { do: 'take' | 'sweep' | 'close' }
  | { do: keyof typeof reports; prompt: number }

const of = fc.nat(count - 1)
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constantFrom('send' as const, 'say' as const), of, writes: fc.constant(0) }),
    fc.record({
      do: fc.constantFrom('delete' as const, 'delete-dying' as const, 'delete-dying' as const),
      of,
      writes: fc.integer({ min: 2, max: 9 }),
    }),
    fc.record({ do: fc.constantFrom('take' as const, 'take' as const, 'sweep' as const, 'close' as const) }),
    fc.record({ do: fc.constantFrom('reply' as const, 'activity' as const, 'question' as const), prompt: fc.nat(5) }),
  ),
  { minLength: 5, maxLength: 25 },
)

async function open(): Promise<Scene> {
  const tenant = await world.tenant()
  const words = Array.from({ length: count }, () => `word${world.nextId('msg').slice(-12).toLowerCase()}`)
  const ids: string[] = []
  for (const word of words) ids.push(await world.start(tenant, word))
  for (const [at, word] of words.entries()) await world.send(tenant, ids[at] ?? '', word)
  return { tenant, ids, words, gone: new Set(), taken: [], keys: 0 }
}

async function act(scene: Scene, next: Step): Promise<void> {
  const { tenant, ids, words, taken, gone } = scene
  switch (next.do) {
    case 'send':
      await world.send(tenant, ids[next.of] ?? '', words[next.of] ?? '')
      return
    case 'say':
      await world.observe(tenant, {
        ...{ kind: 'message', key: `k${++scene.keys}`, text: words[next.of], conversation: ids[next.of] },
      })
      return
    case 'delete':
    case 'delete-dying': {
      const path = `/chat/conversations/${ids[next.of]}`
      const remove = () => world.person(tenant)('DELETE', path)
      if (next.do === 'delete') await remove()
      else await dying(next.writes, remove)
      const found = await world.ports.conversations.find(tenant.userId, ids[next.of] ?? '')
      if (!found) gone.add(next.of)
      return
    }
    case 'take': {
      const prompt = await world.take(tenant)
      if (!prompt) return
      const at = ids.indexOf(prompt.conversation)
      expect([...gone]).not.toContain(at)
      taken.push({ id: prompt.id, of: at })
      return
    }
    case 'close': {
      const prompt = taken.shift()
      if (prompt) await tenant.call('/agent/feedback', { body: { promptId: prompt.id, outcome: 'completed' } })
      return
    }
    case 'sweep':
      return world.sweep()
    default: {
      const prompt = taken[next.prompt % Math.max(1, taken.length)]
      if (!prompt) return
      const report = reports[next.do](prompt.id, words[prompt.of] ?? '', `k${++scene.keys}`)
      const { status } = await world.observe(tenant, report)
      if (gone.has(prompt.of) && next.do !== 'activity') expect([next.do, status]).toEqual([next.do, 404])
    }
  }
}

async function check({ tenant, ids, words, gone }: Scene): Promise<void> {
  for (const at of gone) {
    expect(await world.readable(tenant, ids[at] ?? '')).not.toContain(words[at])
    const search = await world.person(tenant)('GET', `/chat/search?text=${words[at]}`)
    expect(search.body.found).toEqual([])
  }
}

test('in every order of events, nothing of a deleted conversation can be read, and at last nothing is stored', () =>
  fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const scene = await open()
      for (const next of all) {
        await act(scene, next as Step)
        await check(scene)
      }
      await world.sweep()
      await world.sweep()
      const rows = await world.stored()
      for (const [at, word] of scene.words.entries()) {
        const left = rows.filter((row) => row.includes(word))
        if (scene.gone.has(at)) expect(left).toEqual([])
        else expect(left).not.toEqual([])
      }
    }),
    seeded(most(200, 40), 15),
  ))
