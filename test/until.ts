export { until } from '../emulators/kit/until.ts'
