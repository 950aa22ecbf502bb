import * as z from 'zod'
import type { SessionActor } from '../../domain/actor.ts'
import { checkShown, checkView } from '../../domain/operator/view.ts'
import { viewRoot } from '../../domain/view-root.ts'
import { readInput, routesOver } from '../kit/input.ts'
import { type AnyOperation, operation } from '../kit/operation.ts'

/** @param viewed the operations that a view shows; it has their ports, too */
export const readAsUser = (viewed: readonly AnyOperation[]) => {
  const find = routesOver(viewed)
  return operation({
    id: 'readAsUser',
    summary: 'Read as the viewed user',
    description:
      'Answers as the operation at the path would answer that user. Only operations that change nothing and reveal ' +
      'no secret are available; those that show messages, only in a view that `viewUserMessages` began.',
    http: { method: 'GET', path: `${viewRoot}/{path+}` },
    auth: 'operator',
    limit: 'read',
    input: z.strictObject({
      path: z.string().max(500).meta({ description: 'The path of an operation.', example: 'wallet' }),
    }),
    output: z.record(z.string(), z.unknown()),
    errors: [...new Set(viewed.flatMap(({ errors }) => errors))],
    uses: { views: 'read' },
    run: async (context) => {
      const { actor, deps, now, request } = context
      const view = checkView(await deps.views.of(actor.userId), actor.sessionId, now)
      // The path as sent, because a parameter may hold an encoded slash.
      const { operation, parameters } = checkShown(view, find(request.target.slice(viewRoot.length)))
      const { headers, query } = request
      const input = readInput(operation, { parameters, query, headers, body: '' })
      const as: SessionActor = { kind: 'session', userId: view.user, sessionId: view.id, signedInAt: view.startedAt }
      return operation.run({
        ...context,
        input,
        actor: as,
        admit: async () => {},
        cookie: () => null,
        setCookie: () => {},
      })
    },
  })
}
