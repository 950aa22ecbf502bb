import * as z from 'zod'

/** What the door itself looks at in a JSON-RPC message; all else is for the protocol's own server. */
export interface Message {
  method?: string
  /** Of the tool or prompt. */
  name?: string
  uri?: string
  /** How the client calls itself; the newer revision says it with each request. */
  clientName?: string
}

const text = z.string().optional().catch(undefined)
const clientInfo = z.object({ name: text }).optional().catch(undefined)

const shape = z.object({
  method: text,
  params: z
    .object({
      name: text,
      uri: text,
      clientInfo,
      _meta: z.object({ 'io.modelcontextprotocol/clientInfo': clientInfo }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
})

/** Reads what can be read; what cannot is left for the protocol's own server to refuse. */
export function readMessage(rawBody: string): Message {
  const { method, params } = shape.safeParse(parsed(rawBody)).data ?? {}
  const info = params?.clientInfo ?? params?._meta?.['io.modelcontextprotocol/clientInfo']
  return { method, name: params?.name, uri: params?.uri, clientName: info?.name }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
