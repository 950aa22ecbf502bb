import { readFileSync } from 'node:fs'
import { App, type AppProps } from 'aws-cdk-lib/core'
import { dist, root } from './build/bundle.ts'
import { PipelineStack } from './pipeline-stack.ts'
import { ServiceStack } from './service-stack.ts'
import type { Stage } from './stage.ts'
import { StateStack } from './state-stack.ts'

interface Options {
  stage: Stage
  outdir?: string
  built?: string
  /** Whether to validate the templates against CloudFormation's schemas; default: for every stage but the local one. */
  checked?: boolean
}

/** The CDK's command line warns about such keys in cdk.json. */
const reservedContext = {
  'aws:cdk:disable-creation-stack-traces': true,
  'aws:cdk:disable-stack-trace': true,
  'aws:cdk:enable-asset-metadata': true,
  'aws:cdk:enable-path-metadata': true,
}

/** The CDK's command line reads cdk.json; this reads the file for programs that run without the command line. */
function propsOf(outdir?: string): AppProps {
  const { context } = JSON.parse(readFileSync(`${root}cdk.json`, 'utf8')) as { context: Record<string, unknown> } // safe because cdk.json is ours
  return { context: { ...context, ...reservedContext }, ...(outdir !== undefined && { outdir }), autoSynth: false }
}

/** The CDK's context: `-c stage=prod` (empty if missing) and `-c reserve=no`. */
export function contextValues(): { name: string; reserves: boolean } {
  const { node } = new App(propsOf())
  return { name: String(node.tryGetContext('stage') ?? ''), reserves: node.tryGetContext('reserve') !== 'no' }
}

/** Two stacks: data that must never be lost, and everything that the code can recreate. Every name has the stage. */
export function makeApp({ stage, outdir, built = dist, checked = !stage.local }: Options): App {
  const app = new App({
    ...propsOf(outdir),
    analyticsReporting: false,
    treeMetadata: false,
    // Validation is the slowest step, and the local service deploys nothing.
    builtinCloudFormationValidation: checked,
  })
  const state = new StateStack(app, `berth-${stage.name}-state`, stage)
  const { tags } = state.imageBuilds
  const service = new ServiceStack(app, `berth-${stage.name}-service`, { stage, imageTags: tags, built })
  service.addStackDependency(state)
  if (stage.pipeline) new PipelineStack(app, `berth-${stage.name}-pipeline`, stage).addStackDependency(state)
  return app
}
