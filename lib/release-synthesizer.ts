import { DefaultStackSynthesizer, type ISynthesisSession } from 'aws-cdk-lib/core'

/**
 * Names a release by its content: the id is a hash of the template, which contains the hashes of all assets. The
 * template is synthesised first without the id, then with it.
 */
export class ReleaseSynthesizer extends DefaultStackSynthesizer {
  /** `id`: 16 hexadecimal digits. An object, because the CDK binds a copy of this synthesizer to the stack. */
  readonly release = { id: '0'.repeat(16) }

  override synthesize(session: ISynthesisSession): void {
    this.release.id = this.synthesizeTemplate(session).sourceHash.slice(0, 16)
    super.synthesize(session)
  }
}
