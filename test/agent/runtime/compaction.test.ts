import fc from 'fast-check'
import { chatCompletions } from '../../../agent/runtime/chat-completions.ts'
import { budgetCharacters, compact } from '../../../agent/runtime/compaction.ts'
import { type Conversation, type Step, sizeOf } from '../../../agent/runtime/conversation.ts'
import type { Line } from '../../../agent/runtime/memory.ts'
import { messages } from '../../../agent/runtime/messages.ts'
import { seeded } from '../../counts.ts'

const line = (n: number, text: string): Line => ({
  id: `msg_${n}`,
  role: n % 2 === 0 ? 'user' : 'agent',
  text,
  at: new Date(n * 1000).toISOString(),
})
const step = (n: number, result: string, given: object = { path: `${n}.txt` }): Step => ({
  text: `Step ${n}.`,
  calls: [{ id: `call_${n}`, name: 'read_file', arguments: JSON.stringify(given) }],
  results: [result],
  thoughts: [],
})
const conversation = (more: Partial<Conversation>): Conversation => ({
  ...{
    system: 'You are an agent.',
    before: '',
    earlier: [],
    message: 'Sort the harbour’s papers.',
    done: '',
    plan: '',
  },
  images: [],
  steps: [],
  ...more,
})
const long = (letter: string, length: number) => letter.repeat(length)

/** A model that writes summaries, and the requests that it got. */
function summing(answer: string | null = 'A summary.') {
  const asked: string[] = []
  const sumUp = async (text: string) => {
    asked.push(text)
    return answer
  }
  return { asked, sumUp }
}

interface ToolUse {
  id: string
}
interface ChatMessage {
  role: string
  content: unknown
  tool_calls?: ToolUse[]
  tool_call_id?: string
}

/** Messages that a provider refuses: a result without its call, or a call without its result. */
function orphans(now: Conversation): string[] {
  const call = { model: 'm', trigger: 'chat' as const, turn: '', conversation: now, tools: [], mayCall: true }
  const chat = (chatCompletions.body(call) as { messages: ChatMessage[] }).messages // safe because the format has this shape
  const found: string[] = []
  let open: string[] = []
  for (const { role, tool_calls = [], tool_call_id = '' } of chat) {
    if (role === 'tool' && open[0] === tool_call_id) open.shift()
    else if (role === 'tool') found.push(`result ${tool_call_id}`)
    else {
      found.push(...open.map((id) => `call ${id}`))
      open = tool_calls.map(({ id }) => id)
    }
  }
  const said = (
    messages.body(call) as { messages: { content: { type: string; id?: string; tool_use_id?: string }[] }[] }
  ).messages // safe as above
  said.forEach(({ content }, i) => {
    const used = content.filter(({ type }) => type === 'tool_use').map(({ id }) => id)
    const answered = (said[i + 1]?.content ?? []).filter(({ type }) => type === 'tool_result')
    if (JSON.stringify(used) !== JSON.stringify(answered.map((block) => block.tool_use_id))) found.push(`message ${i}`)
  })
  return [...found, ...open.map((id) => `call ${id}`)]
}

