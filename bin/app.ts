import { makeApp } from '../lib/app.ts'
import { bundle } from '../lib/bundle.ts'

await bundle()
makeApp().synth()
