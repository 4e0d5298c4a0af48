import { NOTHING_LEFT, type Left } from './left.ts';

/** Arguments that a research's first workflow was started with, and those of the later ones of its chain, of any version. */
export type StartArgs = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is StartArgs =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Knowledge that a run of the chain was handed by the one before; `before` for the first one. */
export function begunWith(args: unknown, before: Left = NOTHING_LEFT): Left {
  if (!isObject(args)) return before;
  const { carry, window } = args;
  if (!isObject(carry)) return { ...before, window: windowOf(window) ?? before.window };
  const { paused, stopping, fixedWindow } = carry;
  return {
    ...NOTHING_LEFT,
    paused: paused === true,
    stopping: stopping === 'drain' || stopping === 'now' ? stopping : null,
    window: windowOf(fixedWindow) ?? 'auto',
  };
}

const windowOf = (window: unknown): Left['window'] => (typeof window === 'number' || window === 'auto' ? window : null);

/**
 * The arguments that a research is started again with. The database has its budget and its proposer once it was opened:
 * applied twice, an old word would overrule a newer one.
 */
export function startAgainWith(args: unknown, { opened }: { opened: boolean }): unknown {
  if (!isObject(args)) return args;
  const { carry, window, budget, proposer, ...kept } = args;
  void [carry, window];
  if (opened) return kept;
  return { ...kept, ...(budget === undefined ? {} : { budget }), ...(proposer === undefined ? {} : { proposer }) };
}
