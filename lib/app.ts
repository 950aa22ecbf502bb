import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { App } from 'aws-cdk-lib/core'
import { ServiceStack } from './service-stack.ts'
import { readStage } from './stage.ts'
import { StateStack } from './state-stack.ts'

/** The root of the project, where `cdk.json`, `lambdas/` and `dist/` are. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * The whole service as two stacks: what must never be lost, and what can be made anew from the code. The CDK's command
 * line reads cdk.json itself; reading it here too makes `node bin/app.ts` the same app without that command line.
 */
export function makeApp(options: { context?: Record<string, unknown>; outdir?: string } = {}): App {
  const { context } = JSON.parse(readFileSync(`${root}cdk.json`, 'utf8')) as { context: Record<string, unknown> } // safe because cdk.json is ours
  const app = new App({
    ...(options.outdir !== undefined && { outdir: options.outdir }),
    context: { ...context, ...options.context },
    analyticsReporting: false,
    treeMetadata: false,
  })
  const stage = readStage((key) => app.node.tryGetContext(key))
  const state = new StateStack(app, 'BerthState', stage)
  new ServiceStack(app, 'BerthService', stage, state)
  return app
}
