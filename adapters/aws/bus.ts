import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import type { Bus } from '../../app/ports/instance.ts'
import type { Env } from '../env.ts'
import { once } from '../memoize.ts'

export const bus = (env: Env): Bus => {
  const client = once(() => new EventBridgeClient({}))
  return {
    async publish(type, userId, detail) {
      const entry = {
        EventBusName: env.variable('BUS_NAME'),
        Source: 'berth',
        DetailType: type,
        Detail: JSON.stringify({ ...detail, userId }),
      }
      // PutEvents answers 200 even for rejected entries.
      const { FailedEntryCount, Entries } = await client().send(new PutEventsCommand({ Entries: [entry] }))
      if (FailedEntryCount)
        throw new Error(`the bus did not take ${type}: ${Entries?.[0]?.ErrorCode ?? 'no reason given'}`)
    },
  }
}
