import { rmSync } from 'node:fs'
import { makeApp, stageOf } from '../lib/app.ts'
import { buildDashboard, bundle, writeEntryPoints } from '../lib/bundle.ts'

// The CDK's command line and the local service say where the assembly goes; run by hand it goes where both look.
const outdir = process.env.CDK_OUTDIR ?? 'cdk.out'

if (process.argv.includes('--unbundled')) {
  const built = `${outdir}.functions`
  writeEntryPoints(built)
  makeApp({ outdir, built }).synth()
  rmSync(built, { recursive: true })
} else {
  const { local } = stageOf()
  await bundle()
  if (!local) buildDashboard()
  makeApp({ outdir }).synth()
}
