/** `npm run admin -- channels …`: sets up a chat platform and checks the setup. */
import { type Platform, platforms } from '../../domain/channels/platform.ts'
import { apiRoot } from '../../domain/oauth/metadata.ts'
import type { SecretsPlace } from '../admin/place.ts'
import { discord } from './discord.ts'
import { type ChannelSetup, SetupError } from './setup.ts'
import { slack } from './slack.ts'
import { telegram } from './telegram.ts'

const setups: Partial<Record<Platform, ChannelSetup>> = { telegram, slack, discord }

interface ChannelsOptions {
  /** The origin of the dashboard; default: the local service's. */
  origin: string | undefined
  chat: string | undefined
}

/** @returns the exit code: 1 when the doctor found a problem @throws SetupError */
export async function channels(
  [verb, name]: readonly string[],
  options: ChannelsOptions,
  secrets: SecretsPlace,
): Promise<number> {
  if (name !== undefined && !isPlatform(name)) throw new SetupError(`Name one of ${known().join(', ')}.`)
  if (verb === 'setup' && name) {
    await setups[name]?.setup(contextOf(name, options, secrets))
    return 0
  }
  if (verb !== 'doctor') throw new SetupError(`channels setup ${known().join('|')}, or channels doctor.`)
  let problems = 0
  for (const platform of name ? [name] : known()) problems += await examine(platform, options, secrets)
  return problems > 0 ? 1 : 0
}

async function examine(platform: Platform, options: ChannelsOptions, secrets: SecretsPlace): Promise<number> {
  let problems = 0
  for await (const { name, found, problem } of setups[platform]?.doctor(contextOf(platform, options, secrets)) ?? []) {
    console.log(`${problem ? 'wrong' : 'ok   '}  ${platform} ${name}: ${found}${problem ? `. ${problem}` : ''}`)
    if (problem) problems += 1
  }
  return problems
}

const known = (): Platform[] => platforms.filter((platform) => setups[platform])
const isPlatform = (name: string): name is Platform => known().some((platform) => platform === name)

function contextOf(platform: Platform, { origin, chat }: ChannelsOptions, secrets: SecretsPlace) {
  const publicOrigin = (origin ?? secrets.origin)?.replace(/\/$/, '')
  if (!publicOrigin) throw new SetupError('Name the address of the deployment: --origin https://….')
  return {
    readSecret: () => secrets.read(platform),
    writeSecret: (value: object) => secrets.write(platform, value),
    publicOrigin,
    webhookUrl: `${apiRoot(publicOrigin)}/webhooks/${platform}`,
    given: (variable: string) => process.env[variable] || undefined,
    chat,
    say: (line: string) => console.log(line),
  }
}
