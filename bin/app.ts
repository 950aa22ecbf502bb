import { rmSync } from 'node:fs'
import { contextValues, makeApp } from '../lib/app.ts'
import { buildDashboard, bundle, writeEntryPoints } from '../lib/build/bundle.ts'
import { loadStage, type Stage, StageError } from '../lib/stage.ts'
import { checkAccount } from './deploy/credentials.ts'
import { Stop } from './deploy/stop.ts'

/** @throws Stop, StageError */
async function stageToBuild(): Promise<Stage> {
  const { name, reserves } = contextValues()
  if (name === '')
    throw new Stop('Add the name of a stage, a file in stages/: for example npx cdk deploy --all -c stage=prod')
  const stage = await loadStage(name)
  checkCredentials(stage)
  return { ...stage, reserves: stage.reserves && reserves }
}

/**
 * The templates name no account, so the CDK would deploy them wherever its credentials lead.
 * @throws Stop
 */
function checkCredentials(stage: Stage): void {
  // The CDK's command line sets these when it finds credentials.
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env
  if (stage.local || account === undefined) return
  checkAccount(stage, account)
  if (region !== stage.region)
    throw new Stop(
      `The Region is ${region}, but stages/${stage.name} says ${stage.region}. Run: export AWS_REGION=${stage.region}`,
    )
}

async function build(stage: Stage): Promise<void> {
  // The CDK's command line and the local service set the output folder.
  const outdir = process.env.CDK_OUTDIR ?? 'cdk.out'
  if (process.argv.includes('--unbundled')) {
    const built = `${outdir}.functions`
    writeEntryPoints(built)
    makeApp({ stage, outdir, built }).synth()
    rmSync(built, { recursive: true })
  } else {
    await bundle()
    if (!stage.local) buildDashboard()
    makeApp({ stage, outdir }).synth()
  }
}

try {
  await build(await stageToBuild())
} catch (error) {
  // A stack trace would hide what the operator must do. The trace of any other error shows the mistake in the code.
  if (!(error instanceof Stop || error instanceof StageError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
