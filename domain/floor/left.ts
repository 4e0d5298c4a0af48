import { jsonBytes } from '../json-bytes.ts';
import { UPDATE_ENDED } from '../names.ts';
import { NoArgs, SetWindowArgs, SIGNALS, StopArgs, UPDATES } from '../messages.ts';

/** Knowledge of a research that only its workflow had when it was ended, for the one that goes on. */
export interface Left {
  paused: boolean;
  stopping: 'drain' | 'now' | null;
  /** As a person set it; null where nobody did. */
  window: 'auto' | number | null;
  /** Signals that it had not looked at, in the order in which they came. */
  messages: { signal: string; arg: unknown }[];
  /** How many of these signals there was no room for. */
  dropped: number;
}

export const NOTHING_LEFT: Left = { paused: false, stopping: null, window: null, messages: [], dropped: 0 };

/** A message as a workflow's history tells of it; what could not be decoded is undefined. */
export interface Told {
  kind: 'signal' | 'update' | 'cancel';
  name: string;
  arg: unknown;
  /** A workflow task came after it. */
  seen: boolean;
}

/** Bytes of the signals as JSON: they travel in an activity's answer, which may have 2 MiB. */
const MOST_BYTES = 1024 * 1024;

/** Adds to what a workflow's run began with all that it was told since. */
export function leftOf(before: Left, told: readonly Told[]): Left {
  return told.reduce(tell, before);
}

function tell(left: Left, { kind, name, arg, seen }: Told): Left {
  if (kind === 'cancel') return { ...left, stopping: 'now' };
  if (kind === 'update') {
    const parsed = name === UPDATES.setWindow ? SetWindowArgs.safeParse(arg) : null;
    return parsed?.success ? { ...left, window: parsed.data.window } : left;
  }
  if (name === SIGNALS.pause || name === SIGNALS.resume) {
    // One that stops takes neither.
    const isTaken = left.stopping === null && NoArgs.safeParse(arg ?? undefined).success;
    return isTaken ? { ...left, paused: name === SIGNALS.pause } : left;
  }
  if (name === SIGNALS.stop) {
    const parsed = StopArgs.safeParse(arg ?? undefined);
    if (!parsed.success) return left;
    return { ...left, stopping: parsed.data.now || left.stopping === 'now' ? 'now' : 'drain' };
  }
  // Of trials and updates that have ended the database tells.
  return seen || name === SIGNALS.trialEnded || name === UPDATE_ENDED ? left : withMessage(left, { signal: name, arg });
}

function withMessage(left: Left, message: Left['messages'][number]): Left {
  const messages = [...left.messages, message];
  return jsonBytes(messages) > MOST_BYTES ? { ...left, dropped: left.dropped + 1 } : { ...left, messages };
}
