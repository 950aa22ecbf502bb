import * as z from 'zod'
import type { OpenapiDocument } from '../../app/ports/public-facts.ts'
import { cookieName } from '../../domain/account/cookie-name.ts'
import type { Env } from '../env.ts'
import { once } from '../memoize.ts'
import { bundledJson } from './bundled-json.ts'

const session = z.looseObject({ name: z.string() })
const document = z.looseObject({
  components: z.looseObject({ securitySchemes: z.looseObject({ session }) }),
})

/** Only the session cookie's name depends on the stage. */
export function openapi(env: Env): OpenapiDocument {
  const read = bundledJson(env, 'openapi.json', document)
  return {
    read: once(async () => {
      const { components, ...rest } = await read()
      const { securitySchemes } = components
      const named = { ...securitySchemes.session, name: cookieName('session', env.settings().production) }
      return { ...rest, components: { ...components, securitySchemes: { ...securitySchemes, session: named } } }
    }),
  }
}
