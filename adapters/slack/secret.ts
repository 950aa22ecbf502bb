import * as z from 'zod'

/** The app at Slack. While it is empty, the service neither accepts nor sends anything. */
export const slackSecret = z.object({
  appId: z.string().default(''),
  clientId: z.string().default(''),
  clientSecret: z.string().default(''),
  /** Key of Slack's signatures. */
  signingSecret: z.string().default(''),
  apiBase: z
    .url()
    .refine((text) => new URL(text).pathname === '/')
    .nullish(),
})
export type SlackSecret = z.infer<typeof slackSecret>
