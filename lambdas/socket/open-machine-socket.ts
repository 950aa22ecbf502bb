import { openConnection } from '../../app/socket/connect.ts'
import { operation } from '../kit/operation.ts'
import { opening } from './open-socket.ts'

export const openMachineSocket = operation({
  ...opening,
  id: 'openMachineSocket',
  summary: "Opens a machine's WebSocket, which tells it that work waits",
  http: { method: 'GET', path: '/socket/machines/{connection}', socket: true },
  auth: 'agent',
  run: async ({ input, actor, deps }) => {
    await openConnection(deps, input.connection, { ...actor, audience: 'agent' })
    return {}
  },
})
