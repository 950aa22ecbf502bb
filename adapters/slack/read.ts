/** Verifies and reads a request to our webhook. */
import type { WebhookReading } from '../../app/ports/chat-platform.ts'
import type { Inbound } from '../../domain/channels/inbound.ts'
import { parseJson } from '../../domain/json.ts'
import { readEvent } from './events.ts'
import { readCommand, readPresses } from './forms.ts'
import type { SlackSecret } from './secret.ts'
import { signedAt, whyNotSlacks } from './signature.ts'

interface WebhookRequest {
  headers: Readonly<Record<string, string>>
  rawBody: string
}

export function readRequest(request: WebhookRequest, secret: SlackSecret, nowMs: number): WebhookReading {
  const why = whyNotSlacks(request, secret.signingSecret, nowMs)
  if (why !== null) return { kind: 'refused', why }
  return isForm(request) ? readForm(request, secret.appId) : readJson(request.rawBody, secret.appId)
}

const isForm = ({ headers }: WebhookRequest) =>
  (headers['content-type'] ?? '').toLowerCase().startsWith('application/x-www-form-urlencoded')

const nothing = { kind: 'inbound', inbound: [], answer: null } as const satisfies WebhookReading

function readJson(rawBody: string, appId: string): WebhookReading {
  const body = parseJson(rawBody)
  if (!isObject(body)) return nothing
  if (body.type === 'url_verification')
    return typeof body.challenge === 'string' ? { ...nothing, answer: { challenge: body.challenge } } : nothing
  return reading(body, appId, () => (body.type === 'event_callback' ? readEvent(body) : []))
}

function readForm(request: WebhookRequest, appId: string): WebhookReading {
  const form = Object.fromEntries(new URLSearchParams(request.rawBody))
  if (form.payload === undefined) return reading(form, appId, () => readCommand(form, signedAt(request)))
  const payload = parseJson(form.payload)
  return isObject(payload) ? reading(payload, appId, () => readPresses(payload)) : nothing
}

/** Signed requests for another app are ignored. */
function reading(
  { api_app_id: app }: Readonly<Record<string, unknown>>,
  appId: string,
  read: () => Inbound[],
): WebhookReading {
  if (appId !== '' && app !== undefined && app !== appId) return { kind: 'refused', why: 'it is for another app' }
  return { ...nothing, inbound: read() }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
