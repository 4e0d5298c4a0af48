import type { Confinement } from './confinement.ts';
import { once } from './once.ts';

/** A machine that was without sandbox when it was tried is tried again after this, in ms: it may have been short of something for a moment. */
const REPROBE_MS = 60_000;

/** What runs can be confined by. */
export interface ConfinementCache {
  confinement: (sandbox: boolean) => Promise<Confinement>;
  /** What was found may not be so any more: the next who asks has it found anew. */
  forget: () => void;
}

/** What runs can be confined by, found once by `probe`; a sandbox that was not to be had is looked for again later. */
export function cacheConfinement(probe: (sandbox: boolean) => Promise<Confinement>): ConfinementCache {
  let without = once(() => probe(false));
  let withSandbox = once(() => probe(true));
  let until = Infinity;
  const forget = (): void => {
    without = once(() => probe(false));
    withSandbox = once(() => probe(true));
    until = Infinity;
  };
  const confinement = async (sandbox: boolean): Promise<Confinement> => {
    if (Date.now() > until) forget();
    if (!sandbox) return without();
    const found = await withSandbox();
    if (!found.sandboxed && until === Infinity) until = Date.now() + REPROBE_MS;
    return found;
  };
  return { confinement, forget };
}
