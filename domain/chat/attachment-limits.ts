export const maxAttachments = 10
export const maxAttachmentBytes = 20_000_000

/** Other types are only offered for download. */
export const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
export const isImage = ({ type }: { type: string }): boolean => imageTypes.includes(type)
