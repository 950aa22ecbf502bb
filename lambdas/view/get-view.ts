import * as z from 'zod'
import { standingView } from '../../app/operator/view.ts'
import { showView, view } from '../../domain/operator/view.ts'
import { operation } from '../kit/operation.ts'

export const getView = operation({
  id: 'getView',
  summary: 'Get the operator’s current view',
  http: { method: 'GET', path: '/view' },
  auth: 'operator',
  output: z.object({
    view: view.nullable(),
    here: z.boolean().meta({ description: 'Whether it was begun in this session, which alone can read.' }),
  }),
  uses: { views: 'read' },
  run: async ({ actor, deps, now }) => {
    const view = await standingView(deps, actor, now)
    return { view: view && showView(view), here: view?.session === actor.sessionId }
  },
})
