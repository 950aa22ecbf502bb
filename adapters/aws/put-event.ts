import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import type { Env } from '../env.ts'
import { once } from '../memoize.ts'

/** Puts an event of the service on the stage's bus. */
export function putEvent(env: Env): (type: string, detail: object) => Promise<void> {
  const client = once(() => new EventBridgeClient({}))
  return async (type, detail) => {
    const entry = {
      EventBusName: env.variable('BUS_NAME'),
      Source: 'berth',
      DetailType: type,
      Detail: JSON.stringify(detail),
    }
    // PutEvents answers 200 even for rejected entries.
    const { FailedEntryCount, Entries } = await client().send(new PutEventsCommand({ Entries: [entry] }))
    if (FailedEntryCount)
      throw new Error(`the bus did not take ${type}: ${Entries?.[0]?.ErrorCode ?? 'no reason given'}`)
  }
}
