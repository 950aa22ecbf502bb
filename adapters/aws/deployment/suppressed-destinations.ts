import { DeleteSuppressedDestinationCommand, NotFoundException, SESv2Client } from '@aws-sdk/client-sesv2'

/** Takes an address off the account's list of those that SES sends nothing to; false when it was not on it. */
export async function unsuppressMails(address: string): Promise<boolean> {
  try {
    await new SESv2Client().send(new DeleteSuppressedDestinationCommand({ EmailAddress: address }))
    return true
  } catch (error) {
    if (error instanceof NotFoundException) return false
    throw error
  }
}
