import { type ConsumedCapacity, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { once } from '../memoize.ts'

/** One request that went to the store. */
export interface StoreCall {
  /** For example `UpdateItem`. */
  operation: string
  /** The consumed capacity, one entry per table; empty if it failed. */
  capacity: ConsumedCapacity[]
  failed: boolean
}

/**
 * How long one try waits for the store's answer, ms: two of them fit into the five seconds in which a request is
 * answered.
 */
export const silenceMs = 2_000

const listeners = new Set<(call: StoreCall) => void>()

/** Hears every request to the store, retries included, with what it consumed. Answers how to stop hearing. */
export function observe(listener: (call: StoreCall) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * The one client of this function instance. The SDK's own retries are off: a repeated write may have been committed
 * the first time, and only the adapter that wrote it can tell (see calls.ts).
 */
export const database = once((): DynamoDBClient => {
  const made = new DynamoDBClient({
    maxAttempts: 1,
    cacheMiddleware: true,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: silenceMs, throwOnRequestTimeout: true },
  })
  // It describes every input and output to a logger that there is none of: a tenth of a request's processor time.
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
