import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import type { Mail } from '../../app/ports.ts'
import type { Env } from '../env.ts'
import { once } from '../memoize.ts'

/** Plain-text mail by SES. */
export const mail = (env: Env): Mail => {
  const client = once(() => new SESv2Client({}))
  return {
    async send({ to, subject, text }) {
      const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' })
      await client().send(
        new SendEmailCommand({
          FromEmailAddress: env.variable('MAIL_FROM'),
          Destination: { ToAddresses: [to] },
          Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(text) } } },
        }),
      )
    },
  }
}
