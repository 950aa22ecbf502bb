import * as z from 'zod'
import { secretReader } from '../aws/secrets.ts'
import type { Env } from '../env.ts'

/** The secret `discord`; all is empty until an operator has set Discord up. */
export const discordSecret = z.object({
  /** The application's own id, a snowflake. */
  applicationId: z.string(),
  /** Ed25519, 64 hexadecimal digits: what Discord signs its requests with. */
  publicKey: z.string(),
  botToken: z.string(),
  /** The key with which our own listener signs its requests; empty without a listener. */
  gatewayKey: z.string().default(''),
  /** Where a person begins instead of at Discord; `{code}` in it stands for a linking code. */
  startUrl: z.string().nullish(),
  /** Another origin than Discord's. */
  apiBase: z.url().nullish(),
})
export type DiscordSecret = z.infer<typeof discordSecret>

export const discordSecretReader = (env: Env) => secretReader(env.secret('discord'), discordSecret)
