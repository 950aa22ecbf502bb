import { area } from '../kit/area.ts'
import { sweepOutbox } from './sweep-outbox.ts'

/** Runs follow-ups that the function of their change did not reach. */
export const outboxArea = area({ name: 'outbox', jobs: [sweepOutbox], timeoutSeconds: 120 })
