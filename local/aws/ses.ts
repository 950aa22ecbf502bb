import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { AwsError, jsonResponse, parse, parseJson, type Service } from './protocols.ts'
import { openState } from './state-file.ts'

const mail = z.object({
  id: z.string(),
  to: z.string(),
  from: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string().optional(),
  /** Those that were asked for, beside the usual ones. */
  headers: z.record(z.string(), z.string()).optional(),
  at: z.string(),
})

/** A mail in one recipient's mailbox: a mail to two people is two of these with one id. `at` is ISO 8601 UTC. */
export type Mail = z.infer<typeof mail>

const addresses = z.array(z.string()).default([])
const data = z.object({ Data: z.string() })
const sendEmail = z.object({
  FromEmailAddress: z.string().optional(),
  Destination: z
    .object({ ToAddresses: addresses, CcAddresses: addresses, BccAddresses: addresses })
    .default({ ToAddresses: [], CcAddresses: [], BccAddresses: [] }),
  Content: z.object({
    Simple: z
      .object({
        Subject: data,
        Body: z.object({ Text: data.optional(), Html: data.optional() }),
        Headers: z
          .array(z.object({ Name: z.string(), Value: z.string() }))
          .max(15)
          .optional(),
      })
      .optional(),
    Raw: data.optional(),
  }),
})
type SendEmail = z.infer<typeof sendEmail>

/** How many mails are kept. */
const KEPT = 500

export interface Mailbox {
  service: Service
  /** The mails kept, oldest first; only those to `to` if given (any case). */
  mails(to?: string): Mail[]
}

/** SES v2: SendEmail with Simple or Raw content. */
export function startMailbox(options: { file: string; log: (line: string) => void }): Mailbox {
  const state = openState(options.file, z.array(mail), [])

  return {
    mails: (to) =>
      state.value
        .filter((kept) => to === undefined || bareAddress(kept.to) === bareAddress(to))
        .map((kept) => ({ ...kept })),
    async service({ method, path, body }) {
      if (method !== 'POST' || path !== '/v2/email/outbound-emails')
        throw new AwsError('UnknownOperationException', `${method} ${path} is not known here.`, 404)
      const request = parse(sendEmail, parseJson(body, 'BadRequestException'), 'BadRequestException')
      const { recipients, ...content } = read(request)
      const id = randomUUID()
      const at = new Date().toISOString()
      for (const to of recipients) state.value.push({ id, to, at, ...content })
      state.value.splice(0, Math.max(0, state.value.length - KEPT))
      state.save()
      options.log(`mails added to the mailbox: ${recipients.length}`)
      return jsonResponse(200, { MessageId: id })
    },
  }
}

type Content = Omit<Mail, 'id' | 'to' | 'at'> & { recipients: string[] }

function read({ FromEmailAddress, Destination, Content }: SendEmail): Content {
  const named = [...Destination.ToAddresses, ...Destination.CcAddresses, ...Destination.BccAddresses]
  const content = Content.Raw ? readRaw(Content.Raw.Data) : readSimple(Content)
  const from = FromEmailAddress ?? content.from
  const recipients = named.length > 0 ? named : content.recipients
  if (!from) throw new AwsError('BadRequestException', 'FromEmailAddress is required.')
  if (recipients.length === 0) throw new AwsError('BadRequestException', 'At least one recipient is required.')
  const wrong = [from, ...recipients].find((address) => !/^[^\s@]+@[^\s@]+$/.test(bareAddress(address)))
  if (wrong !== undefined) throw new AwsError('BadRequestException', `Illegal address: ${wrong}`)
  return { ...content, from, recipients }
}

function readSimple({ Simple }: SendEmail['Content']): Content {
  if (!Simple?.Body.Text && !Simple?.Body.Html)
    throw new AwsError('BadRequestException', 'Content must be Simple with a body, or Raw.')
  const html = Simple.Body.Html?.Data
  return {
    from: '',
    recipients: [],
    subject: Simple.Subject.Data,
    text: Simple.Body.Text?.Data ?? '',
    ...(html === undefined ? {} : { html }),
    ...(Simple.Headers && { headers: Object.fromEntries(Simple.Headers.map(({ Name, Value }) => [Name, Value])) }),
  }
}

/** A plain RFC 5322 message: its headers, and all that follows as text. */
function readRaw(base64: string): Content {
  const message = Buffer.from(base64, 'base64').toString('utf8').replaceAll('\r\n', '\n')
  const end = message.indexOf('\n\n')
  const head = (end < 0 ? message : message.slice(0, end)).replaceAll(/\n[ \t]+/g, ' ')
  const header = (name: string) => new RegExp(`^${name}:[ \\t]*(.*)$`, 'im').exec(head)?.[1]?.trim() ?? ''
  return {
    from: header('From'),
    recipients: header('To')
      .split(',')
      .map((address) => address.trim())
      .filter(Boolean),
    subject: header('Subject'),
    text: end < 0 ? '' : message.slice(end + 2),
  }
}

/** `Ann <ANN@example.org>` → `ann@example.org`. */
function bareAddress(address: string): string {
  return (/<([^<>]*)>\s*$/.exec(address)?.[1] ?? address).trim().toLowerCase()
}
