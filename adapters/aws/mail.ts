import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import type { Mail } from '../../domain/ports.ts'
import type { Env } from '../env.ts'

/** Plain-text mail by SES. */
export const mail = (env: Env): Mail => {
  let client: SESv2Client | undefined
  return {
    async send({ to, subject, text }) {
      client ??= new SESv2Client({})
      const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' })
      await client.send(
        new SendEmailCommand({
          FromEmailAddress: env.variable('MAIL_FROM'),
          Destination: { ToAddresses: [to] },
          Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(text) } } },
        }),
      )
    },
  }
}
