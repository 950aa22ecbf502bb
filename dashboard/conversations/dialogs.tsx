import { useState } from 'react'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { TextField } from '../components/text-field.tsx'
import { texts } from '../texts/index.ts'
import { updateConversation } from './list.ts'
import type { Asked } from './row.tsx'

export function ConversationDialog({ conversation, onClose }: Asked & { onClose: () => void }) {
  const words = texts.chat.menu
  const [title, setTitle] = useState(conversation.title ?? '')
  return (
    <ConfirmDialog
      title={words.renameTitle}
      confirm={words.rename}
      variant="primary"
      disabled={title.trim() === ''}
      act={() => updateConversation(conversation.id, { title: title.trim() })}
      onClose={onClose}
    >
      <TextField label={words.title} value={title} maxLength={120} required dir="auto" onText={setTitle} />
    </ConfirmDialog>
  )
}
