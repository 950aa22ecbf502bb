/**
 * Discord's own programs, and the most used third-party one, check our code and our emulator: `discord-interactions`
 * verifies the same requests, `@discordjs/rest` and `discord.js` use the emulator's API and gateway.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { senderOf } from '../adapters/discord/sender.ts'
import { discordCommands } from '../domain/channels/discord-commands.ts'
import { discordEmulator } from '../emulators/discord/emulator.ts'

const folder = mkdtempSync(join(tmpdir(), 'prove-discord-'))
let failed = 0
const see = (what: string, holds: boolean) => {
  console.log(`${holds ? 'ok   ' : 'FAILED'} ${what}`)
  if (!holds) failed += 1
}
const emulator = await discordEmulator.start({
  pagesUrl: 'http://127.0.0.1/discord',
  interactionsUrl: null,
  name: 'Agent',
  log: () => {},
})
const { account, application, interactions, gateway } = emulator
const ada = account.addUser('Ada')
const server = account.addServer('Harbour', ada.id, [], ['general'])
const [general] = account.channelsOf(server.id)
if (!general) throw new Error('there is no channel')

try {
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const packages = ['discord.js@14.28.1', '@discordjs/rest@2.6.3', 'discord-interactions@4.4.0']
  execFileSync('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder, stdio: 'ignore' })
  const load = createRequire(join(folder, 'package.json'))
  await verify(load('discord-interactions').verifyKey)
  await speak(load('@discordjs/rest'))
  await listen(load('discord.js'))
} finally {
  rmSync(folder, { recursive: true, force: true })
  await emulator.stop()
}
process.exitCode = failed > 0 ? 1 : 0

type VerifyKey = (body: string, signature: string, timestamp: string, key: string) => Promise<boolean>

async function verify(verifyKey: VerifyKey): Promise<void> {
  const nowMs = Date.now()
  const secret = { applicationId: application.id, publicKey: application.publicKey, botToken: '', gatewayKey: '' }
  let agreed = 0
  for (let i = 0; i < 2_000; i += 1) {
    const body = JSON.stringify({ i, text: 'ü𝄞\n'.repeat(i % 50) })
    const headers = interactions.signed(body, Math.floor(nowMs / 1000) - (i % 300))
    const sent = i % 3 === 0 ? body.replace('i', 'j') : body
    const signature = headers['x-signature-ed25519'] ?? ''
    const given = { ...headers, 'x-signature-ed25519': i % 7 === 0 ? signature.replace(/^../, '00') : signature }
    const theirs = await verifyKey(
      sent,
      given['x-signature-ed25519'],
      headers['x-signature-timestamp'] ?? '',
      application.publicKey,
    )
    if (theirs === (senderOf(given, sent, secret, nowMs).kind === 'discord')) agreed += 1
  }
  see(`of 2,000 requests discord-interactions and we take and refuse the same: ${agreed}`, agreed === 2_000)
}

// biome-ignore lint/suspicious/noExplicitAny: a package that is installed for the proof alone has no types here
type Package = Record<string, any>

async function speak({ REST }: Package): Promise<void> {
  const rest = new REST({ api: `${emulator.apiBase}/api`, version: '10' }).setToken(application.botToken)
  const path = `/channels/${general?.id}/messages`
  const made = await rest.post(path, { body: { content: 'one', nonce: 'n', enforce_nonce: true } })
  const again = await rest.post(path, { body: { content: 'one', nonce: 'n', enforce_nonce: true } })
  see('@discordjs/rest sends a message, and one nonce once', made.id === again.id && general?.messages.length === 1)
  const edited = await rest.patch(`${path}/${made.id}`, { body: { content: 'two' } })
  see('edits it', edited.content === 'two' && edited.edited_timestamp !== null)
  const file = { name: 'a.txt', data: Buffer.from('abc'), contentType: 'text/plain' }
  const withFile = await rest.post(path, { body: { content: 'file' }, files: [file] })
  const bytes = await fetch(withFile.attachments[0].url).then((answer) => answer.text())
  see('uploads a file, which is there', bytes === 'abc')
  const refused = await rest.post(path, { body: { content: 'x'.repeat(2_001) } }).catch((error: Package) => error)
  see(`is told what is wrong with one that is too long: ${refused.code}`, refused.code === 50_035)
  const began = Date.now()
  await Promise.all(Array.from({ length: 8 }, (_, at) => rest.post(path, { body: { content: `m${at}` } })))
  see(`keeps to the pace it is told: 8 messages in ${Date.now() - began} ms`, Date.now() - began > 4_000)
  const commands = await rest.put(`/applications/${application.id}/commands`, { body: discordCommands })
  see(`registers our ${commands.length} commands`, commands.length === discordCommands.length)
}

async function listen({ Client, GatewayIntentBits, Partials }: Package): Promise<void> {
  const client = new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.DirectMessages,
      GatewayIntentBits.MessageContent,
    ],
    partials: [Partials.Channel],
    rest: { api: `${emulator.apiBase}/api` },
  })
  const heard: string[] = []
  client.on('messageCreate', (message: Package) => heard.push(`${message.author.username}: ${message.content}`))
  const ready = once(client, 'clientReady')
  await client.login(application.botToken)
  await ready
  see(
    `discord.js is ready as ${client.user.username} in ${client.guilds.cache.size} server`,
    client.guilds.cache.size === 1,
  )
  const until = async (count: number) => {
    for (const end = Date.now() + 20_000; heard.length < count && Date.now() < end; )
      await new Promise((resolve) => setTimeout(resolve, 50))
  }
  if (general) account.say(general, ada, { content: 'hello' })
  const direct = account.directOf(ada.id)
  if (direct) account.say(direct, ada, { content: 'directly' })
  await until(2)
  see(`hears plain messages: ${heard.join(', ')}`, heard.join() === 'ada: hello,ada: directly')
  gateway.drop()
  if (general) account.say(general, ada, { content: 'meanwhile' })
  await until(3)
  see(
    `resumes a lost connection and is given what it missed (${gateway.resumed} resumed)`,
    heard[2] === 'ada: meanwhile' && gateway.resumed === 1,
  )
  gateway.askToReconnect()
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  if (general) account.say(general, ada, { content: 'after' })
  await until(4)
  see('comes back when it is asked to reconnect', heard[3] === 'ada: after')
  const channel = await client.channels.fetch(general?.id)
  const reply = await channel.send('a reply')
  await reply.edit('a better reply')
  see('speaks and edits', general?.messages.at(-1)?.content === 'a better reply')
  await client.destroy()
}
