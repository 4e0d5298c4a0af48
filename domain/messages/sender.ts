/** Programs that send messages for a person, with their names in texts. */
const SENDERS = { page: 'the page', 'command-line': 'the command line', 'coding-agent': 'a coding agent' } as const;
export type Sender = keyof typeof SENDERS;

/** Senders of the messages that changed phase and window; null: unknown, or there was no message. */
export interface Senders {
  phase: Sender | null;
  window: Sender | null;
}

/** Header of a message to a workflow that names its sender. Temporal's own command and SDKs send none. */
export const SENDER_HEADER = 'perpetua-sender';

/** Reads a decoded header; null if it is absent, or names no sender that this version knows. */
export const parseSender = (value: unknown): Sender | null =>
  typeof value === 'string' && Object.hasOwn(SENDERS, value) ? (value as Sender) : null;

/** Names the sender of an event for a text, such as `, from the page`; empty if the event names none. */
export function describeSender(sender: string | undefined): string {
  if (sender === undefined) return '';
  const known = parseSender(sender);
  return `, from ${known === null ? sender : SENDERS[known]}`;
}

/** The sender as a field of an event's data: absent if it is unknown. */
export const senderField = (sender: Sender | null | undefined): { sender?: Sender } =>
  sender === null || sender === undefined ? {} : { sender };
