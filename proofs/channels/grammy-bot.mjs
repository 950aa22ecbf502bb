/** A bot as in grammY's documentation; prints its observations as lines of JSON. */
import { createServer } from 'node:http'
import { Bot, GrammyError, InlineKeyboard, InputFile, webhookCallback } from 'grammy'

const { API_ROOT: apiRoot, TOKEN: token, SECRET: secret } = process.env
const bot = new Bot(token, { client: { apiRoot } })
const say = (line) => console.log(JSON.stringify(line))
const failed = (run) =>
  run.then(
    () => null,
    (error) => (error instanceof GrammyError ? error : Promise.reject(error)),
  )

bot.command('start', async (context) => {
  say({ command: 'start', match: context.match })
  await context.replyWithChatAction('typing')
  await context.reply('Sure?', { reply_markup: new InlineKeyboard().text('Yes', 'yes').text('No', 'no') })
})
bot.callbackQuery('yes', async (context) => {
  say({ pressed: context.callbackQuery.data })
  await context.answerCallbackQuery('Noted')
  await context.editMessageText('You said yes')
})
bot.on('message:document', async (context) => {
  const { file_path } = await context.getFile()
  const file = await (await fetch(`${apiRoot}/file/bot${token}/${file_path}`)).text()
  say({ file, caption: context.message.caption })
  say({ draft: await context.api.sendMessageDraft(context.chat.id, 7, 'growing') })
  await context.replyWithDocument(new InputFile(Buffer.from(file), 'back.txt'))
})
bot.hears('flood', async (context) => {
  let error = null
  for (let sent = 0; sent < 30 && !error; sent += 1) error = await failed(context.reply(String(sent)))
  say({ code: error?.error_code, waits: error?.parameters.retry_after > 0 })
})
bot.on('edited_message:text', (context) => say({ edited: context.editedMessage.text }))
bot.on('my_chat_member', async (context) => {
  say({ standing: context.myChatMember.new_chat_member.status })
  const error = await failed(context.api.sendMessage(context.chat.id, 'Hello?'))
  say({ code: error?.error_code, description: error?.description })
})

const server = createServer(webhookCallback(bot, 'http', { secretToken: secret })).listen(0, '127.0.0.1', async () => {
  await bot.init()
  await bot.api.setMyCommands([{ command: 'start', description: 'Begin' }])
  await bot.api.setWebhook(`http://127.0.0.1:${server.address().port}/`, { secret_token: secret })
  say({ username: bot.botInfo.username })
})
