import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { ACCOUNT, type Action, AwsError, parse } from './protocols.ts'

/** The envelope EventBridge gives to targets, and the bus it came by. `time` is ISO 8601 UTC. */
export interface CloudEvent {
  version: '0'
  id: string
  'detail-type': string
  source: string
  account: string
  time: string
  region: string
  resources: string[]
  detail: unknown
  bus: string
}

export type Emit = (event: CloudEvent) => void

export function envelope(
  from: Pick<CloudEvent, 'detail-type' | 'source' | 'region' | 'resources' | 'detail'> & { bus?: string; at?: number },
): CloudEvent {
  const time = new Date(from.at ?? Date.now()).toISOString()
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': from['detail-type'],
    source: from.source,
    account: ACCOUNT,
    time: `${time.slice(0, 19)}Z`,
    region: from.region,
    resources: from.resources,
    detail: from.detail,
    bus: from.bus ?? 'default',
  }
}

const putEvents = z.object({
  Entries: z
    .array(
      z.object({
        Time: z.number().optional(),
        Source: z.string().optional(),
        Resources: z.array(z.string()).optional(),
        DetailType: z.string().optional(),
        Detail: z.string().optional(),
        EventBusName: z.string().optional(),
      }),
    )
    .min(1)
    .max(10),
})
type Entry = z.infer<typeof putEvents>['Entries'][number]

/** Bytes: what one PutEvents call may carry in all. */
const LIMIT = 256 * 1024

/** EventBridge: PutEvents. A bad entry fails alone; the others go through. */
export function eventActions(options: { region: string; emit: Emit }): Record<string, Action> {
  return {
    PutEvents(input) {
      const { Entries } = parse(putEvents, input, 'ValidationException')
      if (Entries.reduce((sum, entry) => sum + sizeOf(entry), 0) > LIMIT)
        throw new AwsError('ValidationException', 'Total size of the entries in the request is over the limit.')
      const results = Entries.map((entry) => admit(entry, options.region))
      for (const { event } of results) if (event) options.emit(event)
      return {
        FailedEntryCount: results.filter(({ event }) => !event).length,
        Entries: results.map(({ event, error }) => (event ? { EventId: event.id } : error)),
      }
    },
  }
}

function sizeOf(entry: Entry): number {
  const texts = [entry.Source, entry.DetailType, entry.Detail, ...(entry.Resources ?? [])]
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), entry.Time === undefined ? 0 : 14)
}

type Admitted =
  | { event: CloudEvent; error?: never }
  | { event?: never; error: { ErrorCode: string; ErrorMessage: string } }

function admit(entry: Entry, region: string): Admitted {
  for (const name of ['Source', 'DetailType', 'Detail'] as const) {
    if (!entry[name]) return refuse('InvalidArgument', `Parameter ${name} is not valid. Reason: ${name} is required.`)
  }
  if (entry.Source?.startsWith('aws.'))
    return refuse('NotAuthorizedForSource', 'Not authorized for the source: aws. is reserved.')
  const detail = parseDetail(entry.Detail ?? '')
  if (!detail) return refuse('MalformedDetail', 'Detail is malformed.')
  return {
    event: envelope({
      'detail-type': entry.DetailType ?? '',
      source: entry.Source ?? '',
      region,
      resources: entry.Resources ?? [],
      detail,
      bus: busName(entry.EventBusName),
      ...(entry.Time === undefined ? {} : { at: entry.Time * 1000 }),
    }),
  }
}

const refuse = (ErrorCode: string, ErrorMessage: string): Admitted => ({ error: { ErrorCode, ErrorMessage } })

function parseDetail(text: string): object | undefined {
  try {
    const detail: unknown = JSON.parse(text)
    return detail && typeof detail === 'object' && !Array.isArray(detail) ? detail : undefined
  } catch {
    return undefined
  }
}

/** A bus may be named by its name or its ARN. */
function busName(name: string | undefined): string {
  return name?.split('event-bus/').at(-1) ?? 'default'
}
