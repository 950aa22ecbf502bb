import { apiFormats, largePath, largeVendorPath } from '../../domain/models/api-formats.ts'
import { operation } from '../kit/operation.ts'
import { bodyUses, withBody } from './machine-call.ts'
import { modelProxying, proxyCall, proxyUses } from './proxy-model-call.ts'

const aliases = apiFormats.map(({ path }) => largeVendorPath(path))

export const proxyLargeModelCall = operation({
  ...modelProxying,
  id: 'proxyLargeModelCall',
  summary: 'Call a model with an uploaded body, paid from the wallet',
  description:
    'Like `proxyModelCall`, for a body that was uploaded (`signCallBody`). Send no body, and name the uploaded one in ' +
    'the header `x-berth-body`.',
  http: { method: 'POST', path: largePath, aliases, stream: true, rawBody: true },
  auth: 'llm',
  uses: { ...proxyUses, ...bodyUses },
  run: async (context) => proxyCall(context, await withBody(context.deps, context)),
})
