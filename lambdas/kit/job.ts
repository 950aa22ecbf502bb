import type * as z from 'zod'
import type { PortName, Ports } from '../../adapters/ports.ts'
import type { Basics } from '../../app/ports/basics.ts'
import type { Uses } from './access.ts'

/** Changes of a table whose key attribute has one of these prefixes. `having` and `gaining` restrict updates. */
export interface TableChanges {
  table: string
  key: string
  prefixes: readonly string[]
  changes: readonly ('INSERT' | 'MODIFY' | 'REMOVE')[]
  /** The attribute, a text, that an item must have after a `MODIFY`. */
  having?: string
  /** Attributes, texts: a `MODIFY` counts only if it adds one of them. */
  gaining?: readonly string[]
  /** The work stays useful while the stream keeps the change; without this, for some minutes. */
  lasting?: true
}

interface Job<I extends z.ZodType = z.ZodType, U extends PortName = PortName> {
  id: string
  on:
    | {
        bus: 'aws' | 'berth'
        source: string
        detailType: string
        detail?: Record<string, string[]>
        /** Only mails of this stage: the account's other stages use the same bus. */
        sender?: 'stage'
        /** Only tasks of this stage, for the same reason. */
        cluster?: 'stage'
      }
    | { everyMinutes: number }
    | TableChanges
  input: I
  uses: Uses<U>
  run(context: { input: z.output<I>; deps: Pick<Ports, U> & Basics; now: number }): Promise<void>
}

export interface ScheduledEvent {
  job: string
}

export const job = <I extends z.ZodType, U extends PortName>(declared: Job<I, U>): Job<I, U> => declared

// biome-ignore lint/suspicious/noExplicitAny: a list of jobs is contravariant in each context
export type AnyJob = Job<any, any>
