import { Bench, until } from './machine.ts'

let bench: Bench
beforeEach(async () => {
  bench = await new Bench().open()
})
afterEach(() => bench.close())

const audiences = ['llm', 'files', 'agent'] as const

it('renews the token of every audience, for as long as the machine lives', async () => {
  const { server } = bench
  server.tokenMs = 8_000
  const machine = bench.start({ BERTH_TOKEN_SECONDS: '8' })
  // By the third token of an audience its first one is dead.
  await until(() => audiences.every((audience) => server.tokensUsed(audience) >= 3), 'the use of a third token')
  const prompt = server.say('Still there?')
  // The poll that is open was begun before; it outlives the token it came with.
  await until(() => prompt.closed.length > 0)
  expect(server.replies(prompt)).toHaveLength(1)
  expect(server.seen.filter(({ status }) => status === 401)).toEqual([])
  expect(machine.child.exitCode).toBeNull()
})
