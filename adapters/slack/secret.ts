import * as z from 'zod'

/** Our app at Slack. Empty until an operator fills it in, and then nothing is taken from Slack or sent there. */
export const slackSecret = z.object({
  appId: z.string().default(''),
  clientId: z.string().default(''),
  clientSecret: z.string().default(''),
  /** Signs what Slack sends us. */
  signingSecret: z.string().default(''),
  /** Another origin than Slack's, for tests and the laptop. */
  apiBase: z
    .url()
    .refine((text) => new URL(text).pathname === '/')
    .nullish(),
})
export type SlackSecret = z.infer<typeof slackSecret>
