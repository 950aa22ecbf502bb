import { area } from '../kit/area.ts'
import { sweepOutbox } from './sweep-outbox.ts'

/** Does what follows from a change where the function that made the change did not get to it. */
export const outboxArea = area({ name: 'outbox', jobs: [sweepOutbox], timeoutSeconds: 120 })
