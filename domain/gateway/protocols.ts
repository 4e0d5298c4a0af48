import type { Protocol } from './call.ts';
import type { ProtocolRule } from './protocol.ts';
import { CHAT } from './protocols/chat.ts';
import { GEMINI } from './protocols/gemini.ts';
import { MESSAGES } from './protocols/messages.ts';
import { RESPONSES } from './protocols/responses.ts';

/** The protocols that the gateway passes. */
export const PROTOCOL_RULES: Readonly<Record<Protocol, ProtocolRule>> = {
  chat: CHAT,
  responses: RESPONSES,
  messages: MESSAGES,
  gemini: GEMINI,
};
