import { discordPlatform } from '../../adapters/discord/discord.ts'
import { type DiscordSecret, discordSecret } from '../../adapters/discord/secret.ts'
import { discord } from '../../bin/channels/discord.ts'
import type { Check, SetupContext } from '../../bin/channels/setup.ts'
import { discordCommands } from '../../domain/channels/discord-commands.ts'
import { discordWorld, type World } from '../adapters/discord/world.ts'

let world: World
let secret: DiscordSecret
let lines: string[]
beforeEach(async () => {
  world = await discordWorld()
  world.emulator.application.interactionsUrl = null
  world.emulator.application.setCommands([])
  secret = discordSecret.parse({ applicationId: '', publicKey: '', botToken: '', apiBase: world.emulator.apiBase })
  lines = []
  // The service reads the secret that was written.
  world.platform.read = discordPlatform(async () => secret).read
})
afterEach(() => world.close())

const context = (environment: Record<string, string> = {}, chat?: string): SetupContext => ({
  readSecret: async () => secret,
  async writeSecret(value) {
    secret = discordSecret.parse(value)
  },
  publicOrigin: 'https://berth.example',
  webhookUrl: world.webhookUrl,
  given: (variable) => environment[variable],
  chat,
  say: (line) => lines.push(line),
})
const withToken = () => context({ DISCORD_BOT_TOKEN: world.emulator.application.botToken })
const checks = async (of: SetupContext): Promise<Check[]> => {
  const all: Check[] = []
  for await (const check of discord.doctor(of)) all.push(check)
  return all
}
const problems = async (of = context()) => (await checks(of)).flatMap(({ name, problem }) => (problem ? [name] : []))

describe('channels setup discord', () => {
  test('requires a token', async () => {
    await expect(discord.setup(context())).rejects.toThrow('DISCORD_BOT_TOKEN')
  })

  test('registers the address and the commands, fills in the secret, and then passes the doctor', async () => {
    await discord.setup(withToken())
    const { application } = world.emulator
    expect(secret).toMatchObject({
      applicationId: application.id,
      publicKey: application.publicKey,
      botToken: application.botToken,
    })
    expect(secret.gatewayKey.length).toBeGreaterThan(40)
    expect(application.interactionsUrl).toBe(world.webhookUrl)
    expect(application.commands.map(({ name }) => name)).toEqual(discordCommands.map(({ name }) => name))
    expect(lines.join('\n')).toContain(
      `client_id=${application.id}&scope=bot+applications.commands&permissions=274878008320`,
    )
    expect(lines.join('\n')).not.toContain(application.botToken)
    const found = await checks(context({}, world.general.id))
    expect(found.flatMap(({ problem }) => problem ?? [])).toEqual([])
    expect(found.map(({ name }) => name)).toEqual(['application', 'address', 'commands', 'webhook', 'message'])
    expect(world.general.messages.at(-1)?.content).toContain('A test message')
  })

  test('keeps the key that the listener signs with when it runs again', async () => {
    await discord.setup(withToken())
    const { gatewayKey } = secret
    await discord.setup(context())
    expect(secret.gatewayKey).toBe(gatewayKey)
  })

  test('says so while the functions still have the previous secret', async () => {
    world.platform.read = async () => ({ kind: 'refused', why: 'not yet' })
    await discord.setup(withToken())
    expect(world.emulator.application.interactionsUrl).toBeNull()
    expect(lines.join('\n')).toContain('then run this again')
  })
})

describe('channels doctor discord', () => {
  beforeEach(() => discord.setup(withToken()))

  test('reports each wrong setting', async () => {
    expect(await problems()).toEqual([])
    const { application } = world.emulator
    application.interactionsUrl = 'https://elsewhere.example'
    application.setCommands([])
    expect(await problems()).toEqual(['address', 'commands'])
    expect(await problems(context({}, '1'))).toContain('message')
  })

  test('reports a webhook that does not exist, or that accepts any request', async () => {
    const { read } = world.platform
    world.platform.read = async () => ({ kind: 'refused', why: 'other key' })
    expect(await problems()).toEqual(['webhook'])
    world.platform.read = async () => ({ kind: 'inbound', inbound: [], answer: null })
    expect(await problems()).toEqual(['webhook'])
    world.platform.read = read
    expect(await problems()).toEqual([])
  })

  test('reports a revoked token, and the secret of another application', async () => {
    secret = { ...secret, applicationId: '1' }
    expect(await problems()).toEqual(['application'])
    secret = { ...secret, botToken: 'wrong' }
    const [only, ...others] = await checks(context())
    expect([only?.problem, others]).toEqual(['Discord answered 401', []])
  })

  test('reports that nothing is set up', async () => {
    secret = { ...secret, botToken: '' }
    expect(await problems()).toEqual([])
  })
})
