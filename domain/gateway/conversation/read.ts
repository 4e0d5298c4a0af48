import type { Protocol } from '../call.ts';
import { eventsIn } from '../events.ts';
import { chat } from './chat.ts';
import { gemini } from './gemini.ts';
import { messages } from './messages.ts';
import { responses } from './responses.ts';
import { fieldsOf, isFilled, turn, type Fields, type ProtocolReader, type Turn } from './turn.ts';

const READERS: Record<Protocol, ProtocolReader> = { chat, responses, messages, gemini };

/**
 * Messages of a stored request. `protocol` null: a request of Perpetua's proposers. A request of another form is one
 * message: its JSON.
 */
export function readRequest(protocol: Protocol | null, body: unknown): Turn[] {
  const turns = READERS[protocol ?? 'chat'].request(fieldsOf(body));
  if (turns.length > 0) return turns;
  return [turn('request', { text: typeof body === 'string' ? body : JSON.stringify(body, null, 2) })];
}

/** The message of a stored answer, whole or streamed. An answer of another form is its text. */
export function readAnswer(protocol: Protocol | null, body: string): Turn {
  if (protocol === null) return turn('assistant', { text: body });
  const read = readMessage(READERS[protocol], body);
  return read !== null && isFilled(read) ? read : turn('assistant', { text: body });
}

function readMessage(reader: ProtocolReader, body: string): Turn | null {
  const json = parse(body);
  if (json === undefined) return reader.streamed(objectsOf(body));
  return Array.isArray(json) ? reader.streamed(json.map(fieldsOf)) : reader.whole(fieldsOf(json));
}

/** Objects of a stream's events. An event that broke off is left out. */
const objectsOf = (body: string): Fields[] =>
  eventsIn(body).flatMap((data) => {
    const event = parse(data);
    return event === undefined ? [] : [fieldsOf(event)];
  });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
