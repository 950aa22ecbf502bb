import { readFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Bench, until } from './machine.ts'
import type { GivenFile } from './protocol-server.ts'

let bench: Bench
/** A machine that a few tests share. */
let shared: Bench | undefined
beforeEach(async () => {
  bench = shared ?? (await new Bench().open())
})
afterEach(() => bench === shared || bench.close())

const png = readFileSync(join(import.meta.dirname, '../../proofs/clients/models/pixel.png'))
const picture: GivenFile = { name: 'tides.png', type: 'image/png', content: png }
const table: GivenFile = { name: 'tides.csv', type: 'text/csv', content: Buffer.from('day,high\n1,14:10\n') }
const onVolume = (path: string) => readFileSync(join(bench.volume, path))
const asText = (calls: unknown) => JSON.stringify(calls)

describe('a prompt with files', () => {
  it.each([
    ['local/echo', /data:image\/png;base64,/],
    ['anthropic/claude-sonnet-4-6', /"media_type":"image\/png"/],
  ])('reaches %s with its images as images and its other files as paths', async (model, shape) => {
    const { server } = bench
    server.model = model
    const prompt = server.say('What is this?', 'main', [picture, table])
    bench.start()
    await until(() => prompt.closed.length > 0)
    const [call] = server.modelCalls
    expect(asText(call)).toMatch(shape)
    expect(asText(call)).toContain(png.toString('base64'))
    const path = `inbox/${prompt.messageId}/tides.csv`
    expect(asText(call)).toContain(`[Attached: ${path} (text/csv, ${table.content.length} bytes)]`)
    expect(onVolume(path)).toEqual(table.content)
    expect(onVolume(`inbox/${prompt.messageId}/tides.png`)).toEqual(png)
    expect(asText(call)).not.toContain('/store/')
  })

  it('without text still counts as a prompt, and is remembered', async () => {
    const { server } = bench
    const [first, second] = [server.say('', 'main', [table]), server.say('And now?')]
    bench.start()
    await until(() => second.closed.length > 0)
    const note = `inbox/${first.messageId}/`
    expect(asText(server.modelCalls[0])).toContain(note)
    expect(asText(server.modelCalls[1])).toContain(note)
  })

  it('can be read with the read tool', async () => {
    const { server } = bench
    const prompt = server.say('Read it.', 'main', [table])
    const path = `inbox/${prompt.messageId}/tides.csv`
    server.script = [{ call: { name: 'read_file', arguments: { path } } }, { text: 'At 14:10.' }]
    bench.start()
    await until(() => prompt.closed.length > 0)
    expect(asText(server.modelCalls[1])).toContain('1,14:10')
  })

  it('is sent again without its images when the model refuses them', async () => {
    const { server } = bench
    server.script = [{ status: 400 }, { text: 'I cannot see it.' }]
    const prompt = server.say('What is this?', 'main', [picture])
    bench.start()
    await until(() => prompt.closed.length > 0)
    expect(server.modelCalls.map((call) => asText(call).includes(png.toString('base64')))).toEqual([true, false])
    expect(asText(server.modelCalls[1])).toContain('tides.png')
    expect(prompt.closed).toEqual(['completed'])
  })

  it('names the files that could not be downloaded', async () => {
    const { server } = bench
    const prompt = server.say('What is this?', 'main', [table])
    server.objects.delete(prompt.attachments[0]?.id ?? '')
    bench.start()
    await until(() => prompt.closed.length > 0)
    expect(asText(server.modelCalls[0])).toContain('tides.csv. It could not be fetched.')
  })
})

describe('a reply with files', () => {
  const sendFile = (path: string) => ({ call: { name: 'send_file', arguments: { path } } })
  const write = async (path: string, content: string | Buffer) => {
    await mkdir(join(bench.volume, 'workspace'), { recursive: true })
    await writeFile(join(bench.volume, 'workspace', path), content)
  }

  it('delivers them with their names and types, once, even if the machine dies in between', async () => {
    const { server } = bench
    await write('tides.png', png)
    server.script = [sendFile('./tides.png'), { text: 'Here it is.' }]
    let deaths = 0
    server.onEffect = (step) => {
      if (step !== '/agent/observe reply' || deaths++ > 0) return
      process.kill(machine.runtimePid(), 'SIGKILL')
    }
    const prompt = server.say('Draw the tides.')
    const machine = bench.start()
    await until(() => prompt.closed.length > 0)
    const replies = server.replies(prompt)
    expect(replies.map(({ text, attachments }) => [text, attachments?.map(({ name, type }) => [name, type])])).toEqual([
      ['Here it is.', [['tides.png', 'image/png']]],
    ])
    expect(server.objects.get(replies[0]?.attachments?.[0]?.id ?? '')).toEqual(png)
    expect(deaths).toBeGreaterThan(0)
    expect(server.modelCalls).toHaveLength(2)
  })

  it.each(['before', 'after'] as const)('arrives once when the machine dies %s a file is stored', async (when) => {
    const { server } = bench
    await write('a.txt', 'all of it')
    server.script = [sendFile('a.txt'), { text: 'Here.' }]
    let died = false
    server.onStore = (_, step) => {
      if (step !== when || died) return true
      died = true
      process.kill(machine.child.pid ?? 0, 'SIGKILL')
      return false
    }
    const prompt = server.say('Send it.')
    const machine = bench.start()
    await machine.exited
    bench.start()
    await until(() => prompt.closed.length > 0)
    expect(died).toBe(true)
    expect(server.replies(prompt).map(({ attachments }) => attachments?.length)).toEqual([1])
    expect(server.modelCalls).toHaveLength(2)
  })

  describe('on one machine', () => {
    beforeAll(async () => {
      shared = await new Bench().open()
      bench = shared
      await write('empty.txt', '')
      await symlink('/etc/passwd', join(bench.volume, 'workspace/link.txt'))
      await symlink('/etc', join(bench.volume, 'workspace/folder'))
      bench.start()
    })
    afterAll(async () => {
      await shared?.close()
      shared = undefined
    })

    it.each([
      ['../state/turn.json', /does not lead into the volume/],
      ['/etc/passwd', /does not lead into the volume/],
      ['link.txt', /link; those are not followed/],
      ['folder/hosts', /not a folder|link; those/],
      ['nothing.txt', /nothing of that name/],
      ['empty.txt', /empty/],
    ])('does not attach %s', async (path, reason) => {
      const { server } = bench
      server.script = [sendFile(path), { text: 'I could not.' }]
      const prompt = server.say('Send it.')
      await until(() => prompt.closed.length > 0)
      const { messages } = server.modelCalls.at(-1) as { messages: unknown[] } // safe because a chat call carries messages
      expect(asText(messages.at(-1))).toMatch(reason)
      expect(server.stored).toEqual([])
      expect(server.replies(prompt).map(({ attachments }) => attachments)).toEqual([undefined])
    })
  })

  it('is sent without them when the daily quota for files is used up', async () => {
    const { server } = bench
    await write('a.txt', 'all of it')
    server.refuseFiles = { status: 429, error: 'rate-limited', message: 'No more today.' }
    server.script = [sendFile('a.txt'), { text: 'Here.' }]
    const prompt = server.say('Send it.')
    bench.start()
    await until(() => prompt.closed.length > 0)
    expect(server.replies(prompt).map(({ text }) => text)).toEqual([
      'Here.\n\n(I could not attach what I wanted to. a.txt: No more today.)',
    ])
  })
})
