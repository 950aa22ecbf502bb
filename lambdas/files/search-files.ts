import * as z from 'zod'
import { chooseSource } from '../../app/files/browse.ts'
import { ofKind } from '../../app/files/change-volume.ts'
import { searchPoint } from '../../app/files/search-point.ts'
import { runJob } from '../../app/files/volume-jobs.ts'
import { foundPage } from '../../domain/files/change.ts'
import { limitOf } from '../../domain/page.ts'
import { operation } from '../kit/operation.ts'

export const searchFiles = operation({
  id: 'searchFiles',
  summary: 'Search files and folders by a part of their name',
  description:
    'Searches the whole volume and ignores case. A large volume is searched in parts: repeat the request with ' +
    '`next`, even if a page is empty.',
  http: { method: 'GET', path: '/instance/file-search' },
  auth: 'user',
  scope: 'api:instance',
  input: z.strictObject({
    text: z.string().min(1).max(255).meta({ description: 'A part of the name.', example: 'tide' }),
    after: z.string().max(4_096).optional().meta({ description: '`next` of the previous page.' }),
    limit: limitOf(200, 100),
  }),
  output: foundPage,
  errors: ['not-found', 'conflict'],
  uses: { bus: 'write', outbox: 'write', instances: 'read', restorePoints: 'read', storage: 'read', tasks: 'write' },
  run: async ({ input: { text, after = null, limit }, actor: { userId }, deps }) => {
    const { instance, point } = await chooseSource(deps, userId)
    if (point) return searchPoint(deps, point, text, after, limit)
    const { result } = await runJob(deps, instance, { kind: 'search', text, after, limit })
    const { entries, next } = ofKind(result, 'search')
    return { entries, next }
  },
})
