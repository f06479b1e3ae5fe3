import { lazyRouteComponent } from '@tanstack/react-router';

/** The pages of messages. Each is loaded when a person opens it. */
export const messagePages = {
  messagesPage: lazyRouteComponent(
    () => import('../features/messages/messages-page.tsx'),
    'MessagesPage',
  ),
  messagePage: lazyRouteComponent(
    () => import('../features/messages/message-page.tsx'),
    'MessagePage',
  ),
  sendMessagePage: lazyRouteComponent(
    () => import('../features/messages/send-message-page.tsx'),
    'SendMessagePage',
  ),
  suppressionsPage: lazyRouteComponent(
    () => import('../features/messages/suppressions-page.tsx'),
    'SuppressionsPage',
  ),
  sendingRulesPage: lazyRouteComponent(
    () => import('../features/messages/sending-rules-page.tsx'),
    'SendingRulesPage',
  ),
};
