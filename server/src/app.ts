import type { api, OperationName } from '@portico/contract'
import { removeAccountPicture, setAccountPicture } from './profile/account-picture.ts'
import { deleteAccount, getAccountDeletion } from './personal-data/delete-account.ts'
import { exportData } from './personal-data/export-data.ts'
import { changePassword } from './accounts/change-password.ts'
import { getInstance, updateInstance } from './accounts/instance.ts'
import { reportActivity } from './accounts/report-activity.ts'
import { checkResetLink, resetPassword } from './accounts/reset-password.ts'
import { getSessionEnd } from './accounts/get-session-end.ts'
import { endSession, getSession, listSessions, signOut, signOutEverywhere } from './accounts/sessions.ts'
import { setUp } from './accounts/set-up.ts'
import { signIn } from './accounts/sign-in.ts'
import { signUp } from './sign-up/sign-up.ts'
import { updateAccount } from './profile/update-account.ts'
import { removeApplicationPicture, setApplicationPicture } from './applications/application-picture.ts'
import { deleteAnyChannel, listOwnerCandidates, transferAnyChannel } from './administration/channels.ts'
import { createResetLink } from './administration/create-reset-link.ts'
import { getHealth } from './administration/health.ts'
import { listAllApplications, listAllChannels } from './administration/lists.ts'
import { endSessionsOfPerson, listPeople, setPasswordOfPerson, updatePerson } from './administration/people.ts'
import { createApplication } from './applications/create-application.ts'
import { explainAccess } from './applications/explain-access.ts'
import { getApplicationUsage } from './applications/get-application-usage.ts'
import { getProfile } from './applications/get-profile.ts'
import { getScopes } from './applications/get-scopes.ts'
import {
  getApplicationCard,
  installApplication,
  listInstallations,
  removeApplication,
} from './applications/installations.ts'
import { listInstallPlaces } from './applications/install-places.ts'
import { issueKey, revokeKey } from './applications/issue-key.ts'
import {
  deleteApplication,
  getApplication,
  listApplications,
  updateApplication,
} from './applications/own-applications.ts'
import { listApplicationRooms } from './applications/list-application-rooms.ts'
import { setApplicationLimits } from './applications/set-application-limits.ts'
import { listChannelAudit, listInstanceAudit } from './audit/list-audit.ts'
import { removeChannelPicture, setChannelPicture } from './channels/channel-picture.ts'
import { createChannel } from './channels/create-channel.ts'
import { deleteChannel } from './channels/delete-channel.ts'
import { getChannel } from './channels/get-channel.ts'
import { joinChannel } from './channels/join-channel.ts'
import { leaveChannel } from './channels/leave-channel.ts'
import { listChannels, listOpenChannels } from './channels/list-channels.ts'
import { sortChannels } from './channels/sort-channels.ts'
import { transferChannel } from './channels/transfer-channel.ts'
import { updateChannel } from './channels/update-channel.ts'
import { listChannelCommands } from './commands/list-channel-commands.ts'
import { listCommands, replaceCommands } from './commands/replace-commands.ts'
import { requestSuggestions } from './commands/request-suggestions.ts'
import { sendSuggestions } from './commands/send-suggestions.ts'
import { reportDefect } from './defects/report-defect.ts'
import { getChannelFirstSteps, hideChannelFirstSteps } from './first-steps/channel-first-steps.ts'
import { getFirstSteps, hideFirstSteps } from './first-steps/first-steps.ts'
import type { Handlers, OperationHandler } from './operations/perform.ts'
import { acceptInvitation } from './invitations/accept-invitation.ts'
import { createInvitation } from './invitations/create-invitation.ts'
import { getInvitation } from './invitations/get-invitation.ts'
import { listInvitations } from './invitations/list-invitations.ts'
import { revokeInvitation } from './invitations/revoke-invitation.ts'
import { startTyping } from './presence/start-typing.ts'
import { findMembers } from './members/find-members.ts'
import { getMember } from './members/get-member.ts'
import { getRemoval } from './members/get-removal.ts'
import { getPermissions } from './members/get-permissions.ts'
import { getNotificationSettings, updateNotificationSettings } from './notifications/notification-settings.ts'
import {
  getChannelNotifications,
  getRoomNotifications,
  updateChannelNotifications,
  updateRoomNotifications,
} from './notifications/place-notifications.ts'
import { listMembers, listMembersByName } from './members/list-members.ts'
import { findRoomMembers, listRoomReaders } from './members/room-readers.ts'
import { setMemberRoles } from './members/set-member-roles.ts'
import { setNickname } from './members/set-nickname.ts'
import { deleteAnyMessage } from './messages/delete-any-message.ts'
import { deleteMessage } from './messages/delete-message.ts'
import { appendToMessage } from './messages/append-to-message.ts'
import { editMessage } from './messages/edit-message.ts'
import { finishMessage } from './messages/finish-message.ts'
import { listMessages } from './messages/list-messages.ts'
import { listReactors } from './messages/list-reactors.ts'
import { pinMessage, unpinMessage } from './messages/pins.ts'
import { listPins, readHistory } from './messages/read-history.ts'
import { addReaction, removeReaction } from './messages/reactions.ts'
import { pressInNotice } from './notices/press-in-notice.ts'
import { showNotice } from './notices/show-notice.ts'
import { pressComponent } from './messages/press-component.ts'
import { searchMessages } from './messages/search-messages.ts'
import { sendMessage } from './messages/send-message.ts'
import { startMessage } from './messages/start-message.ts'
import { getRoomPage } from './room-page/get-room-page.ts'
import { banMember, liftBan, listBans } from './moderation/bans.ts'
import { kickMember } from './moderation/kick-member.ts'
import { muteChat, muteVoice, unmuteChat, unmuteVoice } from './moderation/mutes.ts'
import { disconnectMember, moveMember } from './moderation/voice-moves.ts'
import { markChannelRead, markRoomRead } from './unread/mark-read.ts'
import { markRoomUnread } from './unread/mark-unread.ts'
import { listReadStates } from './unread/read-state.ts'
import { createRole } from './roles/create-role.ts'
import { deleteRole } from './roles/delete-role.ts'
import { listRoleColors } from './roles/list-role-colors.ts'
import { listRoles } from './roles/list-roles.ts'
import { sortRoles } from './roles/sort-roles.ts'
import { updateRole } from './roles/update-role.ts'
import { setRoomAdmissions } from './rooms/admissions.ts'
import { createCategory, deleteCategory, updateCategory } from './rooms/categories.ts'
import { createRoom } from './rooms/create-room.ts'
import { deleteRoom } from './rooms/delete-room.ts'
import { listRooms } from './rooms/list-rooms.ts'
import { getRoomAccess, listRoomAccess } from './rooms/room-access.ts'
import { getRoomPermissions } from './rooms/get-room-permissions.ts'
import { setRoomOverride } from './rooms/set-room-override.ts'
import { sortRooms } from './rooms/sort-rooms.ts'
import { updateRoom } from './rooms/update-room.ts'
import { listConsents, withdrawConsent } from './consents/consents.ts'
import { getCurrentUser, listCurrentUserChannels } from './sign-in/current-user.ts'
import { getOAuth, issueClientSecret, revokeOAuth, setOAuth } from './sign-in/oauth.ts'
import { deletePushSubscription, getPushSubscription, setPushSubscription } from './push/push-subscription.ts'
import { uploadFile } from './uploads/upload-file.ts'
import { joinVoice, leaveVoice } from './voice/join-voice.ts'
import { getStreamKey, issueStreamKey, revokeStreamKey } from './voice/stream-key.ts'
import { getDelivery, listDeliveries, redeliver, replayHeld, testWebhook } from './webhooks/deliveries.ts'
import { setApplicationWebhook, setWebhook } from './webhooks/set-webhook.ts'
import { deleteApplicationWebhook, deleteWebhook, getApplicationWebhook, getWebhook } from './webhooks/webhook.ts'
import { getApplicationStream } from './websocket/get-application-stream.ts'
import { getEventToken } from './websocket/get-event-token.ts'
import type { Transports } from './http/transports.ts'
import { mediaSignalRoutes } from './media/routes.ts'
import { SignalUpgrades } from './media/signal-upgrades.ts'
import { whipRoutes } from './media/whip-routes.ts'
import { signInRoutes } from './sign-in/sign-in-routes.ts'
import { SocketServer } from './websocket/socket-server.ts'

