import { DeleteSuppressedDestinationCommand, NotFoundException, SESv2Client } from '@aws-sdk/client-sesv2'

/** Removes an address from the account's SES suppression list; false if it was not listed. */
export async function unsuppressMails(address: string): Promise<boolean> {
  try {
    await new SESv2Client().send(new DeleteSuppressedDestinationCommand({ EmailAddress: address }))
    return true
  } catch (error) {
    if (error instanceof NotFoundException) return false
    throw error
  }
}
