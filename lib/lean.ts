import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'

const dependenciesOf = (name: string) => fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url))

/** What takes the place of a module in every function. */
interface Instead {
  /** The module as its importers name it. */
  module: RegExp
  contents: string
  /** Whose dependencies `contents` may import. */
  from?: string
}

const instead: Instead[] = [
  {
    // Lambda gives a function its role's credentials in the environment: no profile, sign-in or metadata service.
    module: /^@aws-sdk\/credential-provider-node$/,
    contents: "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env'",
    from: '@aws-sdk/credential-provider-node',
  },
  {
    // The validator of forms that a server may ask its client to fill in; ours asks for none. It is half the library.
    module: /^@modelcontextprotocol\/server\/_shims$/,
    contents:
      "export class DefaultJsonSchemaValidator { getValidator() { throw new Error('there is no validator in this build') } }\n" +
      'export const process = globalThis.process',
  },
]

/** Leaves out of every function what it can never use, though its vendors' modules import it. */
export const lean: Plugin = {
  name: 'lean',
  setup(build) {
    for (const [index, { module, contents, from }] of instead.entries()) {
      const namespace = `lean-${index}`
      build.onResolve({ filter: module }, ({ path }) => ({ path, namespace }))
      build.onLoad({ filter: /.*/, namespace }, () => ({ contents, ...(from && { resolveDir: dependenciesOf(from) }) }))
    }
  },
}
