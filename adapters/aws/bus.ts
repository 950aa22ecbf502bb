import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import type { Bus } from '../../domain/instance/ports.ts'
import type { Env } from '../env.ts'

/** The service's own event bus. */
export const bus = (env: Env): Bus => {
  let client: EventBridgeClient | undefined
  return {
    async publish(type, userId) {
      client ??= new EventBridgeClient({})
      const entry = {
        EventBusName: env.variable('BUS_NAME'),
        Source: 'berth',
        DetailType: type,
        Detail: JSON.stringify({ userId }),
      }
      // PutEvents answers 200 for entries it did not take.
      const { FailedEntryCount, Entries } = await client.send(new PutEventsCommand({ Entries: [entry] }))
      if (FailedEntryCount)
        throw new Error(`the bus did not take ${type}: ${Entries?.[0]?.ErrorCode ?? 'no reason given'}`)
    },
  }
}
