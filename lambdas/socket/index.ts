import { receive } from '../../app/socket/receive.ts'
import { isReader } from '../../domain/socket/connection.ts'
import { area } from '../kit/area.ts'
import { socketRoutes } from '../kit/socket.ts'
import { openMachineSocket } from './open-machine-socket.ts'
import { openSocket } from './open-socket.ts'

export const socketArea = area({
  name: 'socket',
  socket: socketRoutes({
    connect: { users: openSocket, machines: openMachineSocket },
    uses: { bus: 'write', connections: 'write', events: 'read', sockets: 'write' },
    // A disconnected machine may be gone: the reconciler asks the machine's host.
    disconnected: async ({ connection, deps }) => {
      if (!isReader(connection)) await deps.bus.publish('instance.wanted', connection.actor.userId)
    },
    receive: ({ connection, message, deps }) => receive(deps, connection, message),
  }),
})
