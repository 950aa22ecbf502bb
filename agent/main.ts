import { supervisorSettings } from './environment.ts'
import { makeLog } from './log.ts'
import { exits, startSupervisor } from './supervisor.ts'

const log = makeLog('supervisor')

try {
  const settings = supervisorSettings()
  // Loaded when it is needed: most machines have the agent.
  const start = settings.role === 'agent' ? startSupervisor : (await import('./keeper.ts')).startKeeper
  const supervisor = start(settings, log, (code) => process.exit(code))
  process.on('SIGTERM', supervisor.drain)
  process.on('SIGINT', supervisor.drain)
} catch (thrown) {
  log(thrown instanceof Error ? thrown.message : 'the machine could not start')
  process.exit(exits.failed)
}
