import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import type { Mail } from '../../app/ports/notifications.ts'
import { type Letter, switchOffText } from '../../domain/notifications/letter.ts'
import type { Env } from '../env.ts'
import { once } from '../memoize.ts'
import { unsubscribeSigner } from './unsubscribe-links.ts'

/** Plain-text mail by SES. Mail with an unsubscribe link has RFC 8058's headers, and the link below its text. */
export const mail = (env: Env): Mail => {
  const client = once(() => new SESv2Client({}))
  const sign = unsubscribeSigner(env)
  const origin = () => env.settings().publicOrigin

  async function switchedOff({ text, switchable }: Letter) {
    if (!switchable) return { text, headers: [] }
    const token = await sign(switchable.userId, switchable.group)
    const headers = [
      { Name: 'List-Unsubscribe', Value: `<${origin()}/api/notifications/unsubscribe/${token}>` },
      { Name: 'List-Unsubscribe-Post', Value: 'List-Unsubscribe=One-Click' },
    ]
    return {
      text: `${text.trimEnd()}\n\n${switchOffText(switchable.group, `${origin()}/unsubscribe#${token}`)}\n`,
      headers,
    }
  }

  return {
    async send(letter) {
      const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' })
      const { text, headers } = await switchedOff(letter)
      await client().send(
        new SendEmailCommand({
          FromEmailAddress: env.variable('MAIL_FROM'),
          Destination: { ToAddresses: [letter.to] },
          Content: {
            Simple: {
              Subject: utf8(letter.subject),
              Body: { Text: utf8(text) },
              ...(headers.length > 0 && { Headers: headers }),
            },
          },
        }),
      )
    },
  }
}
