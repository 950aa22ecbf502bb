import type * as z from 'zod'
import type { Actor } from '../../domain/actor.ts'
import { invalid } from '../../domain/errors.ts'
import type { PortName, Ports } from '../../domain/ports.ts'
import type { Auth, Operation } from './operation.ts'

/**
 * A list whose cursors are sealed on their way out and opened on their way in, for this caller and this list alone.
 * What the list itself reads and answers are plain positions.
 */
export function sealed<I extends z.ZodObject, O extends z.ZodType, A extends Auth, U extends PortName>(
  one: Operation<I, O, A, U>,
): Operation<I, O, A, U> {
  const uses = [...new Set<PortName>([...one.uses, 'cursors'])] as U[] // safe because an area grants what `uses` names
  return {
    ...one,
    uses,
    async run(context) {
      const { cursors } = context.deps as Partial<Pick<Ports, 'cursors'>> // safe because `uses` names it above
      if (!cursors) throw new Error(`${one.id} has a cursor but its area has no access to what seals it`)
      const actor: Actor = context.actor
      const place = `${one.id} ${'userId' in actor ? actor.userId : ''}`
      const { cursor: given } = context.input as { cursor?: string } // safe because domain/page.ts says what a cursor is
      const cursor = given === undefined ? undefined : await cursors.open(place, given)
      if (cursor === null) throw invalid('cursor', 'use a nextCursor of an earlier answer as it came.')
      const output = await one.run({ ...context, input: { ...context.input, cursor } })
      const { nextCursor } = output as { nextCursor?: string | null } // safe because it is looked at before it is used
      if (typeof nextCursor !== 'string') return output
      return Object.assign({}, output, { nextCursor: await cursors.seal(place, nextCursor) })
    },
  }
}
