import { notFound } from '../errors.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import type { ApiFormat } from './api-format.ts'
import type { FormatName } from './model.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'

export const apiFormats: readonly ApiFormat[] = [openaiChat, openaiResponses, anthropicMessages]

export const formatNamed = (name: FormatName): ApiFormat => apiFormats.find((each) => each.name === name) ?? openaiChat

/** Speaks the first format and reports errors like the rest of the service. */
export const proxyPath = '/llm/proxy'

/** Base URLs that SDKs derive from ours: they add the version, expect it in the URL, or both. */
const bases = [`${proxyPath}/v1`, proxyPath, `${proxyPath}/v1/v1`] as const

/** Where SDKs request a path of a vendor's API; the documented address is first. */
export const vendorPaths = (path: `/${string}`): [`/${string}`, ...`/${string}`[]] => [
  `${bases[0]}${path}`,
  `${bases[1]}${path}`,
  `${bases[2]}${path}`,
]

/** Below this path a function with more memory makes the calls whose body was uploaded. */
export const largePath = `${proxyPath}/large`

/** Only programs that upload bodies themselves use these addresses, so there is one for each path. */
export const largeVendorPath = (path: `/${string}`): `/${string}` => `${largePath}/v1${path}`

/** The same for people's programs, which configure the host alone, or with the version. */
export const apiPaths = (path: `/${string}`): [`/${string}`, ...`/${string}`[]] => [`/v1${path}`, `/v1/v1${path}`]

export const isContractPath = (target: string): boolean => target === proxyPath || target === largePath

/** @throws not-found */
export function formatAt(target: string): ApiFormat {
  const found = apiFormats.find(({ path }) =>
    [...vendorPaths(path), ...apiPaths(path), largeVendorPath(path)].some((each) => each === target),
  )
  if (!found && !isContractPath(target)) throw notFound('format')
  return found ?? openaiChat
}
