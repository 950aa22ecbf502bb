import { readFileSync } from 'node:fs'
import { App } from 'aws-cdk-lib/core'
import { dist, root } from './bundle.ts'
import { ServiceStack } from './service-stack.ts'
import { readStage } from './stage.ts'
import { StateStack } from './state-stack.ts'

interface Options {
  context?: Record<string, unknown>
  outdir?: string
  built?: string
  /** Whether the templates are held against CloudFormation's schemas; the cloud's are unless this says otherwise. */
  checked?: boolean
}

/**
 * The whole service as two stacks: what must never be lost, and what can be made anew from the code. The CDK's command
 * line reads cdk.json itself; reading it here too makes `node bin/app.ts` the same app without that command line.
 */
export function makeApp(options: Options = {}): App {
  const { context } = JSON.parse(readFileSync(`${root}cdk.json`, 'utf8')) as { context: Record<string, unknown> } // safe because cdk.json is ours
  const merged = {
    context: { ...context, ...options.context },
    ...(options.outdir !== undefined && { outdir: options.outdir }),
    autoSynth: false,
    analyticsReporting: false,
  }
  // A first app reads what was given, because the second must know at its birth whether it is a laptop's.
  const given = new App(merged).node
  const stage = readStage((key) => given.tryGetContext(key))
  const app = new App({
    ...merged,
    treeMetadata: false,
    // Checking against CloudFormation's schemas takes longer than all else, and a laptop deploys nothing.
    builtinCloudFormationValidation: options.checked ?? !stage.local,
  })
  const state = new StateStack(app, 'BerthState', stage)
  new ServiceStack(app, 'BerthService', { stage, state, built: options.built ?? dist })
  return app
}
