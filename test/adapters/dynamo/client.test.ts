import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { jest } from '@jest/globals'
import { database } from '../../../adapters/dynamo/client.ts'

test('the client logs no request', async () => {
  const said = jest.fn()
  const client = database()
  client.config.logger = { debug: said, info: said, warn: said, error: said }
  client.middlewareStack.add(() => async () => ({ output: { $metadata: {} }, response: {} }), {
    step: 'initialize',
    priority: 'low',
  })
  await client.send(new PutItemCommand({ TableName: 'wallets', Item: { userId: { S: 'usr_1' } } }))
  expect(said).not.toHaveBeenCalled()
})
