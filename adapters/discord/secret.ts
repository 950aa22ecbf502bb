import * as z from 'zod'
import { secretReader } from '../aws/secrets.ts'
import type { Env } from '../env.ts'

/** The secret `discord`; empty until an operator sets Discord up. */
export const discordSecret = z.object({
  /** Snowflake. */
  applicationId: z.string(),
  /** Ed25519 key of Discord's signatures, 64 hexadecimal digits. */
  publicKey: z.string(),
  botToken: z.string(),
  /** Signs our listener's requests; empty without a listener. */
  gatewayKey: z.string().default(''),
  /** The link for new people instead of Discord's; `{code}` in it stands for a linking code. */
  startUrl: z.string().nullish(),
  apiBase: z.url().nullish(),
})
export type DiscordSecret = z.infer<typeof discordSecret>

export const discordSecretReader = (env: Env) => secretReader(env.secret('discord'), discordSecret)
