import * as z from 'zod'
import { beginView } from '../../app/operator/view.ts'
import { aboutUser } from '../../domain/operator/trail.ts'
import { showView, view } from '../../domain/operator/view.ts'
import type { OperationContext } from '../kit/operation.ts'

/** The parts that `viewUser` and `viewUserMessages` share. */
export const beginning = {
  auth: 'operator',
  commits: true,
  input: aboutUser,
  output: z.object({ view }),
  errors: ['not-found', 'conflict'],
  uses: { users: 'read', views: 'write' },
} as const

type Context = OperationContext<z.output<typeof aboutUser>, 'operator', keyof typeof beginning.uses>

export const begin = async ({ input, actor, deps, now, outboxFor }: Context, messages: boolean) => ({
  view: showView(await beginView(deps, actor, { ...input, messages }, now, outboxFor)),
})
