import { area } from '../kit/area.ts'
import { streamEvents } from './stream-events.ts'

export const eventsArea = area({
  name: 'events',
  operations: [streamEvents],
  stream: true,
  timeoutSeconds: 900,
  reservedConcurrency: 300,
})