describe('a conversation that is too long', () => {
  test('is unchanged while it fits, so that its cached prefix stays valid', async () => {
    const { asked, sumUp } = summing()
    const fitting = conversation({ steps: [step(1, long('x', 100_000))], earlier: [line(1, long('y', 40_000))] })
    expect((await compact(fitting, budgetCharacters, sumUp)).conversation).toBe(fitting)
    expect(asked).toEqual([])
  })

  test('loses the middle of older tool results first, the oldest first, and nothing of the newest three', async () => {
    const { asked, sumUp } = summing()
    const steps = Array.from({ length: 10 }, (_, i) => step(i, `begin ${i} ${long('x', 17_000)} end ${i}`))
    const { conversation: now } = await compact(conversation({ steps }), budgetCharacters, sumUp)
    expect(asked).toEqual([])
    expect(now.steps[0]?.results[0]).toMatch(/^begin 0 x+\n\[\d+ characters are left out here.*\]\nx+ end 0$/)
    const cut = now.steps.flatMap((now, i) => (now === steps[i] ? [] : [i]))
    expect(cut).toEqual([0, 1, 2, 3, 4])
    expect(sizeOf(now)).toBeLessThanOrEqual(budgetCharacters * 0.6)
  })

  test('keeps shortened arguments of a call a JSON object', async () => {
    const steps = Array.from({ length: 8 }, (_, i) => step(i, 'written', { path: 'a', content: long('"', 30_000) }))
    const { conversation: now } = await compact(conversation({ steps }), budgetCharacters, summing().sumUp)
    const [call] = now.steps[0]?.calls ?? []
    expect(JSON.parse(call?.arguments ?? '')).toMatchObject({ path: 'a', content: expect.stringContaining('left out') })
  })

  test('gets a summary of its earlier turns and earlier summary, which records where it ends', async () => {
    const { asked, sumUp } = summing()
    const earlier = Array.from({ length: 20 }, (_, i) => line(i, `${i}: ${long('y', 4_000)}`))
    const before = 'The boat is called Heron.'
    const { conversation: now, summedUpTo } = await compact(conversation({ earlier, before }), budgetCharacters, sumUp)
    expect(asked).toHaveLength(1)
    expect(asked[0]).toContain('The boat is called Heron.')
    expect(now.before).toBe('A summary.')
    expect(now.earlier).toEqual(earlier.slice(-now.earlier.length))
    expect(now.earlier.length).toBeGreaterThan(2)
    expect(summedUpTo).toEqual(earlier[earlier.length - now.earlier.length - 1])
    expect(now.message).toBe('Sort the harbour’s papers.')
  })

  test('gets a summary of older steps when shortening does not suffice; request, plan and newest steps stay', async () => {
    const { asked, sumUp } = summing('Read 1 to 150.')
    const steps = Array.from({ length: 200 }, (_, i) => step(i, long('z', 790)))
    const { conversation: now } = await compact(conversation({ steps, plan: '[ ] read all' }), 100_000, sumUp)
    expect(asked[0]).toContain('Sort the harbour’s papers.')
    expect(now.steps).toEqual(steps.slice(-3))
    const sent = JSON.stringify(messages.body({ ...call, conversation: now }))
    for (const kept of ['Sort the harbour’s papers.', 'Read 1 to 150.', '[ ] read all']) expect(sent).toContain(kept)
  })

  test('continues without a summary when the model fails, with a note that something is missing', async () => {
    const earlier = Array.from({ length: 20 }, (_, i) => line(i, long('y', 4_000)))
    const said = conversation({ earlier, before: 'The boat is called Heron.' })
    const { conversation: now } = await compact(said, budgetCharacters, summing(null).sumUp)
    expect(now.before).toMatch(/^The boat is called Heron\.\n.*left out/)
  })

  const call = { model: 'm', trigger: 'chat' as const, turn: '', tools: [], mayCall: true }
  const text = (most: number) => fc.integer({ min: 0, max: most }).map((length) => long('w', length))
  const someSteps = fc.array(
    fc.array(fc.record({ result: text(40_000), given: text(20_000) }), { minLength: 1, maxLength: 4 }),
    { maxLength: 12 },
  )

  test('keeps request, plan and every call with its result, and fits unless these alone are too long', async () => {
    await fc.assert(
      fc.asyncProperty(
        someSteps,
        fc.array(text(12_000), { maxLength: 12 }),
        fc.integer({ min: 20_000, max: 200_000 }),
        fc.option(fc.constant('Short.')),
        async (drawn, lines, budget, summary) => {
          const steps = drawn.map((calls, n) => ({
            ...{ text: '', thoughts: [], results: calls.map(({ result }) => result) },
            calls: calls.map(({ given }, i) => ({
              id: `${n}.${i}`,
              name: 'write_file',
              arguments: JSON.stringify({ given }),
            })),
          }))
          const before = conversation({ steps, earlier: lines.map((said, n) => line(n, said)), plan: '[ ] all' })
          const { conversation: now } = await compact(before, budget, summing(summary).sumUp)
          expect(orphans(now)).toEqual([])
          expect([now.message, now.plan, now.system]).toEqual([before.message, before.plan, before.system])
          const ids = (each: Conversation) => each.steps.map(({ calls }) => calls.map(({ id }) => id))
          expect(ids(now)).toEqual(ids(before).slice(ids(before).length - ids(now).length))
          expect(ids(now).length).toBeGreaterThanOrEqual(Math.min(3, steps.length))
          const newest = now.steps.slice(-3).flatMap(({ calls }) => calls).length
          expect(sizeOf(now)).toBeLessThanOrEqual(Math.max(budget, 20_000 + newest * 8_400))
        },
      ),
      seeded(2_000, 40),
    )
  })
})
