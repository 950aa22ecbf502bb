import { readFileSync } from 'node:fs'
import { App, type AppProps } from 'aws-cdk-lib/core'
import { dist, root } from './bundle.ts'
import { ServiceStack } from './service-stack.ts'
import { readStage, type Stage } from './stage.ts'
import { StateStack } from './state-stack.ts'

interface Options {
  context?: Record<string, unknown>
  outdir?: string
  built?: string
  /** Whether the templates are held against CloudFormation's schemas; the cloud's are unless this says otherwise. */
  checked?: boolean
}

/** What every app begins with. The CDK's command line reads cdk.json itself; reading it here too does without. */
function propsOf({ context: given, outdir }: Options): AppProps {
  const { context } = JSON.parse(readFileSync(`${root}cdk.json`, 'utf8')) as { context: Record<string, unknown> } // safe because cdk.json is ours
  return { context: { ...context, ...given }, ...(outdir !== undefined && { outdir }), autoSynth: false }
}

/** The stage that this context, or the caller's environment, names. */
export function stageOf(options: Options = {}): Stage {
  const { node } = new App(propsOf(options))
  return readStage((key) => node.tryGetContext(key))
}

/**
 * The whole service as two stacks: what must never be lost, and what can be made anew from the code. Their names carry
 * the stage, and with them every name that CloudFormation or the CDK makes.
 */
export function makeApp(options: Options = {}): App {
  const stage = stageOf(options)
  const app = new App({
    ...propsOf(options),
    analyticsReporting: false,
    treeMetadata: false,
    // Checking against CloudFormation's schemas takes longer than all else, and a laptop deploys nothing.
    builtinCloudFormationValidation: options.checked ?? !stage.local,
  })
  const state = new StateStack(app, `berth-${stage.name}-state`, stage)
  new ServiceStack(app, `berth-${stage.name}-service`, { stage, state, built: options.built ?? dist })
  return app
}
