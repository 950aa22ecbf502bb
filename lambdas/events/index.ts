import { area } from '../kit/operation.ts'
import { access } from './access.ts'
import { streamEvents } from './stream-events.ts'

export const eventsArea = area({
  name: 'events',
  access,
  operations: [streamEvents],
  stream: true,
  timeoutSeconds: 900,
})
