import * as z from 'zod'

/** The secret `telegram`. While it is empty, every request is refused. */
export const telegramSecret = z.object({
  /** From @BotFather: `<bot id>:<key>`. */
  token: z.string(),
  /** Telegram sends it with each update: 1 to 256 letters, digits, `_` and `-`. */
  webhookSecret: z.string(),
  /** The bot's name without `@`, for mentions in groups. */
  username: z.string(),
  /** The link for new people instead of t.me; `{code}` in it stands for a linking code. */
  startUrl: z.string().nullish(),
  /** Replaces Telegram's origin; without a path. */
  apiBase: z
    .url()
    .refine((text) => new URL(text).pathname === '/')
    .nullish(),
})
export type TelegramSecret = z.infer<typeof telegramSecret>

export const botIdOf = ({ token }: Pick<TelegramSecret, 'token'>): number => Number(token.split(':')[0])
