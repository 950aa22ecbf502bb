import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runsApart } from '../../emulators/aws/emulator.ts'
import { type Berth, startBerth } from '../../local/main.ts'
import type * as ServiceClient from '../service/client.ts'
import { machineOf } from '../service/machine.ts'

const hostile = join(import.meta.dirname, 'hostile.mjs')

let berth: Berth
let dataDir: string
let client: typeof ServiceClient
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'berth-hostile-'))
  // As an attacker would know them: a cloud machine has the same address and files each time.
  const meeting = 'MEETING=$(tr "\\0" "\\n" < /proc/$PPID/environ | sed -n s/^BERTH_LAUNCHER=//p)'
  const env = { BERTH_RUNTIME: `env HIDDEN=${dataDir}/data ${meeting} ${process.execPath} ${hostile}` }
  berth = await startBerth({ port: 0, dataDir, quiet: true }, env)
  Object.assign(process.env, { BERTH_URL: berth.url, BERTH_DATA_DIR: dataDir })
  client = await import('../service/client.ts')
})
afterAll(async () => {
  await berth.stop()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

// On other hosts `npm start` warns that it does not isolate machines.
const where = runsApart() ? describe : describe.skip

where('a hostile runtime', () => {
  test('a hostile runtime finds no token, no way to its supervisor and none out of its container; killing its launcher ends the machine, not the answer', async () => {
    const { call, hostedUser, status, until } = client
    const user = await hostedUser()
    const ask = async (text: string) => {
      const { body } = await call('POST', '/chat/messages', { text }, user)
      const replies = async () => {
        const page = await call('GET', `/chat/messages?after=${body.message.id}`, undefined, user)
        return page.body.messages.filter(({ role }: { role: string }) => role === 'agent')
      }
      await until('the answer', replies, (all) => all.length > 0)
      return replies
    }
    const findings = async (replies: () => Promise<{ text: string }[]>) => {
      const all = await replies()
      expect(all).toHaveLength(1)
      return JSON.parse(all[0]?.text ?? '{}')
    }

    const found = await findings(await ask('look'))
    // The searched processes: its launcher, the two shells around it, itself, and the key that no longer works.
    expect(found).toMatchObject({ tokens: [], where: {}, reached: [], hadKey: true })
    expect(found.processes).toBeLessThan(8)

    const { instance } = await status(user)
    const before = machineOf(instance.id)
    // The same search finds the tokens when nothing hides them.
    const { env } = before
    expect(env.BERTH_LLM_TOKEN).toMatch(/^bmt_llm\.[\w-]+\.[\w-]+$/)
    expect(readFileSync(join(dataDir, 'data/tasks.json'), 'utf8')).toContain(env.BERTH_LLM_TOKEN)

    const again = await findings(await ask('kill'))
    expect(again).toMatchObject({ tokens: [], reached: [] })
    expect(machineOf(instance.id).pid).not.toBe(before.pid)
    await until(
      'the machine',
      () => status(user),
      (seen) => seen.instance.state === 'running',
    )
  })
})
