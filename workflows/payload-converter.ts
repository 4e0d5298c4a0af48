import {
  BinaryPayloadConverter,
  CompositePayloadConverter,
  JsonPayloadConverter,
  UndefinedPayloadConverter,
  type Payload,
} from '@temporalio/common';
import { cleanJson } from '../domain/json/clean-text.ts';
import { altered } from './altered.ts';

/**
 * Decodes JSON. A payload that cannot be decoded (broken JSON, another encoding) becomes `{ undecodable: why }`, which
 * every message schema refuses: an error here would fail the workflow task again and again. Text is cleaned (see
 * `altered`): Postgres refuses NUL characters, and a failure whose message has half of a surrogate pair stops the
 * worker.
 */
class ForgivingPayloadConverter extends CompositePayloadConverter {
  override fromPayload<T>(payload: Payload): T {
    try {
      const raw = super.fromPayload<unknown>(payload);
      const clean = cleanJson(raw);
      if (typeof clean === 'object' && clean !== null && JSON.stringify(clean) !== JSON.stringify(raw))
        altered.add(clean);
      return clean as T;
    } catch (error) {
      return { undecodable: String(error).slice(0, 200) } as T;
    }
  }
}

/** The SDK's workflow bundle requires this name. */
export const payloadConverter = new ForgivingPayloadConverter(
  new UndefinedPayloadConverter(),
  new BinaryPayloadConverter(),
  new JsonPayloadConverter(),
);
