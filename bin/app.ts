import { makeApp } from '../lib/app.ts'
import { bundle } from '../lib/bundle.ts'

await bundle()
// The CDK's command line and the local service say where the assembly goes; run by hand it goes where both look.
makeApp({ outdir: process.env.CDK_OUTDIR ?? 'cdk.out' }).synth()
