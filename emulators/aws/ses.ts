import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { openState } from '../kit/state-file.ts'
import { type Emit, envelope } from './eventbridge.ts'
import { ACCOUNT, AwsError, jsonResponse, parse, parseJson, type Service } from './protocols.ts'

const mail = z.object({
  id: z.string(),
  to: z.string(),
  from: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string().optional(),
  /** The requested headers, in addition to the usual ones. */
  headers: z.record(z.string(), z.string()).optional(),
  at: z.string(),
})

/** A mail in one recipient's mailbox: a mail to two people is two of these with one id. `at` is ISO 8601 UTC. */
export type Mail = z.infer<typeof mail>

const addresses = z.array(z.string()).default([])
const data = z.object({ Data: z.string() })
const sendEmail = z.object({
  FromEmailAddress: z.string().optional(),
  ConfigurationSetName: z.string().optional(),
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

interface Mailbox {
  service: Service
  /** The mails kept, oldest first; only those to `to` if given (any case). */
  mails(to?: string): Mail[]
}

/** By what configuration set a sender's mails go if none is named, and which of its events come to the default bus. */
export interface Sending {
  configurationSetOf(from: string): string | undefined
  /** For example `BOUNCE`. */
  eventsOf(configurationSet: string): readonly string[]
}

interface MailboxOptions {
  file: string
  log: (line: string) => void
  region: string
  emit: Emit
  sending: () => Sending
}

/** SES v2: SendEmail with Simple or Raw content. E-mails to the addresses of SES's mailbox simulator come back. */
export function startMailbox(options: MailboxOptions): Mailbox {
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
      const returned = recipients.flatMap((to) => {
        const how = simulated(to)
        return how ? [{ to, ...how }] : []
      })
      const refused = new Set(returned.flatMap(({ to, bounce }) => (bounce ? [to] : [])))
      for (const to of recipients) if (!refused.has(to)) state.value.push({ id, to, at, ...content })
      state.value.splice(0, Math.max(0, state.value.length - KEPT))
      state.save()
      options.log(`mails added to the mailbox: ${recipients.length - refused.size}; bounced: ${refused.size}`)
      const from = bareAddress(content.from)
      const sending = options.sending()
      const configurationSet = request.ConfigurationSetName ?? sending.configurationSetOf(from)
      if (configurationSet === undefined) return jsonResponse(200, { MessageId: id })
      for (const mail of returned) {
        if (!sending.eventsOf(configurationSet).includes(mail.bounce ? 'BOUNCE' : 'COMPLAINT')) continue
        const detail = returnedDetail({ ...mail, id, at, from, subject: content.subject, configurationSet })
        options.emit(
          envelope({
            'detail-type': mail.bounce ? 'Email Bounced' : 'Email Complaint Received',
            source: 'aws.ses',
            region: options.region,
            resources: [`arn:aws:ses:${options.region}:${ACCOUNT}:configuration-set/${configurationSet}`],
            detail,
          }),
        )
      }
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

interface Returned {
  to: string
  /** The server's refusal of an e-mail; without it the e-mail arrived, and its reader marked it as spam. */
  bounce?: { subType: string; diagnosticCode: string }
}

/** The behaviour of SES's mailbox simulator for this address, which may have a label: `bounce+anything@…`. */
function simulated(to: string): Omit<Returned, 'to'> | null {
  const [, name] = /^(\w+)(?:\+[^@]*)?@simulator\.amazonses\.com$/.exec(bareAddress(to)) ?? []
  if (name === 'bounce') return { bounce: { subType: 'General', diagnosticCode: 'smtp; 550 5.1.1 user unknown' } }
  if (name === 'suppressionlist')
    return {
      bounce: {
        subType: 'Suppressed',
        diagnosticCode:
          'Amazon SES has suppressed sending to this address because it has a recent history of bouncing.',
      },
    }
  return name === 'complaint' ? {} : null
}

interface ReturnedMail extends Returned {
  id: string
  at: string
  from: string
  subject: string
  configurationSet: string
}

/** SES's notification of a bounce or a complaint. */
function returnedDetail({ id, at, from, to, subject, configurationSet, bounce }: ReturnedMail) {
  const timestamp = new Date().toISOString()
  const feedbackId = randomUUID()
  const headers = { From: from, To: to, Subject: subject }
  return {
    eventType: bounce ? 'Bounce' : 'Complaint',
    ...(bounce
      ? {
          bounce: {
            bounceType: 'Permanent',
            bounceSubType: bounce.subType,
            bouncedRecipients: [
              { emailAddress: to, action: 'failed', status: '5.1.1', diagnosticCode: bounce.diagnosticCode },
            ],
            timestamp,
            feedbackId,
            reportingMTA: 'dns; simulator.amazonses.com',
          },
        }
      : {
          complaint: {
            feedbackId,
            complaintSubType: null,
            complainedRecipients: [{ emailAddress: to }],
            timestamp,
            userAgent: 'Amazon SES Mailbox Simulator',
            complaintFeedbackType: 'abuse',
          },
        }),
    mail: {
      timestamp: at,
      source: from,
      sendingAccountId: ACCOUNT,
      messageId: id,
      destination: [to],
      headersTruncated: false,
      headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
      commonHeaders: { from: [from], to: [to], messageId: id, subject },
      tags: {
        'ses:operation': ['SendEmail'],
        'ses:configuration-set': [configurationSet],
        'ses:source-ip': ['127.0.0.1'],
        'ses:from-domain': [from.slice(from.indexOf('@') + 1)],
      },
    },
  }
}
