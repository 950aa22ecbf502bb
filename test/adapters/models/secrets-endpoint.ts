import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A Secrets Manager that only reads one secret; the unmodified SDK sends its requests there. */
export async function startSecrets(values: Record<string, unknown>) {
  const server = createServer(async (request, response) => {
    let raw = ''
    for await (const part of request) raw += part
    const { SecretId } = JSON.parse(raw)
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' })
    response.end(JSON.stringify({ ARN: SecretId, Name: SecretId, SecretString: JSON.stringify(values[SecretId]) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // safe because it listens on TCP
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_SECRETS_MANAGER: `http://127.0.0.1:${port}`,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  })
  return {
    /** Sets the response from now on. */
    values,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
