import { RemovalPolicy } from 'aws-cdk-lib/core'
import type { Stage } from '../stage.ts'

/**
 * Data outlives its stack, unless the stage is disposable. A creation that fails leaves nothing behind, so that it can
 * be repeated.
 */
export const removalPolicyOf = ({ disposable }: Pick<Stage, 'disposable'>): RemovalPolicy =>
  disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
