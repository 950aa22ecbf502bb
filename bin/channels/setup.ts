import { PlatformError } from '../../app/ports/chat-platform.ts'

/** The setup and the checks of one platform. */

export interface ChannelSetup {
  /** Registers webhook and commands, writes the secret, prints steps for a person. @throws SetupError */
  setup(context: SetupContext): Promise<void>
  /** Checks the setup and sends a test message. Ends early when the remaining checks depend on a failed one. */
  doctor(context: SetupContext): AsyncIterable<Check>
}

export interface SetupContext {
  readSecret(): Promise<unknown>
  /** Functions read the new one within five minutes. */
  writeSecret(value: object): Promise<void>
  /** The origin of the dashboard, without a slash at the end: `https://berth.example`. */
  publicOrigin: string
  /** The address that the platform calls: `https://berth.example/api/webhooks/telegram`. */
  webhookUrl: string
  /** The operator's secrets, such as a token, come from the environment, so that no shell history contains them. */
  given(variable: string): string | undefined
  /** The platform's id of the chat that gets the test message. */
  chat: string | undefined
  say(line: string): void
}

/** `problem` says what to do; null if there is none. */
export interface Check {
  name: string
  found: string
  problem: string | null
}

export type Finding = Omit<Check, 'name'>

export const well = (found: string): Finding => ({ found, problem: null })

/** Runs one check; an error of the platform becomes its finding. */
export async function check(name: string, look: () => Promise<Finding>): Promise<Check> {
  try {
    return { name, ...(await look()) }
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    return { name, found: 'failed', problem: error.message }
  }
}

export class SetupError extends Error {}
