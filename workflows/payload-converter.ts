import {
  BinaryPayloadConverter,
  CompositePayloadConverter,
  JsonPayloadConverter,
  UndefinedPayloadConverter,
  type Payload,
} from '@temporalio/common';
import { cleanJson } from '../domain/clean-text.ts';

/**
 * Reads JSON as usual; what cannot be decoded (broken JSON, an encoding of somebody else) becomes `{ undecodable: why }`,
 * which every message's schema refuses. An error here would fail the workflow task, again and again. Text is cleaned:
 * Postgres would refuse a NUL for ever, and a failure with half of a surrogate pair in its message stops the worker.
 */
class ForgivingPayloadConverter extends CompositePayloadConverter {
  override fromPayload<T>(payload: Payload): T {
    try {
      return cleanJson(super.fromPayload(payload)) as T;
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
