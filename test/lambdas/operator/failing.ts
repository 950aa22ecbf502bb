import { intercept } from '../../adapters/engine.ts'

const writes = new Set(['PutItemCommand', 'UpdateItemCommand', 'DeleteItemCommand', 'TransactWriteItemsCommand'])

/** Runs a function whose n-th and later writes all fail. False when it made fewer writes. */
export async function failing(nth: number, run: () => Promise<unknown>): Promise<boolean> {
  let left = nth
  const off = intercept(async (send, commandName) => {
    if (writes.has(commandName) && --left <= 0) throw new Error('the store is gone')
    return send()
  })
  try {
    await run()
    return left <= 0
  } finally {
    off()
  }
}
