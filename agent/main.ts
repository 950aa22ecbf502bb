import { keepCompiled } from './kit/compile-cache.ts'
import { exits, supervisorSettings } from './kit/environment.ts'
import { makeLog } from './kit/log.ts'
import { startSupervisor } from './supervisor/supervisor.ts'

const log = makeLog('supervisor')

try {
  const settings = supervisorSettings()
  // Lazy import: most machines run the agent.
  const start = settings.role === 'agent' ? startSupervisor : (await import('./volume/worker.ts')).startVolumeWorker
  const drain = start(settings, log)
  keepCompiled()
  process.on('SIGTERM', drain)
  process.on('SIGINT', drain)
} catch (thrown) {
  log(thrown instanceof Error ? thrown.message : 'the machine could not start')
  process.exit(exits.failed)
}
