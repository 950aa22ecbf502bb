import type { DeviceRecord, PushPayload } from '../../domain/notifications/device.ts'
import type { Group } from '../../domain/notifications/kinds.ts'
import type { NotificationRecord } from '../../domain/notifications/notification.ts'
import type { Page } from '../../domain/page.ts'

/** A notification about to be kept. */
export interface NewNotification {
  record: NotificationRecord
  /** The group it counts in for the day. */
  group: string
  /** A key for facts that happen once; null if the record's id is one. */
  once: string | null
  isUnread: boolean
  /** Unread ones that count as read from now on. */
  nowRead: readonly string[]
}

/** The outcome, and the id under which it is stored. */
export interface Added {
  outcome: 'added' | 'repeated' | 'too-many'
  id: string
}

/** Users' notifications, kept for some months. */
export interface Notifications {
  /** Keeps one, once, and counts it among those of its group and day; `most` of them are kept. */
  add(userId: string, made: NewNotification, most: number): Promise<Added>
  /** Newest first. */
  list(userId: string, page: { after: string | null; limit: number }): Promise<Page<NotificationRecord>>
  /** Ids of those that nobody has read yet, also of such that are kept no longer. */
  unread(userId: string): Promise<ReadonlySet<string>>
  markRead(userId: string, ids: readonly string[]): Promise<void>
}

/** Browsers that a user is pushed to. */
export interface PushDevices {
  list(userId: string): Promise<DeviceRecord[]>
  /** The id that a push service's address has here: a browser that subscribes again is the same. */
  idOf(endpoint: string): string
  /** Adds or renews one. False when the user has `most` others, however many are added at once. */
  save(userId: string, device: DeviceRecord, most: number): Promise<boolean>
  /** Nothing when it is gone. */
  remove(userId: string, id: string): Promise<void>
  /** Counts a failure, and lets it rest; as it is then, or null when it is gone. */
  noteFailure(userId: string, id: string, at: string, restsUntilMs: number): Promise<DeviceRecord | null>
  noteSuccess(userId: string, id: string): Promise<void>
}

/** A push service's request, according to RFC 8030, 8188, 8291 and 8292. */
export interface PushMessage {
  headers: Record<string, string>
  body: Uint8Array
}

export interface PushMessages {
  /** The stage's public key (VAPID), base64url, which a browser subscribes with. */
  publicKey(): Promise<string>
  /** Whether a browser's key is a point on the curve. */
  isKey(p256dh: string): boolean
  /**
   * Signs, and encrypts for one browser. `topic`: it takes the place of one that waits under the same. @throws for a
   * key that is none
   */
  seal(
    to: Pick<DeviceRecord, 'endpoint' | 'p256dh' | 'auth'>,
    payload: PushPayload,
    options: { ttlSeconds: number; topic: string },
  ): Promise<PushMessage>
}

/** Addresses with which the holder of an e-mail turns off a group's e-mails. */
export interface UnsubscribeLinks {
  /** The user and the group to turn off; null for a token that was not made here. */
  read(token: string): Promise<{ userId: string; group: Group } | null>
}
