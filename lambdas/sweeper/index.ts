import { area } from '../kit/area.ts'
import { sweep } from './sweep.ts'

export const sweeperArea = area({ name: 'sweeper', jobs: [sweep], timeoutSeconds: 120, reservedConcurrency: 20 })
