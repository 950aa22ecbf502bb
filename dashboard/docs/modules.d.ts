declare module '*.css'

/** The package has no types. Only these parts are used. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  import type { createElement, ReactNode } from 'react'

  interface System {
    React: { createElement: typeof createElement }
  }
  type Wrap<Props> = (original: unknown, system: System) => (props: Props) => ReactNode

  export interface Plugin {
    wrapComponents: {
      BaseLayout: Wrap<{ getComponent(name: string, connected?: true): () => ReactNode }>
      DeepLink: Wrap<{ text: ReactNode }>
    }
  }

  export default function showSpecification(options: {
    domNode: HTMLElement
    spec: object
    deepLinking: boolean
    docExpansion: 'none' | 'list'
    defaultModelsExpandDepth: number
    filter: boolean
    validatorUrl: null
    syntaxHighlight: { activated: boolean }
    plugins: Plugin[]
    requestInterceptor(request: RequestInit): RequestInit
  }): void
}
