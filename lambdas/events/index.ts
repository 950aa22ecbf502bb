import { area } from '../kit/area.ts'
import { streamEvents } from './stream-events.ts'

export const eventsArea = area({
  name: 'events',
  about: 'A stream of everything that happens in your account.',
  operations: [streamEvents],
  stream: true,
  timeoutSeconds: 900,
  reservedConcurrency: 150,
})
