import * as z from 'zod'
import { findClient } from '../../app/oauth/clients.ts'
import { authorizationRequest, consentRequest, readRequest } from '../../domain/oauth/authorization.ts'
import { operation } from '../kit/operation.ts'

export const checkAuthorizationRequest = operation({
  id: 'checkAuthorizationRequest',
  summary: 'OAuth: check an authorization request',
  description:
    'For the consent page, which sends the parameters that it got from the program. An invalid request is refused ' +
    'here, and the browser is never sent back to the program.',
  // Not a query, because the firewall refuses long queries, and addresses of the user's own machine in them.
  http: { method: 'POST', path: '/oauth/authorization/check' },
  auth: 'session',
  limit: 'read',
  input: z.strictObject(authorizationRequest),
  output: consentRequest,
  uses: { clients: 'read', clientDocuments: 'read' },
  run: async ({ input, deps, now }) =>
    readRequest(await findClient(deps, input.client_id, now), input, deps.settings.publicOrigin),
})
