import { Bench, until } from '../machine.ts'

let bench: Bench
beforeEach(async () => {
  bench = await new Bench().open()
})
afterEach(() => bench.close())

/** The tool results that the model got, once it has finished. */
async function results(...calls: [name: string, arguments: object][]): Promise<string> {
  const { server } = bench
  server.script = [...calls.map(([name, given]) => ({ call: { name, arguments: given } })), { text: 'Done.' }]
  const prompt = server.say('Go on.')
  bench.start()
  await until(() => prompt.closed.length > 0)
  return JSON.stringify(server.modelCalls.at(-1)?.messages)
}

describe('the reference agent, without a request', () => {
  it('asks its user about the exact action, and gets the answer', async () => {
    const { server } = bench
    const given = { to: 'ada@example.org' }
    const done = results(['ask_user', { question: 'May I?', tool: 'send_mail', arguments: given }])
    await until(() => server.questions.length > 0, 'the question')
    const [question] = server.questions
    if (!question) throw new Error('there is one')
    expect(question).toMatchObject({ answer: 'approve', tool: 'send_mail', arguments: given })
    expect(question.promptId).toBe(server.prompts[0]?.id)
    server.answer(question, { approved: true })
    expect(await done).toContain('"content":"yes')
  })

  it('sends a message besides its reply, and gets a refusal in the service’s words', async () => {
    const said = await results(
      ['tell_user', { text: 'The build broke.' }],
      ['later', { action: 'delete', id: 'sch_none' }],
    )
    expect(bench.server.observed('message')).toMatchObject([{ text: 'The build broke.' }])
    expect(said).toMatch(/error: There is no/)
  })

  it('creates, lists and cancels schedules', async () => {
    const said = await results(
      ['later', { action: 'add', when: 'in 2h', text: 'Look at the build.' }],
      ['later', { action: 'add', when: 'soon', text: 'x' }],
      ['later', { action: 'list' }],
    )
    expect(said).toContain('is not understood')
    expect(said).toMatch(/1 of 2/)
    expect(bench.server.schedules).toMatchObject([{ text: 'Look at the build.' }])
  })

  it('sees its costs, and the names of its secrets without values', async () => {
    const fixed = { value: 'ghp_example1234', header: 'authorization', template: 'Bearer {}' }
    bench.server.secrets = [{ name: 'github', hosts: ['api.github.com'], ...fixed }]
    const said = await results(
      ['cost', {}],
      ['secrets', {}],
      ['use_secret', { name: 'github', url: 'https://example.org/' }],
    )
    expect(said).toContain('this month: $2.000000')
    expect(said).toContain('github: api.github.com')
    expect(said).toMatch(/403.*forbidden/)
    expect(said).not.toContain('ghp_example')
  })
})
