import * as z from 'zod'

/** The secret `telegram`: empty until an operator sets Telegram up, and closed to everybody as long as it is. */
export const telegramSecret = z.object({
  /** The bot's token from @BotFather: `<bot id>:<key>`. */
  token: z.string(),
  /** The secret that Telegram sends with each update: 1 to 256 letters, digits, `_` and `-`. */
  webhookSecret: z.string(),
  /** The bot's name without `@`: how people in groups address it. */
  username: z.string(),
  /** Where a person begins instead of at t.me; `{code}` in it stands for a linking code. */
  startUrl: z.string().nullish(),
  /** Another origin than Telegram's, without a path. */
  apiBase: z
    .url()
    .refine((text) => new URL(text).pathname === '/')
    .nullish(),
})
export type TelegramSecret = z.infer<typeof telegramSecret>

/** The id of a bot is the first part of its token. */
export const botIdOf = ({ token }: Pick<TelegramSecret, 'token'>): number => Number(token.split(':')[0])
