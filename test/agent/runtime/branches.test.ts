import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { branchOf, openSummary, openTranscript } from '../../../agent/runtime/memory.ts'
import { StateFolder } from '../../../agent/volume/state-folder.ts'
import { Bench, until } from '../machine.ts'

let bench: Bench
beforeEach(async () => {
  bench = await new Bench().open()
})
afterEach(() => bench.close())

async function ask(text: string, replaces?: string) {
  const { server } = bench
  const prompt = server.say(text, 'main', [], replaces)
  await until(() => prompt.closed.length > 0)
  return { ...prompt, input: JSON.stringify(server.modelCalls.at(-1)?.messages) }
}

async function restart(machine: ReturnType<Bench['start']>) {
  machine.child.kill('SIGTERM')
  expect(await machine.exited).toBe(0)
  return bench.start()
}

describe('new versions of a message', () => {
  it('are answered as if the earlier ones had never been sent, twice, over restarts, and when the service reads less', async () => {
    const { server } = bench
    server.script = ['Noted: Heron.', 'Noted: blue.', 'Noted: May.'].map((text) => ({ text }))
    let machine = bench.start()
    const [boat, colour] = [await ask('My boat is Heron.'), await ask('She is blue.')]
    await ask('We sail in May.')

    machine = await restart(machine)
    server.script = [{ text: 'Noted: green.' }]
    const second = await ask('She is green.', colour.messageId)
    expect(second.input).toContain('My boat is Heron.')
    expect(second.input).toContain('Noted: Heron.')
    expect(second.input).not.toMatch(/blue|May/)

    machine = await restart(machine)
    server.script = [{ text: 'Noted: red.' }, { text: 'Noted: June.' }]
    const third = await ask('She is red.', colour.messageId)
    expect(third.input).toContain('Noted: Heron.')
    expect(third.input).not.toMatch(/blue|May|green/)
    await ask('We sail in June.')

    await restart(machine)
    // Only its own memory knows what was said before the newest messages, and which of it was replaced.
    server.read = 1
    const last = await ask('What do you know?')
    for (const known of ['Noted: Heron.', 'She is red.', 'Noted: red.', 'We sail in June.', 'Noted: June.'])
      expect(last.input).toContain(known)
    expect(last.input).not.toMatch(/blue|May|green/)
    expect(boat.closed).toEqual(['completed'])
  })

  it('leave out the summary of what they replace, and use an earlier one', async () => {
    const summary = openSummary(new StateFolder(bench.volume, 'state'))
    const old = { until: '2026-11-20T12:00:00.000Z', text: 'An old summary.' }
    await summary.set('cnv_1', old)
    await summary.set('main', { until: '2026-11-20T12:00:00.000Z', upTo: 'msg_1', text: 'The boat is Heron.' })
    await summary.set('main', { until: '2026-11-20T13:00:00.000Z', upTo: 'msg_3', text: 'She is blue.' })
    const again = openSummary(new StateFolder(bench.volume, 'state'))
    const summedUp = async (conversation: string, from: string) => {
      const replaced = from ? [{ from, before: 'msg_5' }] : []
      return (await again.of(conversation, branchOf([], { prompt: { messageId: 'msg_5' }, replaced }))).text
    }
    expect(await summedUp('main', '')).toBe('She is blue.')
    expect(await summedUp('main', 'msg_4')).toBe('She is blue.')
    expect(await summedUp('main', 'msg_3')).toBe('The boat is Heron.')
    expect(await summedUp('main', 'msg_1')).toBe('')
    expect([await summedUp('cnv_1', ''), await summedUp('cnv_1', 'msg_4')]).toEqual([old.text, ''])
  })
})

it('reads a transcript of before there were versions', async () => {
  const folder = new StateFolder(bench.volume, 'memory')
  const line = { conversation: 'main', text: 'Hello', at: '2026-11-20T12:00:00.000Z' }
  const lines = [
    { ...line, promptId: 'prm_1', id: 'msg_1', role: 'user' },
    { ...line, promptId: 'prm_1', id: 'msg_2', role: 'agent' },
  ]
  await folder.replace('transcript.jsonl', lines.map((each) => `${JSON.stringify(each)}\n`).join(''))
  const transcript = await openTranscript(folder)
  expect(transcript.of('main').map(({ id, inReplyTo }) => [id, inReplyTo])).toEqual([
    ['msg_1', undefined],
    ['msg_2', 'msg_1'],
  ])
  expect(readFileSync(join(bench.volume, 'memory', 'transcript.jsonl'), 'utf8')).not.toContain('replaced')
})
