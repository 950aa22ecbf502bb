import { readFileSync } from 'node:fs'
import { App, type AppProps } from 'aws-cdk-lib/core'
import { dist, root } from './bundle.ts'
import { PipelineStack } from './pipeline-stack.ts'
import { ServiceStack } from './service-stack.ts'
import type { Stage } from './stage.ts'
import { StateStack } from './state-stack.ts'

interface Options {
  stage: Stage
  outdir?: string
  built?: string
  /** Whether the templates are held against CloudFormation's schemas; the cloud's are unless this says otherwise. */
  checked?: boolean
}

/**
 * The common beginning of every app. The CDK's command line reads cdk.json itself; reading it here too does without.
 */
function propsOf(outdir?: string): AppProps {
  const { context } = JSON.parse(readFileSync(`${root}cdk.json`, 'utf8')) as { context: Record<string, unknown> } // safe because cdk.json is ours
  return { context, ...(outdir !== undefined && { outdir }), autoSynth: false }
}

/**
 * The CDK command line's context: `-c stage=prod` (empty if missing) and `-c reserve=no`.
 */
export function given(): { name: string; reserves: boolean } {
  const { node } = new App(propsOf())
  return { name: String(node.tryGetContext('stage') ?? ''), reserves: node.tryGetContext('reserve') !== 'no' }
}

/**
 * The whole service as two stacks: one for data that must never be lost, one for everything that the code can recreate.
 * Their names carry the stage, and with them every name that CloudFormation or the CDK makes.
 */
export function makeApp({ stage, outdir, built = dist, checked = !stage.local }: Options): App {
  const app = new App({
    ...propsOf(outdir),
    analyticsReporting: false,
    treeMetadata: false,
    // Checking against CloudFormation's schemas takes longer than all else, and a laptop deploys nothing.
    builtinCloudFormationValidation: checked,
  })
  const state = new StateStack(app, `berth-${stage.name}-state`, stage)
  new ServiceStack(app, `berth-${stage.name}-service`, { stage, state, built })
  if (stage.pipeline) new PipelineStack(app, `berth-${stage.name}-pipeline`, { stage, state })
  return app
}
