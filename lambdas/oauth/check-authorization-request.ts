import * as z from 'zod'
import { findClient } from '../../app/oauth/clients.ts'
import { asked, authorizationRequest, readRequest } from '../../domain/oauth/authorization.ts'
import { operation } from '../kit/operation.ts'

export const checkAuthorizationRequest = operation({
  id: 'checkAuthorizationRequest',
  summary: 'OAuth: who asks, and for what',
  description:
    'For the consent page, with what the program sent the browser with. A request that is wrong in any way is refused here and ' +
    'never sent back to the program.',
  // Not a query, because the firewall refuses long queries, and addresses of the user's own machine in them.
  http: { method: 'POST', path: '/oauth/authorization/check' },
  auth: 'session',
  limit: 'read',
  input: z.strictObject(authorizationRequest),
  output: asked,
  uses: { clients: 'read', clientDocuments: 'read' },
  run: async ({ input, deps, now }) =>
    readRequest(await findClient(deps, input.client_id, now), input, deps.settings.publicOrigin),
})
