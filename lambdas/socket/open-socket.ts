import * as z from 'zod'
import { openConnection } from '../../app/socket/connect.ts'
import type { UserActor } from '../../domain/actor.ts'
import { operation } from '../kit/operation.ts'

export const connectionInput = z.strictObject({ connection: z.string() })

export const openSocket = operation({
  id: 'openSocket',
  summary: 'Opens a WebSocket that hears of everything a browser or a program may hear of',
  http: { method: 'GET', path: '/socket/{connection}', socket: true },
  auth: 'user',
  limit: 'connect',
  input: connectionInput,
  output: z.object({}),
  uses: { connections: 'write', sockets: 'write', sessions: 'read', tokens: 'read', instances: 'read' },
  run: async ({ input, actor, deps }) => {
    await openConnection(deps, input.connection, actor satisfies UserActor)
    return {}
  },
})
