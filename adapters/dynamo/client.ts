import { type ConsumedCapacity, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { once } from '../memoize.ts'

export interface StoreCall {
  operation: string
  /** One entry per table; empty after a failure. */
  capacity: ConsumedCapacity[]
  failed: boolean
}

/** Timeout of one try, ms: two tries fit into a request's five seconds. */
export const silenceMs = 2_000

const listeners = new Set<(call: StoreCall) => void>()

/** Reports every request to the store, retries included. @returns a function that ends the reports */
export function observe(listener: (call: StoreCall) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * The only client of this process. The SDK's retries are off: an earlier try may have written, and only the adapter of
 * the write can tell (see calls.ts).
 */
export const database = once((): DynamoDBClient => {
  const made = new DynamoDBClient({
    maxAttempts: 1,
    cacheMiddleware: true,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: silenceMs, throwOnRequestTimeout: true },
  })
  // It formats all inputs and outputs even without a logger: a tenth of a request's CPU time.
  made.middlewareStack.remove('loggerMiddleware')
  made.middlewareStack.add(
    (next, context) => async (args) => {
      if (listeners.size === 0) return next(args)
      const operation = String(context.commandName).replace(/Command$/, '')
      try {
        const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'INDEXES' } })
        tell({ operation, capacity: capacityOf(result.output), failed: false })
        return result
      } catch (error) {
        tell({ operation, capacity: [], failed: true })
        throw error
      }
    },
    { step: 'initialize', name: 'observeStoreCalls' },
  )
  return made
})

const tell = (call: StoreCall): void => {
  for (const listener of listeners) listener(call)
}

function capacityOf(output: object): ConsumedCapacity[] {
  if (!('ConsumedCapacity' in output) || !output.ConsumedCapacity) return []
  // safe because every operation of this client answers one or a list of them under this name
  return [output.ConsumedCapacity].flat() as ConsumedCapacity[]
}
