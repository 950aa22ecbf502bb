export { scopeLabels as scopes } from '../../../domain/scope-labels.ts'
