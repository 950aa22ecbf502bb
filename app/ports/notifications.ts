import type { DeviceRecord, PushPayload } from '../../domain/notifications/device.ts'
import type { Group } from '../../domain/notifications/kinds.ts'
import type { Letter } from '../../domain/notifications/letter.ts'
import type { NotificationRecord } from '../../domain/notifications/notification.ts'
import type { Page } from '../../domain/page.ts'
import type { Part } from './part.ts'

export interface NewNotification {
  record: NotificationRecord
  /** The group in whose daily limit the notification counts. */
  group: string
  /** A key for facts that happen once; null if the record's id is one. */
  once: string | null
  isUnread: boolean
  /** Unread ones that count as read from now on. */
  nowRead: readonly string[]
}

export interface Added {
  outcome: 'added' | 'repeated' | 'too-many'
  id: string
}

/** Users' notifications, kept for some months. */
export interface Notifications {
  /** Stores a notification once and counts it in its group and day, of which at most `most` are stored. */
  add(userId: string, made: NewNotification, most: number, ...also: Part[]): Promise<Added>
  /** Newest first. */
  list(userId: string, page: { after: string | null; limit: number }): Promise<Page<NotificationRecord>>
  /** Ids of unread notifications, including expired ones. */
  unread(userId: string): Promise<ReadonlySet<string>>
  markRead(userId: string, ids: readonly string[]): Promise<void>
}

/** Browsers that receive a user's pushes. */
export interface PushDevices {
  list(userId: string): Promise<DeviceRecord[]>
  /** The id for a push service's address: a browser that subscribes again keeps it. */
  idOf(endpoint: string): string
  /** Adds or renews a browser. False when the user has `most` others, also under concurrency. */
  save(userId: string, device: DeviceRecord, most: number, ...also: Part[]): Promise<boolean>
  /** False when the browser is gone. */
  remove(userId: string, id: string, ...also: Part[]): Promise<boolean>
  /** Counts a failure and sets the pause after it; null when the browser is gone. */
  noteFailure(userId: string, id: string, at: string, restsUntilMs: number): Promise<DeviceRecord | null>
  noteSuccess(userId: string, id: string): Promise<void>
}

/** A push service's request, according to RFC 8030, 8188, 8291 and 8292. */
export interface PushMessage {
  headers: Record<string, string>
  body: Uint8Array
}

export interface PushMessages {
  /** The stage's public key (VAPID), base64url, with which a browser subscribes. */
  publicKey(): Promise<string>
  /** Whether a browser's key is a point on the curve. */
  isKey(p256dh: string): boolean
  /** A waiting push with the same `topic` is replaced. @throws for an invalid key */
  seal(
    to: Pick<DeviceRecord, 'endpoint' | 'p256dh' | 'auth'>,
    payload: PushPayload,
    options: { ttlSeconds: number; topic: string },
  ): Promise<PushMessage>
}

export interface UnsubscribeLinks {
  /** Null for a token that was not made here. */
  read(token: string): Promise<{ userId: string; group: Group } | null>
}

export interface Mail {
  /** A letter that can be switched off says how in its headers and below its text. */
  send(letter: Letter): Promise<void>
}
