import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sessionOf } from '../../../agent/kit/session.ts'
import { openSummary } from '../../../agent/runtime/memory.ts'
import { openSessions } from '../../../agent/runtimes/program.ts'
import { forgetConversation } from '../../../agent/volume/forget.ts'
import { StateFolder } from '../../../agent/volume/state-folder.ts'

const [gone, kept] = ['cnv_01KAHB2N3P4Q5R6S7T8V9WXYZ0', 'cnv_01KAHB2N3P4Q5R6S7T8V9WXYZ1']
const session = '0b9c4f1e-2f5c-4d0e-9a51-0f6b7c8d9e0f'

let volume: string
const at = (path: string) => join(volume, path)
const write = (path: string, text: string) => {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), text)
}
const line = (conversation: string, text: string) => JSON.stringify({ promptId: 'prm_1', conversation, text })

beforeEach(() => {
  volume = mkdtempSync(join(tmpdir(), 'berth-forget-'))
})
afterEach(() => rmSync(volume, { recursive: true, force: true }))

describe('a machine that forgets a conversation', () => {
  it('keeps nothing of it, and everything of the others', async () => {
    const others = [line('main', 'one'), 'not JSON', line(kept, 'three')]
    write(
      'memory/transcript.jsonl',
      `${others[0]}\n${line(gone, 'two')}\n${others[1]}\n${others[2]}\n${line(gone, 'four')}`,
    )
    write('memory/notes.md', 'a note')
    const summaries = openSummary(new StateFolder(volume, 'state'))
    const sessions = openSessions(new StateFolder(volume, 'state', 'claude-code'))
    for (const conversation of [gone, kept]) {
      await summaries.set(conversation, { until: '2026-11-20T12:00:00.000Z', text: `of ${conversation}` })
      await sessions.set(conversation, conversation === gone ? session : 'another-session')
    }
    write(`state/claude-code/home/projects/work/${session}.jsonl`, 'said')
    write(`state/claude-code/home/projects/work/${session}/tool.json`, 'said')
    write('state/claude-code/home/projects/work/another-session.jsonl', 'said')
    write(`state/pi/home/sessions/1_${sessionOf(gone)}.jsonl`, 'said')
    write(`state/pi/home/sessions/1_${sessionOf(kept)}.jsonl`, 'said')
    write('workspace/made.txt', 'made')
    // A second time is harmless: the service may hand the task out again.
    for (const _ of [1, 2]) await forgetConversation(volume, gone)
    expect(readFileSync(at('memory/transcript.jsonl'), 'utf8')).toBe(`${others.join('\n')}\n`)
    expect(JSON.parse(readFileSync(at('state/summary.json'), 'utf8'))).toEqual({ [kept]: [expect.anything()] })
    expect(JSON.parse(readFileSync(at('state/claude-code/sessions.json'), 'utf8'))).toEqual({
      [kept]: 'another-session',
    })
    const left = [
      `state/claude-code/home/projects/work/${session}.jsonl`,
      `state/claude-code/home/projects/work/${session}`,
      `state/pi/home/sessions/1_${sessionOf(gone)}.jsonl`,
      'state/claude-code/home/projects/work/another-session.jsonl',
      `state/pi/home/sessions/1_${sessionOf(kept)}.jsonl`,
      'memory/notes.md',
      'workspace/made.txt',
    ].map((path) => existsSync(at(path)))
    expect(left).toEqual([false, false, false, true, true, true, true])
  })

  it('does not remember it again when a runtime that was open writes', async () => {
    const summaries = openSummary(new StateFolder(volume, 'state'))
    const sessions = openSessions(new StateFolder(volume, 'state', 'codex'))
    await summaries.set(gone, { until: '2026-11-20T12:00:00.000Z', text: 'old' })
    await sessions.set(gone, session)
    await forgetConversation(volume, gone)
    await summaries.set(kept, { until: '2026-11-20T12:00:00.000Z', text: 'new' })
    await sessions.set(kept, 'another-session')
    expect(readFileSync(at('state/summary.json'), 'utf8')).not.toContain(gone)
    expect(readFileSync(at('state/codex/sessions.json'), 'utf8')).not.toContain(gone)
  })

  it('works on an empty volume, follows no link, and deletes nothing for a session of a few letters', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'berth-outside-'))
    writeFileSync(join(outside, `${session}.jsonl`), 'secret')
    await forgetConversation(volume, gone)
    write('state/codex/sessions.json', JSON.stringify({ [gone]: 'a' }))
    write('state/codex/home/a.json', 'stays')
    symlinkSync(outside, at('state/codex/link'))
    symlinkSync(outside, at('state/link'))
    await forgetConversation(volume, gone)
    expect([existsSync(join(outside, `${session}.jsonl`)), existsSync(at('state/codex/home/a.json'))]).toEqual([
      true,
      true,
    ])
    rmSync(outside, { recursive: true })
  })
})
