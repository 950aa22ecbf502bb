/** Files that go with one message, and how large each may be, bytes. */
export const maxAttachments = 10
export const maxAttachmentBytes = 20_000_000

/** Types shown as images; all others are only offered for download. */
export const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
export const isImage = ({ type }: { type: string }): boolean => imageTypes.includes(type)