type AllHandlers = { readonly [K in OperationName]: OperationHandler<(typeof api)[K]> }

/** The list of everything the server can do. An operation of the contract that is missing here does not compile. */
const list: AllHandlers = {
  signUp,
  setUp,
  signIn,
  getSession,
  getSessionEnd,
  listSessions,
  signOut,
  endSession,
  signOutEverywhere,
  reportActivity,
  reportDefect,
  getPushSubscription,
  setPushSubscription,
  deletePushSubscription,
  updateAccount,
  setAccountPicture,
  removeAccountPicture,
  changePassword,
  checkResetLink,
  resetPassword,
  getAccountDeletion,
  deleteAccount,
  exportData,
  listPeople,
  updatePerson,
  endSessionsOfPerson,
  setPasswordOfPerson,
  createResetLink,
  deleteAnyChannel,
  listOwnerCandidates,
  transferAnyChannel,
  listAllChannels,
  listAllApplications,
  getHealth,
  getInstance,
  updateInstance,
  getFirstSteps,
  hideFirstSteps,
  getRoomPage,
  listInstanceAudit,
  createChannel,
  listChannels,
  listOpenChannels,
  sortChannels,
  getChannel,
  updateChannel,
  setChannelPicture,
  removeChannelPicture,
  deleteChannel,
  joinChannel,
  leaveChannel,
  transferChannel,
  getChannelFirstSteps,
  hideChannelFirstSteps,
  listChannelAudit,
  listRooms,
  createRoom,
  updateRoom,
  deleteRoom,
  createCategory,
  updateCategory,
  deleteCategory,
  sortRooms,
  getRoomAccess,
  listRoomAccess,
  getRoomPermissions,
  setRoomOverride,
  setRoomAdmissions,
  listRoles,
  listRoleColors,
  createRole,
  updateRole,
  sortRoles,
  deleteRole,
  listMembers,
  listMembersByName,
  findMembers,
  listRoomReaders,
  findRoomMembers,
  getPermissions,
  getRemoval,
  getMember,
  setNickname,
  setMemberRoles,
  createInvitation,
  listInvitations,
  revokeInvitation,
  getInvitation,
  acceptInvitation,
  sendMessage,
  startMessage,
  appendToMessage,
  finishMessage,
  listMessages,
  editMessage,
  deleteMessage,
  deleteAnyMessage,
  addReaction,
  removeReaction,
  pinMessage,
  unpinMessage,
  listPins,
  readHistory,
  listReactors,
  searchMessages,
  uploadFile,
  listReadStates,
  markRoomRead,
  markRoomUnread,
  markChannelRead,
  getRoomNotifications,
  updateRoomNotifications,
  getChannelNotifications,
  updateChannelNotifications,
  getNotificationSettings,
  updateNotificationSettings,
  showNotice,
  pressComponent,
  pressInNotice,
  startTyping,
  joinVoice,
  leaveVoice,
  getStreamKey,
  issueStreamKey,
  revokeStreamKey,
  muteChat,
  unmuteChat,
  muteVoice,
  unmuteVoice,
  disconnectMember,
  moveMember,
  kickMember,
  banMember,
  liftBan,
  listBans,
  getProfile,
  getScopes,
  getEventToken,
  getApplicationStream,
  setWebhook,
  getWebhook,
  deleteWebhook,
  getApplicationWebhook,
  setApplicationWebhook,
  deleteApplicationWebhook,
  testWebhook,
  replayHeld,
  listDeliveries,
  getDelivery,
  redeliver,
  revokeKey,
  createApplication,
  listApplications,
  getApplication,
  updateApplication,
  setApplicationPicture,
  removeApplicationPicture,
  deleteApplication,
  issueKey,
  getApplicationUsage,
  setApplicationLimits,
  getApplicationCard,
  listInstallPlaces,
  listInstallations,
  installApplication,
  removeApplication,
  explainAccess,
  listApplicationRooms,
  listCommands,
  replaceCommands,
  listChannelCommands,
  requestSuggestions,
  sendSuggestions,
  getCurrentUser,
  listCurrentUserChannels,
  getOAuth,
  setOAuth,
  issueClientSecret,
  revokeOAuth,
  listConsents,
  withdrawConsent,
}

export const handlers = list as Handlers

/** What is served in addition to the two APIs: media for LiveKit clients and programs, sign-in for websites, event sockets. */
export const transports: Transports = {
  async routes(app, services) {
    mediaSignalRoutes(app, services)
    await whipRoutes(app, services)
  },
  peopleRoutes: signInRoutes,
  openSockets(services) {
    const { embeddedMedia } = services
    const signals = embeddedMedia ? [new SignalUpgrades(services, embeddedMedia)] : []
    return [...signals, new SocketServer(services)]
  },
}
