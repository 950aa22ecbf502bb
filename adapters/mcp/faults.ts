import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { DomainError } from '../../domain/errors.ts'
import type { Surface } from '../../domain/mcp/surface.ts'

type Handler = Parameters<Server['_wrapHandler']>[1]

/** The protocol's server, which tells a caller what was wrong with a request, and of our own faults only that there was one. */
export class TellingServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler)
    return async (request, context) => {
      try {
        return await wrapped(request, context)
      } catch (error) {
        throw error instanceof Error ? asProtocolError(method, error) : error
      }
    }
  }
}

/** The library throws a bare error for parameters it cannot read, and answers whatever a bare error says as its own fault. */
function asProtocolError(method: string, error: Error): Error {
  if (error instanceof DomainError) return new ProtocolError(codeOf(error), error.message, { error: error.code })
  if (Object.getPrototypeOf(error) !== Error.prototype) return error
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid ${method} request: ${error.message.slice(0, 500)}`)
}

const codeOf = ({ code }: DomainError): ProtocolErrorCode =>
  code === 'internal' || code === 'provider-error' ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams

/** Does what is asked; a fault of ours goes to `failed`, and the caller hears nothing of what it was. */
export const safely =
  <Given extends unknown[], T>(failed: Surface['failed'], work: (...given: Given) => Promise<T>) =>
  async (...given: Given): Promise<T> => {
    try {
      return await work(...given)
    } catch (error) {
      if (error instanceof DomainError && error.code !== 'internal') throw error
      failed(error)
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'Something failed on our side. Try once more.')
    }
  }

/** The surface, with everything that reaches beyond this process done safely. */
export const guarded = (surface: Surface): Surface => ({
  ...surface,
  tools: surface.tools.map((one) => ({ ...one, call: safely(surface.failed, one.call) })),
  resources: safely(surface.failed, async () =>
    (await surface.resources()).map((one) => ({ ...one, read: safely(surface.failed, one.read) })),
  ),
})
