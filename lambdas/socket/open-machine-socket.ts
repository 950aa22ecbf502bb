import * as z from 'zod'
import { openConnection } from '../../app/socket/connect.ts'
import { operation } from '../kit/operation.ts'
import { connectionInput } from './open-socket.ts'

export const openMachineSocket = operation({
  id: 'openMachineSocket',
  summary: "Opens a machine's WebSocket, which tells it that work waits",
  http: { method: 'GET', path: '/socket/machines/{connection}', socket: true },
  auth: 'agent',
  limit: 'connect',
  input: connectionInput,
  output: z.object({}),
  uses: { connections: 'write', sockets: 'write', sessions: 'read', tokens: 'read', instances: 'read' },
  run: async ({ input, actor, deps }) => {
    await openConnection(deps, input.connection, { ...actor, audience: 'agent' })
    return {}
  },
})
