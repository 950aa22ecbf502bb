import { rmSync } from 'node:fs'
import { contextValues, makeApp } from '../lib/app.ts'
import { buildDashboard, bundle, writeEntryPoints } from '../lib/build/bundle.ts'
import { loadStage } from '../lib/stage.ts'

// The CDK's command line and the local service set the output folder.
const outdir = process.env.CDK_OUTDIR ?? 'cdk.out'
const { name, reserves } = contextValues()
const loaded = await loadStage(name)
const stage = { ...loaded, reserves: loaded.reserves && reserves }

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
