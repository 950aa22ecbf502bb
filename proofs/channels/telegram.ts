/**
 * grammY, the most used library for bots in TypeScript, as a bot at the emulator: its API, its webhooks and its files.
 */
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isDeepStrictEqual } from 'node:util'
import { telegramEmulator } from '../../emulators/telegram/emulator.ts'

const version = '1.46.0'
const ada = 1001

/** Returns the features that worked. @throws at the first feature that does not */
export async function telegram(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-prove-telegram-'))
  cpSync(join(import.meta.dirname, 'grammy-bot.mjs'), join(folder, 'bot.mjs'))
  execFileSync('npm', ['install', '--no-audit', '--no-fund', `grammy@${version}`], { cwd: folder, stdio: 'pipe' })
  const emulator = await telegramEmulator.start({
    pagesUrl: 'http://127.0.0.1:1/page',
    log: () => {},
    firstRetryMs: 20,
  })
  const env = { ...process.env, API_ROOT: emulator.apiBase, TOKEN: emulator.token, SECRET: 'grammy' }
  const bot = spawn(process.execPath, ['bot.mjs'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface(bot.stdout)[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value ?? 'null')
  const done: string[] = []
  const check = (what: string, found: unknown, expected: unknown) => {
    if (!isDeepStrictEqual(found, expected))
      throw new Error(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`)
    done.push(what)
  }
  const messages = () => emulator.world.chat(ada).messages
  try {
    check('getMe, setWebhook and setMyCommands are called at the start', await next(), { username: 'local_bot' })
    emulator.people.say(ada, ada, { text: '/start CODE' })
    check('a command with its argument is heard', await next(), { command: 'start', match: 'CODE' })
    await emulator.settled()
    const asked = messages().at(-1)
    check('it answers with buttons', asked?.buttons?.inline_keyboard[0]?.length, 2)
    const answer = await emulator.people.press(ada, ada, asked?.id ?? 0, 'yes')
    check('a press is answered', [await next(), answer], [{ pressed: 'yes' }, 'Noted'])
    await emulator.settled()
    check(
      'the message is edited in place',
      [messages().at(-1)?.id, messages().at(-1)?.text],
      [asked?.id, 'You said yes'],
    )
    const content = Buffer.from('the bytes of a file')
    emulator.people.say(ada, ada, { file: { name: 'a.txt', type: 'text/plain', content }, text: 'see' })
    check('a file is fetched', await next(), { file: content.toString(), caption: 'see' })
    check('a draft is taken', await next(), { draft: true })
    await emulator.settled()
    const { draft } = emulator.world.passing(emulator.world.chat(ada))
    check('and goes with the message after it', draft, undefined)
    check('a file is sent', messages().at(-1)?.document?.file_name, 'back.txt')
    emulator.people.say(ada, ada, { text: 'flood' })
    check('too much at once is its error 429 with retry_after', await next(), { code: 429, waits: true })
    emulator.people.edit(ada, 1, '/start again')
    check('an edit is heard', await next(), { edited: '/start again' })
    emulator.people.setBot(ada, ada, 'kicked')
    check('being blocked is heard', await next(), { standing: 'kicked' })
    check('and speaking then is its error 403', await next(), {
      code: 403,
      description: 'Forbidden: bot was blocked by the user',
    })
    return done.map((what) => `grammY ${version}: ${what}`)
  } finally {
    bot.kill()
    await emulator.stop()
    rmSync(folder, { recursive: true })
  }
}
