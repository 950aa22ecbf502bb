import { checkRolledBack } from '../../bin/deploy/account.ts'

const stack = (status: string, isProtected = true) => ({ template: {}, status, outputs: {}, isProtected })

test('a stack whose first creation failed is named with the commands that delete it, in an order that CloudFormation accepts', () => {
  expect(() => checkRolledBack('berth-prod-state', stack('ROLLBACK_COMPLETE'))).toThrow(
    /Delete it:\n\n {2}aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name berth-prod-state\n {2}aws cloudformation delete-stack --stack-name berth-prod-state\n {2}aws cloudformation wait stack-delete-complete --stack-name berth-prod-state\n\nThen run this again/,
  )
  expect(() => checkRolledBack('berth-prod-state', stack('ROLLBACK_FAILED'))).toThrow(/protected tables/)
  expect(() => checkRolledBack('berth-prod-service', stack('ROLLBACK_COMPLETE', false))).toThrow(
    /Delete it:\n\n {2}aws cloudformation delete-stack/,
  )
  for (const now of [null, stack('CREATE_COMPLETE'), stack('UPDATE_ROLLBACK_COMPLETE')])
    expect(() => checkRolledBack('berth-prod-state', now)).not.toThrow()
})
