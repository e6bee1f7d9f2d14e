import { Id } from './schema.ts'

/** Each id has an example of its own, so that the examples of the API reference tell one story. */
function idOf(description: string, example: string) {
  return { ...Id, description, examples: [example] }
}

export const ChannelId = idOf('The channel', '01a05bfb-7000-7c44-a1d3-3a6f0c2e9b57')
export const CategoryId = idOf('The category', '01a05bfb-7212-7a05-8e61-5b0d9c1f7ae2')
export const RoomId = idOf('The room', '01a05bfb-73e8-7b91-9f2c-8d4e6a1c0b35')
export const VoiceRoomId = idOf('The voice room', '01a05bfb-75ac-7d20-b8a4-1e7f3c5d9a68')
export const MessageId = idOf('The message', '01a1de8a-c9c0-7e3b-8c15-60f2d7a94b1e')
export const NoticeId = idOf('The notice', '01a1de8a-e1b4-7d19-8f27-a35c0d9e6b48')
export const FileId = idOf('The file', '01a1de8a-d3f2-7a61-b5e8-4c90a7f16d23')
export const RoleId = idOf('The role', '01a05bfb-71a6-7d3f-a5c2-7e9b0d4f1c83')
export const UserId = idOf('The person or bot', '01a05bfb-6e04-7f18-a3b7-92c1e50d8f46')
export const BotId = idOf('The bot', '01a05bfb-7a51-7cc6-94e0-2f8b6d3a7c19')
export const ApplicationId = idOf('The application', '01a05bfb-7a50-7a8d-8d3e-c4b19f60e275')
