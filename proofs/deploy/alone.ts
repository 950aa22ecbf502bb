import { aws, check, given, name, run, settings } from './operator.ts'

/** Deployments by the CDK alone, without our command. @param first release that was noted */
export async function deployAlone(first: string): Promise<void> {
  const alone = { command: 'cdk' as const, exit: 1 }
  const exact = (line: string) => new RegExp(`^${line}\n[^\n]*Subprocess exited with error 1\n$`)
  await run('the CDK alone says in one sentence that a stage is missing', {
    ...alone,
    args: ['ls'],
    says: exact('Add the name of a stage, a file in stages/: for example npx cdk deploy --all -c stage=prod'),
    touches: ['ls'],
  })
  await run('the CDK alone says in one sentence that the credentials belong to another account', {
    ...alone,
    settings: { ...settings, account: '999999999999' },
    args: ['ls', '-c', `stage=${name}`],
    says: exact('These credentials belong to the account 123456789012[^\n]*'),
    touches: ['ls'],
  })
  await run('or lead to another Region', {
    ...alone,
    settings: { ...settings, region: 'eu-west-1' },
    args: ['ls', '-c', `stage=${name}`],
    says: exact('The Region is eu-central-1[^\n]*export AWS_REGION=eu-west-1'),
    touches: ['ls'],
  })
  await run('the CDK alone lists both stacks without a warning about its context', {
    ...alone,
    args: ['ls', '-c', `stage=${name}`],
    exit: 0,
    says: new RegExp(`^(?![\\s\\S]*reserved context)[\\s\\S]*berth-${name}-state\nberth-${name}-service\n`),
    touches: ['ls'],
  })
  const images = aws.built.length
  await run('the CDK alone deploys all, in the right order', {
    ...alone,
    args: ['deploy', '--all', '-c', `stage=${name}`],
    settings: { ...settings, runtimes: ['pi'] },
    exit: 0,
    says: /^/,
    touches: ['synth', 'state', 'service'],
  })
  check(
    'with a new image and no parameter',
    aws.built.length === images + 1 && Object.keys(given()).join() === 'Release',
  )
  await run('a rollback from there goes to the newest release that was noted', {
    command: 'rollback',
    exit: 0,
    touches: ['service'],
    says: /runs the release of/,
  })
  check('which is the first again', given().Release === first)
}
