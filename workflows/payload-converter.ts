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
 * Reads JSON as usual; what cannot be decoded (broken JSON, an encoding of somebody else) becomes `{ undecodable: why }`,
 * which every message's schema refuses. An error here would fail the workflow task, again and again. Text is cleaned (see `altered`):
 * Postgres would refuse a NUL for ever, and a failure with half of a surrogate pair in its message stops the worker.
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

/** Under this name the workflow bundle looks for it. */
export const payloadConverter = new ForgivingPayloadConverter(
  new UndefinedPayloadConverter(),
  new BinaryPayloadConverter(),
  new JsonPayloadConverter(),
);
