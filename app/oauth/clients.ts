import { invalid } from '../../domain/errors.ts'
import { type Client, clientMetadata, clientOf, isDocumentAddress, knownDocuments } from '../../domain/oauth/client.ts'
import { OauthError } from '../../domain/oauth/errors.ts'
import type { Ids } from '../ports/basics.ts'
import type { ClientDocuments, Clients } from '../ports/oauth.ts'

/** @throws OauthError */
export async function registerClient(
  deps: { clients: Clients; ids: Ids },
  metadata: unknown,
  nowMs: number,
): Promise<Client> {
  const read = clientMetadata.safeParse(metadata)
  if (!read.success)
    throw new OauthError(
      'invalid_redirect_uri',
      'Send redirect_uris: 1 to 20 addresses of at most 500 characters over https, of this machine over http, or of a scheme of your own.',
    )
  const client = clientOf(deps.ids.next('cli'), read.data)
  await deps.clients.register(client, nowMs)
  return client
}

/** @throws validation */
export async function findClient(
  { clients, clientDocuments }: { clients: Clients; clientDocuments: ClientDocuments },
  id: string,
  nowMs: number,
): Promise<Client> {
  if (!isDocumentAddress(id)) {
    const client = await clients.find(id, nowMs)
    if (client) return client
    throw invalid('client_id', 'no app is registered with it. Remove the connection in the app and add it again.')
  }
  const document = await clientDocuments.read(id)
  const known = knownDocuments[id]
  if (document === null && known) return clientOf(id, known)
  const read = clientMetadata.safeParse(document)
  if (!read.success || (document as { client_id?: unknown }).client_id !== id)
    throw invalid('client_id', 'there is no document at this address that describes the app.')
  return clientOf(id, read.data)
}
