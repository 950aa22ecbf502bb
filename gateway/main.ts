/** Listens to Discord's gateway until SIGTERM. */
import { Listener } from './listener.ts'
import { log } from './log.ts'
import { readSettings } from './settings.ts'

const listener = new Listener(readSettings(process.env), log)
process.on('SIGTERM', () => void listener.stop()).on('SIGINT', () => void listener.stop())
await listener.run()
