import * as z from 'zod'
import { openConnection } from '../../app/socket/connect.ts'
import { operation } from '../kit/operation.ts'

export const opening = {
  limit: 'connect',
  input: z.strictObject({ connection: z.string() }),
  output: z.object({}),
  uses: { connections: 'write', sockets: 'write', sessions: 'read', tokens: 'read', instances: 'read' },
} as const

export const openSocket = operation({
  ...opening,
  id: 'openSocket',
  summary: 'Opens a WebSocket that hears of everything a browser or a program may hear of',
  http: { method: 'GET', path: '/socket/{connection}', socket: true },
  auth: 'user',
  run: async ({ input, actor, deps }) => {
    await openConnection(deps, input.connection, actor)
    return {}
  },
})
