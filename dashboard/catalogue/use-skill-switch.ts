import { useAction } from '../components/use-action.ts'
import { refresh } from '../data/cache.ts'
import { berth } from '../data/client.ts'

export const useSkillSwitch = (id: string) =>
  useAction(async (enabled: boolean) => {
    await (enabled ? berth.enableSkill : berth.disableSkill)({ id })
    refresh('listSkills', 'getSkill')
  })
