import { area } from '../kit/area.ts'
import { addPushDevice } from './add-push-device.ts'
import { getNotificationSettings } from './get-notification-settings.ts'
import { listNotifications } from './list-notifications.ts'
import { readNotifications } from './read-notifications.ts'
import { removePushDevice } from './remove-push-device.ts'
import { setNotificationSettings } from './set-notification-settings.ts'
import { unsubscribe } from './unsubscribe.ts'

export const notificationsArea = area({
  name: 'notifications',
  about: 'Messages to you about your account, and where you receive them: in the dashboard, by e-mail, by push.',
  operations: [
    listNotifications,
    readNotifications,
    getNotificationSettings,
    setNotificationSettings,
    addPushDevice,
    removePushDevice,
    unsubscribe,
  ],
})
