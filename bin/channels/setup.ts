import { PlatformError } from '../../app/channels/platform-port.ts'

/**
 * The knowledge of `npm run admin -- channels` about a platform: one file each next to this one, and a line in
 * `command.ts`.
 */

export interface ChannelSetup {
  /**
   * Registers webhook and commands at the platform, writes the secret, and says what only a person can do there.
   * @throws SetupError
   */
  setup(context: SetupContext): Promise<void>
  /**
   * Looks at everything that has to be as it should, and sends itself a message. Ends at what leaves nothing more to
   * look at.
   */
  doctor(context: SetupContext): AsyncIterable<Check>
}

export interface SetupContext {
  /** The platform's secret as it is now. */
  readSecret(): Promise<unknown>
  /** Functions read the new one within five minutes. */
  writeSecret(value: object): Promise<void>
  /** Where people's browsers are, without a slash at the end: `https://berth.example`. */
  publicOrigin: string
  /** The address that the platform calls: `https://berth.example/api/webhooks/telegram`. */
  webhookUrl: string
  /**
   * Secrets that only the operator has, such as a token, come from the environment, so that no shell history contains
   * them.
   */
  given(variable: string): string | undefined
  /** The chat, by the platform's own id, that the doctor's message goes to. */
  chat: string | undefined
  say(line: string): void
}

/** One thing the doctor looked at. `problem` says what to do; null when all is well. */
export interface Check {
  name: string
  found: string
  problem: string | null
}

/** The result of one check. */
export type Finding = Omit<Check, 'name'>

export const well = (found: string): Finding => ({ found, problem: null })

/** Looks at one thing; a platform that refuses is a finding, too. */
export async function check(name: string, look: () => Promise<Finding>): Promise<Check> {
  try {
    return { name, ...(await look()) }
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    return { name, found: 'failed', problem: error.message }
  }
}

/** Steps that the operator has to do first. */
export class SetupError extends Error {}
