import { area } from '../kit/area.ts'
import { answerAuthorizationRequest } from './answer-authorization-request.ts'
import { checkAuthorizationRequest } from './check-authorization-request.ts'
import { getAuthorizationServer } from './get-authorization-server.ts'
import { getProtectedResource } from './get-protected-resource.ts'
import { getTokenResource } from './get-token-resource.ts'
import { issueTokens } from './issue-tokens.ts'
import { refuseRegistration } from './refuse-registration.ts'
import { registerClient } from './register-client.ts'
import { revokeGrant } from './revoke-grant.ts'

export const oauthArea = area({
  name: 'oauth',
  about: 'OAuth 2.1, with which apps such as MCP clients ask you for access.',
  operations: [
    getProtectedResource,
    getTokenResource,
    getAuthorizationServer,
    registerClient,
    refuseRegistration,
    checkAuthorizationRequest,
    answerAuthorizationRequest,
    issueTokens,
    revokeGrant,
  ],
})
