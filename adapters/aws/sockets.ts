import { randomUUID } from 'node:crypto'
import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GoneException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi'
import type { Sockets } from '../../app/ports/socket.ts'
import { inParts } from '../../domain/socket/parts.ts'
import type { Env } from '../env.ts'
import { once } from '../memoize.ts'
import { tolerate } from './tolerate.ts'

export const sockets = (env: Env): Sockets => {
  const client = once(() => new ApiGatewayManagementApiClient({ endpoint: env.variable('SOCKET_API'), maxAttempts: 4 }))
  return {
    async send(id, message) {
      for (const part of inParts(message, randomUUID())) {
        const sent = client().send(new PostToConnectionCommand({ ConnectionId: id, Data: part }))
        if (!(await tolerate(GoneException, sent))) return false
      }
      return true
    },

    async end(id) {
      await tolerate(GoneException, client().send(new DeleteConnectionCommand({ ConnectionId: id })))
    },
  }
}
