export { until } from '../emulators/kit/test/until.ts'
