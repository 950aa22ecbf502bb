import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import { Stack } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'

interface Props {
  /** The budget of one month and the whole account, because some costs have no tag. */
  dollars: number
  address: string
}

/**
 * Warns the address of high costs. An account may refuse a budget, so it is created after the rest of its stack.
 * CloudFormation can only replace a budget's notifications, so a fixed name would collide with the old budget.
 */
export class Budget extends Construct {
  constructor(scope: Construct, id: string, { dollars, address }: Props) {
    super(scope, id)
    const subscribers = [{ subscriptionType: 'EMAIL', address }]
    const notice = (notificationType: string, threshold: number) => ({
      notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold, thresholdType: 'PERCENTAGE' },
      subscribers,
    })
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: dollars, unit: 'USD' },
      },
      notificationsWithSubscribers: [notice('ACTUAL', 80), notice('FORECASTED', 100)],
    })
    this.node.addDependency(...Stack.of(this).node.children.filter((child) => child !== this))
  }
}
